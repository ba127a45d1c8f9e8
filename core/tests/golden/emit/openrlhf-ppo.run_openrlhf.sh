# PPO of Qwen3 8B on 8 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: vLLM chooses how many sequences it decodes together; the estimate has 256.

args=(
  # Batch
  --rollout.batch_size 512  # prompts of a step; 8,192 sequences in all
  --rollout.n_samples_per_prompt 16  # responses per prompt, from your question
  --train.batch_size 2048  # sequences, not prompts; 4 updates a step
  --train.max_epochs 1  # 1 pass over the samples
  --data.max_len 4096  # prompt and response; longer prompts are cut
  --rollout.max_new_tokens 3072  # tokens of a response, from your question

  # Models
  --actor.model_name_or_path Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
  --critic.model_name_or_path Qwen/Qwen3-8B  # the critic starts from it
  --reward.remote_url "$HOME/reward.py"  # a rule: change this to the file of your reward_func
  --actor.gradient_checkpointing_enable  # each layer again from its input: far fewer activations; the critic follows

  # Cluster
  --actor.num_nodes 1  # nodes that train
  --actor.num_gpus_per_node 8  # GPUs of each
  --ref.num_nodes 1  # as the actor's
  --ref.num_gpus_per_node 8  # as the actor's
  --critic.num_nodes 1  # as the actor's
  --critic.num_gpus_per_node 8  # as the actor's
  --train.colocate_all  # every role and engine on the same GPUs, one phase after another

  # Layout: 8 GPUs = DP 8
  --ds.zero_stage 3  # shards weights too: each layer is gathered when needed
  --ds.param_dtype bf16  # precision of your question
  --ds.overlap_comm  # gradients are reduced beside the backward pass
  --ds.attn_implementation flash_attention_2  # scores never reach memory
  --ds.packing_samples  # sequences side by side, no padding tokens
  --ds.enable_sleep  # optimizer states and gradients wait in host memory between updates

  # What one forward pass takes on one GPU
  --train.dynamic_batch_enable  # packs short sequences together up to a budget
  --train.max_tokens_per_gpu 16384  # tokens, from the plan
  --rollout.max_tokens_per_gpu 32768  # forward only: twice the actor's

  # Generation: 4 engines
  --vllm.num_engines 4  # 4 × 2 GPUs generate
  --vllm.tensor_parallel_size 2  # 2 GPUs hold the weights and their cache
  --vllm.gpu_memory_utilization 0.60  # share of the card that an engine takes
  --vllm.sync_backend nccl  # weights go from GPU to GPU
  --vllm.enable_sleep  # gives its memory back while training

  # Algorithm
  --algo.advantage.estimator gae  # PPO: the critic estimates values
  --algo.kl.init_coef 0.001  # keeps the policy near the reference; yours to tune
  --algo.kl.estimator k1  # the penalty is in the reward
  --actor.loss_agg_mode token-mean  # every token counts alike

  # Run
  --actor.adam.lr 1e-6  # a start; yours to tune
  --critic.adam.lr 9e-6  # OpenRLHF's default; yours to tune
  --data.prompt_dataset "$HOME/data/train"  # change this to your data
  --data.input_key input  # the column with the prompt
  --data.label_key label  # the column that your reward_func reads
  --train.num_episodes 1  # passes over your data: more where it has fewer than the next line's
  --data.max_samples 51200  # examples at most: those of 100 steps, assumed, as in the estimate: your question states none; yours to choose
  --ckpt.output_dir "$HOME/output/shardwise"  # change this to your folder
)
# Start Ray first: ray start --head on one node, ray start --address on the others.
ray job submit --address="http://127.0.0.1:8265" -- python3 -m openrlhf.cli.train_ppo_ray "${args[@]}"
