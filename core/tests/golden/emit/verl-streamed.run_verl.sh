# GRPO of Qwen3 8B on 16 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens, fully asynchronous
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

: "${MASTER_ADDR:?address of the first node}" "${NODE_RANK:?0 on the first node, 1 on the other}"  # run it on each of the 2 nodes, with MASTER_ADDR the first one's address and NODE_RANK its own number, from 0 to 1
if [ "$NODE_RANK" != 0 ]; then  # all but the first node
  until ray health-check --address "$MASTER_ADDR:6379" 2>/dev/null; do sleep 5; done  # wait for the first
  ray start --address="$MASTER_ADDR:6379" --block  # lend it their GPUs until it stops
  exit  # and do nothing else
fi
ray start --head --port=6379  # the first node leads
trap 'ray stop' EXIT  # its end is that of all
python3 -c 'import ray, time; ray.init(); [time.sleep(5) for _ in iter(lambda: ray.cluster_resources().get("GPU", 0) < 16, False)]'  # waits for all 16 GPUs: the trainer does not

args=(
  # Batch
  data.train_batch_size=0  # samples come one by one; async_training says how many a step trains on
  data.gen_batch_size=1  # each prompt goes to an engine by itself
  actor_rollout_ref.rollout.n=16  # responses per prompt, from your question
  actor_rollout_ref.actor.ppo_mini_batch_size=128  # prompts, not sequences; 4 updates a step
  actor_rollout_ref.actor.ppo_epochs=1  # 1 pass over the samples
  data.max_prompt_length=1024  # from your question
  data.max_response_length=3072  # from your question
  data.filter_overlong_prompts=True  # a longer prompt would stop the run
  data.train_files="$HOME/data/train.parquet"  # change this to your data
  data.val_files="$HOME/data/test.parquet"  # change this to your data

  # Model
  actor_rollout_ref.model.path=Qwen/Qwen3-8B  # the model on Hugging Face, or a folder with it
  actor_rollout_ref.model.use_remove_padding=True  # packs sequences, no padding tokens
  actor_rollout_ref.model.enable_gradient_checkpointing=True  # each layer again from its input: a third more computing, far fewer activations
  actor_rollout_ref.model.use_fused_kernels=False  # the estimate holds the logits in memory

  # Layout of the actor: 8 GPUs = DP 8
  actor_rollout_ref.actor.strategy=fsdp2  # the reference follows
  actor_rollout_ref.actor.fsdp_config.fsdp_size=-1  # shards over all 8 GPUs
  actor_rollout_ref.actor.fsdp_config.reshard_after_forward=True  # ZeRO-3: each layer's weights are gathered when needed
  actor_rollout_ref.actor.fsdp_config.ulysses_sequence_parallel_size=1  # sequences stay whole
  actor_rollout_ref.actor.fsdp_config.model_dtype=fp32  # fp32 shards are the master weights
  actor_rollout_ref.actor.fsdp_config.param_offload=False  # weights and gradients stay on the GPUs: moving them takes time
  actor_rollout_ref.actor.fsdp_config.optimizer_offload=False  # optimizer states stay on the GPUs: moving them takes time
  actor_rollout_ref.actor.optim.lr=1e-6  # a start; yours to tune

  # What one forward pass takes on one GPU
  actor_rollout_ref.actor.use_dynamic_bsz=True  # packs short sequences together up to a budget
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384  # tokens; above the guide's floor of 2 × 4,096 = 8,192
  actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=True  # must be the actor's
  actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu=32768  # forward only: twice the actor's

  # Reference policy: 8 GPUs = DP 8
  actor_rollout_ref.ref.fsdp_config.ulysses_sequence_parallel_size=1  # FSDP2 keeps the reference's weights in host memory by itself
  actor_rollout_ref.ref.fsdp_config.fsdp_size=-1  # as in the plan
  actor_rollout_ref.ref.log_prob_use_dynamic_bsz=True  # as the actor
  actor_rollout_ref.ref.log_prob_max_token_len_per_gpu=32768  # forward only: twice the actor's

  # Rollout: 4 engines
  actor_rollout_ref.rollout.name=vllm  # from the plan
  actor_rollout_ref.rollout.tensor_model_parallel_size=2  # 2 GPUs hold the weights and their cache
  actor_rollout_ref.rollout.gpu_memory_utilization=0.60  # share of the card for weights and KV cache
  actor_rollout_ref.rollout.max_num_seqs=256  # decoded together; each engine gets 2,048 sequences a step
  actor_rollout_ref.rollout.max_num_batched_tokens=8192  # above the guide's 2,048
  actor_rollout_ref.rollout.enable_chunked_prefill=True  # long prompts share engine steps with what is decoded
  actor_rollout_ref.rollout.max_model_len=4096  # prompt and response; the cache plans for no longer ones
  actor_rollout_ref.rollout.free_cache_engine=True  # hands the KV cache back for training
  actor_rollout_ref.rollout.enforce_eager=False  # CUDA graphs: quicker decoding
  actor_rollout_ref.rollout.disable_log_stats=False  # the engine's log shows how full its cache and its batch are

  # Rewards by rules
  reward.custom_reward_function.path=null  # veRL's own rule for each row's data_source: openai/gsm8k, lighteval/MATH, DigitalLearningGmbH/MATH-lighteval, math_dapo, aime*, numina_*, codecontests, apps, codeforces, taco, hiyouga/geometry3k and searchR1_*. For any other, the path of a Python file of yours
  reward.custom_reward_function.name=compute_score  # the function in that file: of data_source, solution_str, ground_truth and extra_info

  # Algorithm
  algorithm.adv_estimator=grpo  # advantages from the responses of one prompt, no critic
  algorithm.use_kl_in_reward=False  # no penalty in the reward
  actor_rollout_ref.actor.use_kl_loss=True  # keeps the policy near the reference, from your question
  actor_rollout_ref.actor.kl_loss_coef=0.001  # veRL's default; yours to tune
  actor_rollout_ref.actor.kl_loss_type=low_var_kl  # the unbiased estimate with low variance
  algorithm.rollout_correction.bypass_mode=False  # computes the old log-probabilities; this trainer's default leaves them out

  # Generation that runs ahead
  rollout.nnodes=1  # nodes that generate
  rollout.n_gpus_per_node=8  # GPUs of each that generate
  rollout.total_rollout_steps=null  # every prompt of your data; this trainer's default stops after 100
  async_training.staleness_threshold=0.1  # of a step's samples so much more may be under way, from your question
  async_training.require_batches=1  # a mini-batch trains as soon as it is there
  async_training.trigger_parameter_sync_step=4  # 4 updates: new weights after 512 prompts
  async_training.partial_rollout=True  # unfinished responses go on with new weights
  async_training.concurrent_samples_per_replica=16  # prompts under way on an engine: as many as max_num_seqs decodes together

  # Cluster and run
  trainer.n_gpus_per_node=8  # from your question
  trainer.nnodes=1  # from your question
  actor_rollout_ref.hybrid_engine=False  # no engine on the GPUs that train
  actor_rollout_ref.rollout.checkpoint_engine.backend=nccl  # sends the weights between the pools
  trainer.logger='["console"]'  # veRL's default also wants a wandb account
  trainer.total_epochs=1  # passes over your data; yours to choose
  trainer.save_freq=20  # steps between checkpoints, as in most of veRL's scripts; its default saves none
  trainer.test_freq=5  # steps between validations; veRL's default makes none on the way
)
python3 -m verl.experimental.fully_async_policy.fully_async_main "${args[@]}"
