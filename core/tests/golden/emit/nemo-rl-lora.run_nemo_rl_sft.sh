# LoRA (rank 16, attention) of Moonlight 16B-A3B on 8 × NVIDIA H100 SXM5 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

export TORCH_CUDA_ARCH_LIST="${TORCH_CUDA_ARCH_LIST:-9.0}"  # NeMo-RL's container sets it; its Megatron asks for it

args=(
  # Cluster
  cluster.num_nodes=1  # from your question
  cluster.gpus_per_node=8  # from your question

  # Model
  policy.model_name=moonshotai/Moonlight-16B-A3B  # the model on Hugging Face, or a folder with it
  policy.max_total_sequence_length=4096  # tokens, from your question

  # Batch
  policy.train_global_batch_size=128  # sequences of a step, from your question
  sft.val_global_batch_size=128  # ranks share a batch of the validation evenly, too

  # What one forward pass takes on one GPU
  policy.train_micro_batch_size=1  # the budget below counts
  policy.sequence_packing.enabled=True  # packs short sequences together up to a budget
  policy.sequence_packing.train_mb_tokens=4096  # tokens of 1 sequence of the longest, from the plan
  policy.make_sequence_length_divisible_by=1  # no sequence is split

  # Layout: 8 GPUs = DP 8, experts EP 8
  policy.dtensor_cfg.enabled=False  # the other backend
  policy.megatron_cfg.enabled=True  # Megatron-Core, from the plan
  policy.megatron_cfg.tensor_model_parallel_size=1  # no matrix is split
  policy.megatron_cfg.pipeline_model_parallel_size=1  # no pipeline, no bubble
  policy.megatron_cfg.context_parallel_size=1  # no sequence is split
  policy.megatron_cfg.expert_model_parallel_size=8  # 8 of 64 experts on each GPU of a group
  policy.megatron_cfg.expert_tensor_parallel_size=1  # experts stay whole: EP before ETP
  policy.megatron_cfg.sequence_parallel=False  # only with TP
  policy.megatron_cfg.distributed_data_parallel_config.overlap_grad_reduce=True  # gradients, with the backward pass
  policy.megatron_cfg.distributed_data_parallel_config.overlap_param_gather=True  # parameters, with the forward pass

  # Memory and precision
  policy.precision=bfloat16  # precision of your question
  policy.megatron_cfg.activation_checkpointing=False  # off: the activations fit
  policy.megatron_cfg.optimizer.optimizer_cpu_offload=False  # the optimizer steps on the GPUs
  policy.megatron_cfg.distributed_data_parallel_config.grad_reduce_in_fp32=True  # gradients take 4 bytes

  # Adapters
  policy.megatron_cfg.peft.enabled=True  # adapters alone train
  policy.megatron_cfg.peft.dim=16  # from your question
  policy.megatron_cfg.peft.alpha=32  # twice the rank, a usual choice
  policy.megatron_cfg.peft.target_modules='["linear_q_proj","linear_q_down_proj","linear_q_up_proj","linear_kv_down_proj","linear_kv_up_proj","linear_proj"]'  # from your question

  # Optimizer
  policy.megatron_cfg.optimizer.optimizer=adam  # as the plan has it
  policy.megatron_cfg.optimizer.lr=1e-4  # a start; yours to tune
  policy.megatron_cfg.optimizer.min_lr=1e-4  # the rate stays
  policy.megatron_cfg.scheduler.lr_warmup_init=0.0  # where the warm-up starts

  # Data and run
  data.train.dataset_name=squad  # change this to your data
  sft.max_num_steps=1000  # steps; yours to choose
  logger.wandb_enabled=False  # True asks for an account with Weights & Biases
  checkpointing.checkpoint_dir="$HOME/checkpoints/shardwise"  # change this to your folder
  checkpointing.save_period=20  # 20 steps
)
# From the root of NeMo-RL's checkout, commit 7ea279a.
uv run examples/run_sft.py --config examples/configs/sft.yaml "${args[@]}"
