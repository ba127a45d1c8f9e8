# GRPO of Qwen3 8B on 24 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens, fully asynchronous
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: the estimate reduces gradients and gathers weights beside computation; SkyRL's Megatron does each by itself. Set overlap to false to see it.

args=(
  # Cluster
  trainer.placement.colocate_all=False  # generation has GPUs of its own
  trainer.placement.policy_num_nodes=2  # nodes that train
  trainer.placement.policy_num_gpus_per_node=8  # GPUs of each
  trainer.placement.ref_num_nodes=2  # as the policy's
  trainer.placement.ref_num_gpus_per_node=8  # as the policy's
  trainer.fully_async.enabled=True  # generation runs ahead of training
  trainer.fully_async.max_staleness_steps=2  # versions a sample may lag behind
  trainer.fully_async.num_parallel_generation_workers=1536  # prompts at a time: as many as that bound lets

  # Model
  trainer.policy.model.path=Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it

  # Batch
  trainer.train_batch_size=512  # prompts of a step; 8,192 sequences in all
  generator.n_samples_per_prompt=16  # responses per prompt, from your question
  trainer.policy_mini_batch_size=512  # prompts of an update; 1 update a step
  trainer.update_epochs_per_batch=1  # 1 pass over the samples
  trainer.max_prompt_length=1024  # tokens; longer prompts are left out
  generator.sampling_params.max_generate_length=3072  # tokens of a response, from your question

  # What one forward pass takes on one GPU
  trainer.max_tokens_per_microbatch=16384  # tokens, from the plan; of passes forward alone too
  trainer.remove_microbatch_padding=True  # lays the sequences of a pass side by side

  # Layout: 16 GPUs = TP 2 × DP 8
  trainer.strategy=megatron  # Megatron-Core, from the plan
  trainer.policy.megatron_config.tensor_model_parallel_size=2  # 2 GPUs of one NVLink domain split each matrix; divides 32 heads
  trainer.policy.megatron_config.pipeline_model_parallel_size=1  # no pipeline, no bubble
  trainer.policy.megatron_config.context_parallel_size=1  # no sequence is split
  trainer.ref.megatron_config.tensor_model_parallel_size=2  # 2 GPUs of one NVLink domain split each matrix; divides 32 heads
  trainer.ref.megatron_config.pipeline_model_parallel_size=1  # no pipeline, no bubble
  trainer.ref.megatron_config.context_parallel_size=1  # no sequence is split

  # Memory and precision
  trainer.gradient_checkpointing=True  # computes activations again
  trainer.policy.optimizer_config.offload_after_step=False  # it stays on the GPUs
  trainer.policy.megatron_config.transformer_config_kwargs.recompute_granularity=full  # each layer again from its input: least memory
  trainer.policy.megatron_config.transformer_config_kwargs.recompute_method=uniform  # every layer alike
  trainer.policy.megatron_config.transformer_config_kwargs.recompute_num_layers=1  # one layer at a time
  trainer.policy.megatron_config.optimizer_config_kwargs.optimizer_cpu_offload=False  # the optimizer steps on the GPUs
  trainer.policy.megatron_config.ddp_config.grad_reduce_in_fp32=False  # gradients take 2 bytes
  trainer.fused_lm_head_logprob=True  # the loss without the logits, from the plan

  # Generation: 4 engines
  generator.inference_engine.num_engines=4  # engines on the GPUs that generate
  generator.inference_engine.tensor_parallel_size=2  # 2 GPUs hold the weights and their cache
  generator.inference_engine.gpu_memory_utilization=0.60  # share of the card that an engine takes
  generator.inference_engine.max_num_batched_tokens=8192  # tokens of one engine step, from the plan
  generator.inference_engine.max_num_seqs=256  # 256 sequences at a time on one engine
  generator.inference_engine.enforce_eager=False  # CUDA graphs: quicker decoding

  # Algorithm
  trainer.algorithm.advantage_estimator=grpo  # advantages from the responses of one prompt, no critic
  trainer.algorithm.grpo_norm_by_std=True  # in standard deviations of the prompt's scores
  trainer.algorithm.use_kl_loss=True  # keeps the policy near the reference, from your question
  trainer.algorithm.kl_loss_coef=0.001  # keeps the policy near the reference; yours to tune
  trainer.algorithm.policy_loss_type=rollout_is  # ratios to the engine's own probabilities: no old ones are computed
  trainer.algorithm.loss_reduction=sequence_mean  # every response counts alike

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
# Start Ray first: ray start --head on one node, ray start --address on the others.
# From the root of SkyRL's checkout, tag skyrl-v0.3.0.
uv run --isolated --extra megatron -m examples.train.fully_async.main_fully_async "${args[@]}"
