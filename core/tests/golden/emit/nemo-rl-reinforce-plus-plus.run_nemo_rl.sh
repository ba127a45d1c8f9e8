# REINFORCE++ of Qwen3 8B on 8 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens, fp8
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

export TORCH_CUDA_ARCH_LIST="${TORCH_CUDA_ARCH_LIST:-9.0}"  # NeMo-RL's container sets it; its Megatron asks for it

args=(
  # Cluster
  cluster.num_nodes=1  # from your question
  cluster.gpus_per_node=8  # from your question
  policy.generation.colocated.enabled=True  # every role and engine on the same GPUs, one phase after another

  # Model
  policy.model_name=Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
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
  policy.sequence_packing.train_mb_tokens=16384  # tokens, from the plan
  policy.sequence_packing.logprob_mb_tokens=32768  # forward only: twice the actor's
  policy.make_sequence_length_divisible_by=2  # TP splits each sequence evenly

  # Layout: 8 GPUs = TP 2 × DP 4
  policy.dtensor_cfg.enabled=False  # the other backend
  policy.megatron_cfg.enabled=True  # Megatron-Core, from the plan
  policy.megatron_cfg.tensor_model_parallel_size=2  # 2 GPUs of one NVLink domain split each matrix; divides 32 heads
  policy.megatron_cfg.pipeline_model_parallel_size=1  # no pipeline, no bubble
  policy.megatron_cfg.context_parallel_size=1  # no sequence is split
  policy.megatron_cfg.sequence_parallel=True  # norms are split over TP too
  policy.megatron_cfg.distributed_data_parallel_config.overlap_grad_reduce=True  # gradients, with the backward pass
  policy.megatron_cfg.distributed_data_parallel_config.overlap_param_gather=True  # parameters, with the forward pass

  # Memory and precision
  policy.precision=bfloat16  # precision of your question
  policy.megatron_cfg.activation_checkpointing=True  # computes activations again
  policy.megatron_cfg.recompute_granularity=full  # each layer again from its input: least memory
  policy.megatron_cfg.optimizer.optimizer_cpu_offload=True  # the optimizer steps in host memory
  policy.megatron_cfg.optimizer.optimizer_offload_fraction=0.5  # share of it, from the plan
  policy.megatron_cfg.distributed_data_parallel_config.grad_reduce_in_fp32=False  # gradients take 2 bytes
  policy.megatron_cfg.fp8_cfg.enabled=True  # products in 8 bits, scaled block by block

  # Generation: 4 engines
  policy.generation.vllm_cfg.tensor_parallel_size=2  # 2 GPUs hold the weights and their cache
  policy.generation.vllm_cfg.gpu_memory_utilization=0.60  # share of the card that an engine takes
  policy.generation.vllm_cfg.enforce_eager=False  # CUDA graphs: quicker decoding
  policy.generation.vllm_cfg.precision=fp8  # the engine's weights in 8 bits, from the plan
  policy.generation.vllm_cfg.kv_cache_dtype=fp8  # half the cache for each token, from the plan
  ++policy.generation.vllm_kwargs.max_num_seqs=256  # 256 sequences at a time on one engine
  ++policy.generation.vllm_kwargs.max_num_batched_tokens=8192  # tokens of one engine step, from the plan

  # Algorithm
  grpo.adv_estimator.name=reinforce_plus_plus  # each response against the whole batch, no critic
  grpo.adv_estimator.minus_baseline=False  # nothing of the prompt's other responses
  loss_fn.reference_policy_kl_penalty=0.001  # keeps the policy near the reference; yours to tune
  loss_fn.use_kl_in_reward=True  # the penalty is in the reward
  loss_fn.token_level_loss=False  # REINFORCE++: every response counts alike
  loss_fn.use_importance_sampling_correction=True  # NeMo-RL asks for it where the engine's probabilities are others than the trainer's

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
# From the root of NeMo-RL's checkout, commit 7ea279a.
uv run examples/run_grpo.py --config examples/configs/grpo_math_1B.yaml "${args[@]}"
