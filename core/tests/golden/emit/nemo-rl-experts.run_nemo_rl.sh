# GSPO of Qwen3 30B A3B on 16 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

export TORCH_CUDA_ARCH_LIST="${TORCH_CUDA_ARCH_LIST:-9.0}"  # NeMo-RL's container sets it; its Megatron asks for it

args=(
  # Cluster
  cluster.num_nodes=2  # from your question
  cluster.gpus_per_node=8  # from your question
  policy.generation.colocated.enabled=True  # every role and engine on the same GPUs, one phase after another

  # Model
  policy.model_name=Qwen/Qwen3-30B-A3B  # the model on Hugging Face, or a folder with it
  policy.max_total_sequence_length=4096  # tokens of prompt and response, from your question
  data.max_input_seq_length=1024  # tokens of a prompt, from your question
  policy.generation.max_new_tokens=3072  # tokens of a response, from your question

  # Batch
  grpo.num_prompts_per_step=512  # prompts of a step; 8,192 sequences in all
  grpo.num_generations_per_prompt=16  # responses per prompt, from your question
  policy.train_global_batch_size=2048  # sequences, not prompts; 4 updates a step

  # What one forward pass takes on one GPU
  policy.train_micro_batch_size=1  # the budget below counts
  policy.logprob_batch_size=1  # the budget below counts
  policy.sequence_packing.enabled=True  # packs short sequences together up to a budget
  policy.sequence_packing.train_mb_tokens=16384  # tokens, which 2 GPUs share, from the plan
  policy.sequence_packing.logprob_mb_tokens=32768  # forward only: twice the actor's
  policy.make_sequence_length_divisible_by=8  # 2 × CP × TP: each sequence is split evenly

  # Layout: 16 GPUs = TP 2 × PP 2 × CP 2 × DP 2, experts EP 4
  policy.dtensor_cfg.enabled=False  # the other backend
  policy.megatron_cfg.enabled=True  # Megatron-Core, from the plan
  policy.megatron_cfg.tensor_model_parallel_size=2  # 2 GPUs of one NVLink domain split each matrix; divides 32 heads
  policy.megatron_cfg.pipeline_model_parallel_size=2  # 24 of 48 layers per stage
  policy.megatron_cfg.context_parallel_size=2  # 2 GPUs split each sequence
  policy.megatron_cfg.expert_model_parallel_size=4  # 32 of 128 experts on each GPU of a group
  policy.megatron_cfg.expert_tensor_parallel_size=1  # experts stay whole: EP before ETP
  policy.megatron_cfg.sequence_parallel=True  # norms are split over TP too
  policy.megatron_cfg.distributed_data_parallel_config.overlap_grad_reduce=True  # gradients, with the backward pass
  policy.megatron_cfg.distributed_data_parallel_config.overlap_param_gather=True  # parameters, with the forward pass
  policy.megatron_cfg.moe_token_dispatcher_type=flex  # tokens travel to their experts
  policy.megatron_cfg.moe_enable_deepep=True  # DeepEP sends tokens to their experts, from the plan

  # Memory and precision
  policy.precision=bfloat16  # precision of your question
  policy.megatron_cfg.activation_checkpointing=True  # computes activations again
  policy.megatron_cfg.recompute_granularity=selective  # less to compute again than whole layers
  policy.megatron_cfg.recompute_modules='["moe_act","layernorm"]'  # large in memory, quick to compute again
  policy.megatron_cfg.optimizer.optimizer_cpu_offload=False  # the optimizer steps on the GPUs
  policy.megatron_cfg.distributed_data_parallel_config.grad_reduce_in_fp32=True  # gradients take 4 bytes

  # Generation: 2 engines
  policy.generation.vllm_cfg.tensor_parallel_size=2  # 2 GPUs hold the weights and their cache
  policy.generation.vllm_cfg.expert_parallel_size=8  # GPUs that share an engine's experts: 4 copies of its attention
  policy.generation.vllm_cfg.gpu_memory_utilization=0.60  # share of the card that an engine takes
  policy.generation.vllm_cfg.enforce_eager=False  # CUDA graphs: quicker decoding
  ++policy.generation.vllm_kwargs.max_num_seqs=256  # 256 sequences at a time on one engine
  ++policy.generation.vllm_kwargs.max_num_batched_tokens=8192  # tokens of one engine step, from the plan

  # Algorithm
  grpo.adv_estimator.name=grpo  # advantages from the responses of one prompt, no critic
  grpo.normalize_rewards=True  # in standard deviations of the prompt's scores
  grpo.use_leave_one_out_baseline=False  # the mean is of all responses of the prompt
  loss_fn.reference_policy_kl_penalty=0  # no reference policy to compute
  loss_fn.token_level_loss=False  # GSPO: every response counts alike
  loss_fn.sequence_level_importance_ratios=True  # one ratio for each response
  loss_fn.ratio_clip_min=0.0003  # GSPO clips closer to 1: a response's ratio varies less than a token's
  loss_fn.ratio_clip_max=0.0004  # GSPO clips closer to 1: a response's ratio varies less than a token's

  # Optimizer
  policy.megatron_cfg.optimizer.optimizer=adam  # as the plan has it
  policy.megatron_cfg.optimizer.lr=1e-6  # a start; yours to tune
  policy.megatron_cfg.optimizer.min_lr=1e-6  # the rate stays
  policy.megatron_cfg.scheduler.lr_warmup_init=0.0  # where the warm-up starts

  # Data and run
  data.train.dataset_name=OpenMathInstruct-2  # change this to your data
  grpo.max_num_steps=100  # steps, assumed, as in the estimate: your question states none; yours to choose
  checkpointing.checkpoint_dir="$HOME/checkpoints/shardwise"  # change this to your folder
  checkpointing.save_period=20  # 20 steps
)
# Start Ray first: ray start --head on one node, ray start --address on the others.
# From the root of NeMo-RL's checkout, commit 7ea279a.
uv run examples/run_grpo.py --config examples/configs/grpo_math_1B.yaml "${args[@]}"
