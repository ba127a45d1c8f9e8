# Full fine-tuning of Qwen3 8B on 8 × NVIDIA H100 SXM5 80GB: 128 sequences of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: the estimate has FlashAttention-3's speed, and this text does not ask for it. Set attention_kernel to flash3 where it is installed, or to flash2 for that one's figures.

args=(
  # Cluster
  cluster.num_nodes=1  # from your question
  cluster.gpus_per_node=8  # from your question

  # Model
  policy.model_name=Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
  policy.max_total_sequence_length=4096  # tokens, from your question

  # Batch
  policy.train_global_batch_size=128  # sequences of a step, from your question
  sft.val_global_batch_size=128  # ranks share a batch of the validation evenly, too

  # What one forward pass takes on one GPU
  policy.train_micro_batch_size=1  # the budget below counts
  policy.sequence_packing.enabled=True  # packs short sequences together up to a budget
  policy.sequence_packing.train_mb_tokens=16384  # tokens, from the plan
  policy.make_sequence_length_divisible_by=1  # no sequence is split

  # Layout: 8 GPUs = DP 8
  policy.dtensor_cfg.enabled=True  # FSDP2, from the plan
  policy.megatron_cfg.enabled=False  # the other backend
  policy.dtensor_cfg.tensor_parallel_size=1  # no matrix is split
  policy.dtensor_cfg.context_parallel_size=1  # no sequence is split
  policy.dtensor_cfg.sequence_parallel=False  # norms are not split over TP
  policy.dtensor_cfg.activation_checkpointing=True  # each layer again from its input: far fewer activations
  policy.dtensor_cfg.cpu_offload=True  # weights, gradients and optimizer live in host memory

  # Memory and precision
  policy.precision=bfloat16  # precision of your question

  # Optimizer
  policy.optimizer.name=torch.optim.AdamW  # as the plan has it
  policy.optimizer.kwargs.lr=1e-5  # a start; yours to tune

  # Data and run
  data.train.dataset_name=squad  # change this to your data
  sft.max_num_steps=300  # 157,000,000 tokens, from your question
  logger.wandb_enabled=False  # True asks for an account with Weights & Biases
  checkpointing.checkpoint_dir="$HOME/checkpoints/shardwise"  # change this to your folder
  checkpointing.save_period=20  # 20 steps
)
# From the root of NeMo-RL's checkout, commit 7ea279a.
uv run examples/run_sft.py --config examples/configs/sft.yaml "${args[@]}"
