# DAPO of Qwen3 8B on 8 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens, generation and training on GPUs of their own
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

args=(
  # Cluster
  cluster.num_nodes=1  # from your question
  cluster.gpus_per_node=8  # from your question
  policy.generation.colocated.enabled=False  # generation has GPUs of its own
  policy.generation.colocated.resources.gpus_per_node=4  # GPUs of each that generate
  policy.generation.colocated.resources.num_nodes=1  # nodes that generate

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
  policy.sequence_packing.enabled=False  # sequences are padded
  policy.dynamic_batching.enabled=True  # sequences of like lengths together, up to a budget
  policy.dynamic_batching.train_mb_tokens=16384  # tokens, which 2 GPUs share, from the plan
  policy.dynamic_batching.logprob_mb_tokens=32768  # forward only: twice the actor's
  policy.make_sequence_length_divisible_by=4  # 2 × CP: each sequence is split evenly

  # Layout: 4 GPUs = CP 2 × DP 2
  policy.dtensor_cfg.enabled=True  # FSDP2, from the plan
  policy.megatron_cfg.enabled=False  # the other backend
  policy.dtensor_cfg.tensor_parallel_size=1  # no matrix is split
  policy.dtensor_cfg.context_parallel_size=2  # 2 GPUs split each sequence
  policy.dtensor_cfg.sequence_parallel=False  # norms are not split over TP
  policy.dtensor_cfg.activation_checkpointing=True  # each layer again from its input: far fewer activations
  policy.dtensor_cfg.cpu_offload=False  # what trains is on the GPUs while it does

  # Memory and precision
  policy.precision=bfloat16  # precision of your question

  # Generation: 2 engines
  policy.generation.vllm_cfg.tensor_parallel_size=2  # 2 GPUs hold the weights and their cache
  policy.generation.vllm_cfg.gpu_memory_utilization=0.60  # share of the card that an engine takes
  policy.generation.vllm_cfg.enforce_eager=False  # CUDA graphs: quicker decoding
  ++policy.generation.vllm_kwargs.max_num_seqs=256  # 256 sequences at a time on one engine
  ++policy.generation.vllm_kwargs.max_num_batched_tokens=8192  # tokens of one engine step, from the plan

  # Algorithm
  grpo.adv_estimator.name=grpo  # advantages from the responses of one prompt, no critic
  grpo.normalize_rewards=True  # in standard deviations of the prompt's scores
  grpo.use_leave_one_out_baseline=False  # the mean is of all responses of the prompt
  loss_fn.reference_policy_kl_penalty=0  # no reference policy to compute
  loss_fn.token_level_loss=True  # DAPO: every token counts alike
  loss_fn.ratio_clip_min=0.2  # DAPO clips higher above, to keep exploring
  loss_fn.ratio_clip_max=0.28  # DAPO clips higher above, to keep exploring
  loss_fn.ratio_clip_c=10.0  # DAPO's bound of the dual clip
  grpo.use_dynamic_sampling=True  # drops prompts whose responses all score alike; the estimate generates 2.30 for each that stays
  grpo.batch_multiplier=1.5  # 768 prompts sampled at a time, from your question

  # Optimizer
  policy.optimizer.name=torch.optim.AdamW  # as the plan has it
  policy.optimizer.kwargs.lr=1e-6  # a start; yours to tune

  # Data and run
  data.train.dataset_name=OpenMathInstruct-2  # change this to your data
  grpo.max_num_steps=100  # steps, assumed, as in the estimate: your question states none; yours to choose
  checkpointing.checkpoint_dir="$HOME/checkpoints/shardwise"  # change this to your folder
  checkpointing.save_period=20  # 20 steps
)
# From the root of NeMo-RL's checkout, commit 7ea279a.
uv run examples/run_grpo.py --config examples/configs/grpo_math_1B.yaml "${args[@]}"
