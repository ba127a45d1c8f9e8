# GRPO of Qwen3 8B on 16 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens, fully asynchronous
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

args=(
  # Cluster
  cluster.num_nodes=2  # from your question
  cluster.gpus_per_node=8  # from your question
  policy.generation.colocated.enabled=False  # generation has GPUs of its own
  policy.generation.colocated.resources.gpus_per_node=8  # GPUs of each that generate
  policy.generation.colocated.resources.num_nodes=1  # nodes that generate
  grpo.async_grpo.enabled=True  # generation runs ahead of training
  grpo.async_grpo.max_trajectory_age_steps=1  # versions a sample may lag behind
  grpo.async_grpo.in_flight_weight_updates=False  # new weights wait for every response
  policy.generation.vllm_cfg.async_engine=True  # NeMo-RL asks for it where generation runs ahead

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
  policy.make_sequence_length_divisible_by=1  # no sequence is split

  # Layout: 8 GPUs = DP 8
  policy.dtensor_cfg.enabled=True  # FSDP2, from the plan
  policy.megatron_cfg.enabled=False  # the other backend
  policy.dtensor_cfg.tensor_parallel_size=1  # no matrix is split
  policy.dtensor_cfg.context_parallel_size=1  # no sequence is split
  policy.dtensor_cfg.sequence_parallel=False  # norms are not split over TP
  policy.dtensor_cfg.activation_checkpointing=True  # each layer again from its input: far fewer activations
  policy.dtensor_cfg.cpu_offload=False  # what trains is on the GPUs while it does

  # Memory and precision
  policy.precision=bfloat16  # precision of your question

  # Generation: 4 engines
  policy.generation.vllm_cfg.tensor_parallel_size=2  # 2 GPUs hold the weights and their cache
  policy.generation.vllm_cfg.gpu_memory_utilization=0.60  # share of the card that an engine takes
  policy.generation.vllm_cfg.enforce_eager=False  # CUDA graphs: quicker decoding
  ++policy.generation.vllm_kwargs.max_num_seqs=256  # 256 sequences at a time on one engine
  ++policy.generation.vllm_kwargs.max_num_batched_tokens=8192  # tokens of one engine step, from the plan

  # Algorithm
  grpo.adv_estimator.name=grpo  # advantages from the responses of one prompt, no critic
  grpo.normalize_rewards=True  # in standard deviations of the prompt's scores
  grpo.use_leave_one_out_baseline=False  # the mean is of all responses of the prompt
  loss_fn.reference_policy_kl_penalty=0.001  # keeps the policy near the reference; yours to tune
  loss_fn.token_level_loss=False  # GRPO: every response counts alike
  loss_fn.use_importance_sampling_correction=True  # NeMo-RL asks for it where the engine's probabilities are others than the trainer's

  # Optimizer
  policy.optimizer.name=torch.optim.AdamW  # as the plan has it
  policy.optimizer.kwargs.lr=1e-6  # a start; yours to tune

  # Data and run
  data.train.dataset_name=OpenMathInstruct-2  # change this to your data
  grpo.max_num_steps=100  # steps, assumed, as in the estimate: your question states none; yours to choose
  checkpointing.checkpoint_dir="$HOME/checkpoints/shardwise"  # change this to your folder
  checkpointing.save_period=20  # 20 steps
)
# Start Ray first: ray start --head on one node, ray start --address on the others.
# From the root of NeMo-RL's checkout, commit 7ea279a.
uv run examples/run_grpo.py --config examples/configs/grpo_math_1B.yaml "${args[@]}"
