# CISPO of Moonlight 16B-A3B with LoRA of rank 16 on 8 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: the estimate reduces gradients and gathers weights beside computation; SkyRL's Megatron does each by itself. Set overlap to false to see it.

args=(
  # Cluster
  trainer.placement.colocate_all=True  # every role and engine on the same GPUs, one phase after another
  trainer.placement.policy_num_nodes=1  # nodes that train
  trainer.placement.policy_num_gpus_per_node=8  # GPUs of each

  # Model
  trainer.policy.model.path=moonshotai/Moonlight-16B-A3B-Instruct  # prompts go through its chat template; moonshotai/Moonlight-16B-A3B is the base model, whose tokenizer may have none

  # Batch
  trainer.train_batch_size=512  # prompts of a step; 8,192 sequences in all
  generator.n_samples_per_prompt=16  # responses per prompt, from your question
  trainer.policy_mini_batch_size=128  # prompts of an update; 4 updates a step
  trainer.update_epochs_per_batch=1  # 1 pass over the samples
  trainer.max_prompt_length=1024  # tokens; longer prompts are left out
  generator.sampling_params.max_generate_length=3072  # tokens of a response, from your question

  # What one forward pass takes on one GPU
  trainer.max_tokens_per_microbatch=16384  # tokens, from the plan; of passes forward alone too
  trainer.remove_microbatch_padding=True  # lays the sequences of a pass side by side

  # Layout: 8 GPUs = PP 2 × DP 4, experts EP 4
  trainer.strategy=megatron  # Megatron-Core, from the plan
  trainer.policy.megatron_config.tensor_model_parallel_size=1  # no matrix is split
  trainer.policy.megatron_config.pipeline_model_parallel_size=2  # 14 of 27 layers on the fullest stage
  trainer.policy.megatron_config.context_parallel_size=1  # no sequence is split
  trainer.policy.megatron_config.expert_model_parallel_size=4  # 16 of 64 experts on each GPU of a group
  trainer.policy.megatron_config.expert_tensor_parallel_size=1  # experts stay whole: EP before ETP
  trainer.policy.megatron_config.transformer_config_kwargs.num_layers_in_last_pipeline_stage=13  # 27 layers do not split evenly into 2 stages

  # Memory and precision
  trainer.gradient_checkpointing=False  # off: the activations fit
  trainer.policy.optimizer_config.offload_after_step=True  # it waits in host memory while engines generate
  trainer.policy.megatron_config.optimizer_config_kwargs.optimizer_cpu_offload=False  # the optimizer steps on the GPUs
  trainer.policy.megatron_config.ddp_config.grad_reduce_in_fp32=True  # gradients take 4 bytes
  trainer.policy.megatron_config.transformer_config_kwargs.apply_rope_fusion=False  # off, as the plan says
  trainer.flash_attn=False  # from the plan

  # Adapters
  trainer.policy.model.lora.rank=16  # from your question
  trainer.policy.model.lora.alpha=32  # twice the rank, a usual choice
  trainer.policy.model.lora.target_modules='["linear_q_proj","linear_q_down_proj","linear_q_up_proj","linear_kv_down_proj","linear_kv_up_proj","linear_proj"]'  # from your question

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
  trainer.algorithm.use_kl_loss=False  # no reference policy to compute
  trainer.algorithm.policy_loss_type=cispo  # clipped ratios as weights, through which no gradient flows
  trainer.algorithm.cispo.cispo_eps_clip_low=10.0  # CISPO clips weights above alone
  trainer.algorithm.cispo.cispo_eps_clip_high=0.2  # CISPO clips weights above alone
  trainer.algorithm.loss_reduction=token_mean  # every token counts alike

  # Optimizer
  trainer.policy.optimizer_config.lr=1e-5  # a start; yours to tune

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
uv run --isolated --extra megatron -m skyrl.train.entrypoints.main_base "${args[@]}"
