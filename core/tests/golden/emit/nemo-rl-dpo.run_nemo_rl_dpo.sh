# DPO of Llama 3.1 8B on 8 × NVIDIA H100 SXM5 80GB: 128 pairs of 4,096 tokens a step
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

args=(
  # Cluster
  cluster.num_nodes=1  # from your question
  cluster.gpus_per_node=8  # from your question

  # Model
  policy.model_name=meta-llama/Llama-3.1-8B  # the model on Hugging Face, or a folder with it
  policy.tokenizer.name=meta-llama/Llama-3.1-8B-Instruct  # it has a chat template; meta-llama/Llama-3.1-8B is the base model, whose tokenizer may have none
  policy.max_total_sequence_length=4096  # tokens, from your question

  # Batch
  policy.train_global_batch_size=128  # pairs of a step, from your question
  dpo.val_global_batch_size=128  # ranks share a batch of the validation evenly, too

  # What one forward pass takes on one GPU
  policy.train_micro_batch_size=2  # pairs of one forward pass on one GPU: twice as many sequences
  policy.sequence_packing.enabled=False  # sequences are padded
  policy.dynamic_batching.enabled=False  # so many sequences each
  policy.make_sequence_length_divisible_by=2  # TP splits each sequence evenly

  # Layout: 8 GPUs = TP 2 × DP 4
  policy.dtensor_cfg.enabled=True  # FSDP2, from the plan
  policy.megatron_cfg.enabled=False  # the other backend
  ++policy.dtensor_cfg._v2=True  # the newer of its two workers, as in its other configurations
  policy.dtensor_cfg.tensor_parallel_size=2  # 2 GPUs split each matrix; divides 32 heads
  policy.dtensor_cfg.context_parallel_size=1  # no sequence is split
  policy.dtensor_cfg.sequence_parallel=True  # norms are split over TP too
  policy.dtensor_cfg.activation_checkpointing=True  # each layer again from its input: far fewer activations
  policy.dtensor_cfg.cpu_offload=False  # weights, gradients and optimizer stay on the GPUs

  # Memory and precision
  policy.precision=bfloat16  # precision of your question

  # Optimizer
  policy.optimizer.name=torch.optim.AdamW  # as the plan has it
  policy.optimizer.kwargs.lr=1e-6  # a start; yours to tune

  # Data and run
  data.train.dataset_name=HelpSteer3  # change this to your data
  dpo.max_num_steps=1000  # steps; yours to choose
  logger.wandb_enabled=False  # True asks for an account with Weights & Biases
  dpo.reference_policy_kl_penalty=0.1  # how strongly the policy is held to the reference; yours to tune
  checkpointing.checkpoint_dir="$HOME/checkpoints/shardwise"  # change this to your folder
  checkpointing.save_period=20  # 20 steps
)
# From the root of NeMo-RL's checkout, commit 7ea279a.
uv run examples/run_dpo.py --config examples/configs/dpo.yaml "${args[@]}"
