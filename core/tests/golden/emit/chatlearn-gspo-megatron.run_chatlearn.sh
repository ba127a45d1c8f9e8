# GSPO of Qwen3 30B A3B on 8 × NVIDIA H20-3e 141GB (HBM3e): 512 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: ChatLearn has no key for overlap_grad_reduce: it reduces gradients after the backward pass, and the estimate hides that beside it. Set overlap.gradients to false, or add the field to MegatronConfig in chatlearn/configs/megatron_config.py, as its tuning guide has it.
# Warning: the estimate decodes with CUDA graphs, and this text without, as ChatLearn advises for vLLM over several GPUs: it may take several times as long to generate. Set enforce_eager to true for its figures.

export CHATLEARN="$PWD"  # run from the root of ChatLearn's checkout (b7af31a)
export MEGATRON_PATH="${MEGATRON_PATH:-$CHATLEARN/../Megatron-LM}"  # your Megatron-LM
export PYTHONPATH="$CHATLEARN:$MEGATRON_PATH:$PYTHONPATH"
export CUDA_DEVICE_MAX_CONNECTIONS=1  # Megatron orders communication and computation by it
export VLLM_USE_RAY_SPMD_WORKER=1 VLLM_USE_RAY_COMPILED_DAG=1  # as ChatLearn's scripts do
export RAY_CGRAPH_get_timeout=200 RAY_DEDUP_LOGS=1
source scripts/base_env.sh  # stops a running ray and removes core files here

args=(
  # Batch: ChatLearn counts responses, not prompts
  runtime_args.exp_name=shardwise  # names the logs
  runtime_args.train_backend=megatron  # as the template
  runtime_args.data_path="$HOME/data/train.json"  # change this to your data
  runtime_args.eval_data_path="$HOME/data/test.json"  # change this too: ChatLearn reads it in any case
  runtime_args.output_dir="$HOME/output/shardwise"  # change this to your folder
  runtime_args.sample_per_episode=8192  # 512 prompts × 16 responses
  runtime_args.num_episode=100  # an episode is a step: steps, assumed, as in the estimate: your question states none; yours to choose
  runtime_args.train_global_batch_size=2048  # 128 prompts × 16; 4 updates an episode
  runtime_args.num_inference_per_prompt=16  # set twice: the advantage reads this one
  models.policy.num_inference_per_prompt=16  # and the rollout reads this one
  models.policy.max_prompt_tokens_length=1024  # from your question
  models.policy.max_response_tokens_length=3072  # from your question

  # Layout: 8 GPUs = TP 4 × DP 2, experts EP 4
  models.policy_trainer.num_gpu=8  # over all nodes; the reference and the rollout follow
  models.policy_trainer.tensor_model_parallel_size=4  # 4 GPUs split each matrix; divides 32 heads
  models.policy_trainer.pipeline_model_parallel_size=1  # no pipeline, no bubble
  models.policy_trainer.virtual_pipeline_model_parallel_size=null  # one chunk per stage
  models.policy_trainer.megatron_model_cfg.apply_rope_fusion=True  # one kernel turns queries and keys by their positions; off, each packed sequence has its own
  models.policy_trainer.context_parallel_size=1  # no sequence is split
  models.policy_trainer.expert_model_parallel_size=4  # 32 of 128 experts on each GPU of a group
  models.policy_trainer.expert_tensor_parallel_size=1  # experts stay whole: EP before ETP
  models.policy_trainer.sequence_parallel=True  # norms are split over TP too
  models.policy_trainer.use_distributed_optimizer=True  # shards optimizer states over DP
  models.policy_trainer.load="$HOME/models/mcore"  # change this to the converted checkpoint
  models.policy.load=Qwen/Qwen3-30B-A3B  # the model on Hugging Face, or a folder with it

  # Packing
  models.policy_trainer.packing=True  # no padding tokens
  models.policy_trainer.max_token_in_packing=16384  # tokens of a packed sequence; the longest has 4,096

  # What leaves the GPU between phases, and recomputation
  models.policy_trainer.free_gpu_memory.offload_weights=True  # weights are in host memory outside their phase
  models.policy_trainer.free_gpu_memory.offload_optimizer_states=True  # optimizer states are in host memory outside their phase
  models.policy_trainer.free_gpu_memory.free_grad_buffers=True  # gradient buffers are freed outside the update
  models.ref_policy.free_gpu_memory.offload_weights=True  # its weights are on the GPU in their own phase alone
  models.policy_trainer.recompute_granularity=full  # each layer again from its input: least memory
  models.policy_trainer.recompute_method=uniform  # every layer alike
  models.policy_trainer.recompute_num_layers=1  # one layer at a time

  # Rollout: 4 engines
  runtime_args.rollout_backend=vllm  # from the plan
  models.policy.tensor_model_parallel_size=2  # 2 GPUs hold the weights and their cache
  models.policy.gpu_memory_utilization=0.60  # share of the card for weights and KV cache; ChatLearn's guide stops at 0.95
  models.policy.generation_batch_size=256  # decoded together; each engine gets 2,048 sequences an episode
  models.policy.max_num_batched_tokens=8192  # tokens of one engine step
  models.policy.enforce_eager=True  # ChatLearn's advice for vLLM over several GPUs
  models.policy.free_gpu_memory.offload_weights=True  # weights and cache leave the GPU for training

  # Algorithm
  models.policy_trainer.kl_coef=0.0  # no penalty
  models.policy_trainer.pos_clip_ratio=0.0004  # GSPO clips closer to 1: a response's ratio varies less than a token's
  models.policy_trainer.neg_clip_ratio=0.0003  # and below
  models.policy_trainer.use_group_sequence_policy=True  # one ratio for each response
  models.policy_trainer.optimizer.lr=2e-6  # ChatLearn's own; yours to tune
)
python chatlearn/entrypoint.py grpo --config-file template/grpo_megatron.yaml "${args[@]}"
