# GRPO of Qwen3 8B on 8 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

args=(
  # Cluster
  trainer.placement.colocate_all=True  # every role and engine on the same GPUs, one phase after another
  trainer.placement.policy_num_nodes=1  # nodes that train
  trainer.placement.policy_num_gpus_per_node=8  # GPUs of each
  trainer.placement.ref_num_nodes=1  # as the policy's
  trainer.placement.ref_num_gpus_per_node=8  # as the policy's

  # Model
  trainer.policy.model.path=Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it

  # Batch
  trainer.train_batch_size=512  # prompts of a step; 8,192 sequences in all
  generator.n_samples_per_prompt=16  # responses per prompt, from your question
  trainer.policy_mini_batch_size=128  # prompts of an update; 4 updates a step
  trainer.update_epochs_per_batch=1  # 1 pass over the samples
  trainer.max_prompt_length=1024  # tokens; longer prompts are left out
  generator.sampling_params.max_generate_length=543  # tokens of a turn: twice the mean that the model writes

  # What one forward pass takes on one GPU
  trainer.max_tokens_per_microbatch=16384  # tokens, from the plan; of passes forward alone too
  trainer.remove_microbatch_padding=True  # lays the sequences of a pass side by side

  # Layout: 8 GPUs = DP 8
  trainer.strategy=fsdp  # FSDP2, from the plan
  trainer.policy.sequence_parallel_size=1  # no sequence is split
  trainer.policy.fsdp_config.reshard_after_forward=True  # weights are gathered again for the backward pass
  trainer.policy.fsdp_config.fsdp_size=-1  # shards over all GPUs that train
  trainer.ref.sequence_parallel_size=1  # no sequence is split
  trainer.ref.fsdp_config.reshard_after_forward=True  # weights are gathered again for the backward pass
  trainer.ref.fsdp_config.fsdp_size=-1  # shards over all GPUs that train

  # Memory and precision
  trainer.gradient_checkpointing=True  # computes activations again
  trainer.policy.optimizer_config.offload_after_step=True  # it waits in host memory while engines generate

  # Generation: 4 engines
  generator.inference_engine.num_engines=4  # engines on the GPUs that generate
  generator.inference_engine.tensor_parallel_size=2  # 2 GPUs hold the weights and their cache
  generator.inference_engine.gpu_memory_utilization=0.60  # share of the card that an engine takes
  generator.inference_engine.max_num_batched_tokens=8192  # tokens of one engine step, from the plan
  generator.inference_engine.max_num_seqs=256  # 256 sequences at a time on one engine
  generator.inference_engine.enforce_eager=False  # CUDA graphs: quicker decoding

  # Agent: turns and tools
  generator.max_turns=8  # the most turns that the model writes
  generator.max_input_length=3553  # tokens before the last turn; with it, the longest prompt and response
  environment.skyrl_gym.max_env_workers=8192  # responses under way: the estimate lets no call wait for another

  # Algorithm
  trainer.algorithm.advantage_estimator=grpo  # advantages from the responses of one prompt, no critic
  trainer.algorithm.grpo_norm_by_std=True  # in standard deviations of the prompt's scores
  trainer.algorithm.use_kl_loss=True  # keeps the policy near the reference, from your question
  trainer.algorithm.kl_loss_coef=0.001  # keeps the policy near the reference; yours to tune
  trainer.algorithm.policy_loss_type=regular  # a clipped ratio for each token
  trainer.algorithm.loss_reduction=sequence_mean  # every response counts alike

  # Optimizer
  trainer.policy.optimizer_config.lr=1e-6  # a start; yours to tune

  # Data and run
  data.train_data="['$HOME/data/train.parquet']"  # change this to your data
  environment.env_class=search  # calls a search engine, and scores the answer; change this to yours
  trainer.max_training_steps=100  # steps, assumed, as in the estimate: your question states none; yours to choose
  trainer.epochs=100  # passes over the data at most: the steps end the run
  trainer.eval_interval=-1  # a number of steps asks for data.val_data
  trainer.logger=console  # wandb asks for an account with Weights & Biases
  trainer.ckpt_path="$HOME/checkpoints/shardwise"  # change this to your folder
  trainer.ckpt_interval=20  # 20 steps
)
# From the root of SkyRL's checkout, tag skyrl-v0.3.0.
uv run --isolated --extra fsdp -m skyrl.train.entrypoints.main_base "${args[@]}"
