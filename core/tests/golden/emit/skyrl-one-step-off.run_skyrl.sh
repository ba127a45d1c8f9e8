# DAPO of Qwen3 8B on 8 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens, generation one step ahead
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

args=(
  # Cluster
  trainer.placement.colocate_all=False  # generation has GPUs of its own
  trainer.placement.policy_num_nodes=1  # nodes that train
  trainer.placement.policy_num_gpus_per_node=4  # GPUs of each

  # Model
  trainer.policy.model.path=Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it

  # Batch
  trainer.train_batch_size=512  # prompts of a step; 8,192 sequences in all
  generator.n_samples_per_prompt=16  # responses per prompt, from your question
  trainer.policy_mini_batch_size=128  # prompts of an update; 4 updates a step
  trainer.update_epochs_per_batch=1  # 1 pass over the samples
  trainer.max_prompt_length=1024  # tokens; longer prompts are left out
  generator.sampling_params.max_generate_length=3072  # tokens of a response, from your question

  # What one forward pass takes on one GPU
  trainer.max_tokens_per_microbatch=16384  # tokens, which 2 GPUs share, from the plan; of passes forward alone too
  trainer.remove_microbatch_padding=True  # lays the sequences of a pass side by side

  # Layout: 4 GPUs = Ulysses 2 × DP 2
  trainer.strategy=fsdp  # FSDP2, from the plan
  trainer.policy.sequence_parallel_size=2  # 2 GPUs split each sequence
  trainer.policy.fsdp_config.reshard_after_forward=False  # weights stay after the forward pass
  trainer.policy.fsdp_config.fsdp_size=2  # ranks that shard the weights

  # Memory and precision
  trainer.gradient_checkpointing=True  # computes activations again
  trainer.policy.optimizer_config.offload_after_step=False  # it stays on the GPUs

  # Generation: 2 engines
  generator.inference_engine.num_engines=2  # engines on the GPUs that generate
  generator.inference_engine.tensor_parallel_size=2  # 2 GPUs hold the weights and their cache
  generator.inference_engine.gpu_memory_utilization=0.60  # share of the card that an engine takes
  generator.inference_engine.max_num_batched_tokens=8192  # tokens of one engine step, from the plan
  generator.inference_engine.max_num_seqs=256  # 256 sequences at a time on one engine
  generator.inference_engine.enforce_eager=False  # CUDA graphs: quicker decoding

  # Algorithm
  trainer.algorithm.advantage_estimator=grpo  # advantages from the responses of one prompt, no critic
  trainer.algorithm.grpo_norm_by_std=True  # in standard deviations of the prompt's scores
  trainer.algorithm.use_kl_loss=False  # no reference policy to compute
  trainer.algorithm.policy_loss_type=dual_clip  # bounds the loss where a response did badly
  trainer.algorithm.eps_clip_low=0.2  # DAPO clips higher above, to keep exploring
  trainer.algorithm.eps_clip_high=0.28  # DAPO clips higher above, to keep exploring
  trainer.algorithm.clip_ratio_c=10.0  # DAPO's bound of the dual clip
  trainer.algorithm.loss_reduction=token_mean  # every token counts alike
  trainer.algorithm.dynamic_sampling.type=filter  # drops prompts whose responses all score alike; the estimate generates 2.30 for each that stays

  # Optimizer
  trainer.policy.optimizer_config.lr=1e-6  # a start; yours to tune

  # Data and run
  data.train_data="['$HOME/data/train.parquet']"  # change this to your data
  environment.env_class=gsm8k  # a rule for arithmetic; change this to yours
  trainer.max_training_steps=100  # steps, assumed, as in the estimate: your question states none; yours to choose
  trainer.epochs=100  # passes over the data at most: the steps end the run
  trainer.eval_interval=-1  # a number of steps asks for data.val_data
  trainer.logger=console  # wandb asks for an account with Weights & Biases
  trainer.ckpt_path="$HOME/checkpoints/shardwise"  # change this to your folder
  trainer.ckpt_interval=20  # 20 steps
)
# From the root of SkyRL's checkout, tag skyrl-v0.3.0.
uv run --isolated --extra fsdp -m examples.train.async.main_async "${args[@]}"
