# RLOO of Qwen3 8B with LoRA of rank 32 on 8 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1
# Warning: the estimate counts 2 bytes of master weights per parameter; NeMo-RL keeps 4.

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
  policy.train_micro_batch_size=4  # sequences of one forward pass on one GPU
  policy.logprob_batch_size=16  # forward only: its own, from the plan
  policy.sequence_packing.enabled=False  # sequences are padded
  policy.dynamic_batching.enabled=False  # so many sequences each
  policy.make_sequence_length_divisible_by=2  # TP splits each sequence evenly

  # Layout: 8 GPUs = TP 2 × DP 4
  policy.dtensor_cfg.enabled=True  # FSDP2, from the plan
  policy.megatron_cfg.enabled=False  # the other backend
  policy.dtensor_cfg.tensor_parallel_size=2  # 2 GPUs split each matrix; divides 32 heads
  policy.dtensor_cfg.context_parallel_size=1  # no sequence is split
  policy.dtensor_cfg.sequence_parallel=True  # norms are split over TP too
  policy.dtensor_cfg.activation_checkpointing=True  # each layer again from its input: far fewer activations
  policy.dtensor_cfg.cpu_offload=False  # what trains is on the GPUs while it does

  # Memory and precision
  policy.precision=bfloat16  # precision of your question

  # Adapters
  policy.dtensor_cfg.lora_cfg.enabled=True  # adapters alone train
  policy.dtensor_cfg.lora_cfg.dim=32  # from your question
  policy.dtensor_cfg.lora_cfg.alpha=64  # twice the rank, a usual choice
  policy.dtensor_cfg.lora_cfg.match_all_linear=False  # from your question
  policy.dtensor_cfg.lora_cfg.target_modules='["q_proj","k_proj","v_proj","o_proj"]'  # from your question
  policy.dtensor_cfg.lora_cfg.use_triton=False  # its kernels know no tensor parallelism

  # Generation: 4 engines
  policy.generation.vllm_cfg.tensor_parallel_size=2  # 2 GPUs hold the weights and their cache
  policy.generation.vllm_cfg.gpu_memory_utilization=0.60  # share of the card that an engine takes
  policy.generation.vllm_cfg.enforce_eager=False  # CUDA graphs: quicker decoding
  ++policy.generation.vllm_kwargs.max_num_seqs=256  # 256 sequences at a time on one engine
  ++policy.generation.vllm_kwargs.max_num_batched_tokens=8192  # tokens of one engine step, from the plan

  # Algorithm
  grpo.adv_estimator.name=grpo  # each response against the prompt's others, no critic
  grpo.normalize_rewards=False  # scores keep their spread
  grpo.use_leave_one_out_baseline=True  # the mean is of the prompt's other responses
  loss_fn.disable_ppo_ratio=True  # REINFORCE's loss: no ratio, no clip
  loss_fn.reference_policy_kl_penalty=0.001  # keeps the policy near the reference; yours to tune
  loss_fn.token_level_loss=False  # RLOO: every response counts alike

  # Optimizer
  policy.optimizer.name=torch.optim.AdamW  # as the plan has it
  policy.optimizer.kwargs.lr=1e-5  # a start; yours to tune

  # Data and run
  data.train.dataset_name=OpenMathInstruct-2  # change this to your data
  grpo.max_num_steps=100  # steps, assumed, as in the estimate: your question states none; yours to choose
  checkpointing.checkpoint_dir="$HOME/checkpoints/shardwise"  # change this to your folder
  checkpointing.save_period=20  # 20 steps
)
# From the root of NeMo-RL's checkout, commit 7ea279a.
uv run examples/run_grpo.py --config examples/configs/grpo_math_1B.yaml "${args[@]}"
