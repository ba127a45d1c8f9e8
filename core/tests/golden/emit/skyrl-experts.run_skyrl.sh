# GSPO of Qwen3 30B A3B on 16 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: the estimate reduces gradients and gathers weights beside computation; SkyRL's Megatron does each by itself. Set overlap to false to see it.

args=(
  # Cluster
  trainer.placement.colocate_all=True  # every role and engine on the same GPUs, one phase after another
  trainer.placement.policy_num_nodes=2  # nodes that train
  trainer.placement.policy_num_gpus_per_node=8  # GPUs of each

  # Model
  trainer.policy.model.path=Qwen/Qwen3-30B-A3B  # the model on Hugging Face, or a folder with it

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

  # Layout: 16 GPUs = TP 2 × PP 2 × CP 2 × DP 2, experts EP 4
  trainer.strategy=megatron  # Megatron-Core, from the plan
  trainer.policy.megatron_config.tensor_model_parallel_size=2  # 2 GPUs of one NVLink domain split each matrix; divides 32 heads
  trainer.policy.megatron_config.pipeline_model_parallel_size=2  # 24 of 48 layers per stage
  trainer.policy.megatron_config.context_parallel_size=2  # 2 GPUs split each sequence
  trainer.policy.megatron_config.expert_model_parallel_size=4  # 32 of 128 experts on each GPU of a group
  trainer.policy.megatron_config.expert_tensor_parallel_size=1  # experts stay whole: EP before ETP
  trainer.policy.megatron_config.moe_token_dispatcher_type=flex  # tokens travel to their experts
  trainer.policy.megatron_config.transformer_config_kwargs.moe_enable_deepep=True  # DeepEP sends tokens to their experts, from the plan

  # Memory and precision
  trainer.gradient_checkpointing=True  # computes activations again
  trainer.policy.optimizer_config.offload_after_step=True  # it waits in host memory while engines generate
  trainer.policy.megatron_config.transformer_config_kwargs.recompute_granularity=selective  # less to compute again than whole layers
  trainer.policy.megatron_config.transformer_config_kwargs.recompute_modules='["moe_act","layernorm"]'  # large in memory, quick to compute again
  trainer.policy.megatron_config.transformer_config_kwargs.recompute_method=null  # modules are chosen, not layers
  trainer.policy.megatron_config.transformer_config_kwargs.recompute_num_layers=null  # modules are chosen, not layers
  trainer.policy.megatron_config.optimizer_config_kwargs.optimizer_cpu_offload=False  # the optimizer steps on the GPUs
  trainer.policy.megatron_config.ddp_config.grad_reduce_in_fp32=True  # gradients take 4 bytes

  # Generation: 2 engines
  generator.inference_engine.num_engines=2  # engines on the GPUs that generate
  generator.inference_engine.tensor_parallel_size=2  # 2 GPUs hold the weights and their cache
  generator.inference_engine.data_parallel_size=4  # copies of the attention in an engine
  generator.inference_engine.expert_parallel_size=8  # GPUs that share an engine's experts
  generator.inference_engine.gpu_memory_utilization=0.60  # share of the card that an engine takes
  generator.inference_engine.max_num_batched_tokens=8192  # tokens of one engine step, from the plan
  generator.inference_engine.max_num_seqs=256  # 256 sequences at a time on one engine
  generator.inference_engine.enforce_eager=False  # CUDA graphs: quicker decoding

  # Algorithm
  trainer.algorithm.advantage_estimator=grpo  # advantages from the responses of one prompt, no critic
  trainer.algorithm.grpo_norm_by_std=True  # in standard deviations of the prompt's scores
  trainer.algorithm.use_kl_loss=False  # no reference policy to compute
  trainer.algorithm.policy_loss_type=gspo  # one ratio for each response
  trainer.algorithm.eps_clip_low=0.0003  # GSPO clips closer to 1: a response's ratio varies less than a token's
  trainer.algorithm.eps_clip_high=0.0004  # GSPO clips closer to 1: a response's ratio varies less than a token's
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
uv run --isolated --extra megatron -m skyrl.train.entrypoints.main_base "${args[@]}"
