# GSPO of Qwen3 30B A3B on 8 × NVIDIA H100 SXM5 80GB: 512 prompts × 16 responses, 1,024 + 3,072 tokens
# 3,670 tokens/s per GPU, needs 63.8 of 79.6 GiB (95 %: 74.9), US$0.226 per million tokens
# https://shardwise.example/#v=1

export CUDA_DEVICE_MAX_CONNECTIONS=1  # Megatron orders communication and computation by it

args=(
  # Batch
  data.train_batch_size=512  # 512 prompts × 16 = 8,192 sequences a step
  actor_rollout_ref.rollout.n=16  # responses per prompt, from your question
  actor_rollout_ref.actor.ppo_mini_batch_size=128  # prompts, not sequences; 4 updates a step
  actor_rollout_ref.actor.ppo_epochs=1  # 1 pass over the samples
  data.max_prompt_length=1024  # from your question
  data.max_response_length=3072  # from your question
  data.filter_overlong_prompts=True  # a longer prompt would stop the run
  data.train_files="$HOME/data/train.parquet"  # change this to your data
  data.val_files="$HOME/data/test.parquet"  # change this to your data

  # Model
  actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B  # the model on Hugging Face, or a folder with it
  actor_rollout_ref.model.use_remove_padding=True  # packs sequences, no padding tokens
  actor_rollout_ref.model.use_fused_kernels=False  # the estimate holds the logits in memory

  # Layout of the actor: 8 GPUs = TP 2 × DP 4, experts EP 8
  model_engine=megatron  # the backend of every role
  actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2  # 2 GPUs of one NVLink domain split each matrix; divides 32 heads
  actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=1  # no pipeline, no bubble
  actor_rollout_ref.actor.megatron.virtual_pipeline_model_parallel_size=null  # one chunk per stage
  actor_rollout_ref.actor.megatron.context_parallel_size=1  # no sequence is split
  actor_rollout_ref.actor.megatron.expert_model_parallel_size=8  # 16 of 128 experts on each GPU of a group
  actor_rollout_ref.actor.megatron.expert_tensor_parallel_size=1  # experts stay whole: EP before ETP
  actor_rollout_ref.actor.megatron.sequence_parallel=True  # norms are split over TP too
  actor_rollout_ref.actor.megatron.use_distributed_optimizer=True  # shards optimizer states over DP
  actor_rollout_ref.actor.megatron.param_offload=True  # weights and gradients are in host memory outside their phases
  actor_rollout_ref.actor.megatron.optimizer_offload=True  # optimizer states are in host memory outside the update
  ++actor_rollout_ref.actor.megatron.override_ddp_config.overlap_grad_reduce=True  # gradients are reduced beside the backward pass; overlap_param_gather stays off: it gathers updated weights in the next forward pass, and veRL hands them on before that
  ++actor_rollout_ref.actor.megatron.override_transformer_config.recompute_granularity=full  # each layer again from its input: least memory
  ++actor_rollout_ref.actor.megatron.override_transformer_config.recompute_method=uniform  # every layer alike
  ++actor_rollout_ref.actor.megatron.override_transformer_config.recompute_num_layers=1  # one layer at a time
  ++actor_rollout_ref.actor.megatron.override_transformer_config.apply_rope_fusion=True  # one kernel turns queries and keys by their positions; off, each packed sequence has its own
  ++actor_rollout_ref.actor.megatron.override_transformer_config.moe_permute_fusion=True  # one kernel sorts the tokens by expert
  actor_rollout_ref.actor.optim.lr=1e-6  # a start; yours to tune

  # What one forward pass takes on one GPU
  actor_rollout_ref.actor.use_dynamic_bsz=True  # packs short sequences together up to a budget
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384  # tokens; above the guide's floor of 2 × 4,096 = 8,192
  actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=True  # must be the actor's
  actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu=32768  # forward only: twice the actor's

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
  actor_rollout_ref.actor.use_kl_loss=False  # no reference policy to compute
  actor_rollout_ref.actor.clip_ratio_low=0.0003  # GSPO
  actor_rollout_ref.actor.clip_ratio_high=0.0004  # GSPO clips closer to 1: a response's ratio varies less than a token's
  actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean  # GSPO: every response counts alike
  actor_rollout_ref.actor.policy_loss.loss_mode=gspo  # one ratio for each response

  # Cluster and run
  trainer.n_gpus_per_node=8  # from your question
  trainer.nnodes=1  # from your question
  trainer.logger='["console"]'  # veRL's default also wants a wandb account
  trainer.total_epochs=1  # passes over your data; yours to choose
  trainer.save_freq=20  # steps between checkpoints, as in most of veRL's scripts; its default saves none
  trainer.test_freq=5  # steps between validations; veRL's default makes none on the way
)
python3 -m verl.trainer.main_ppo "${args[@]}"
