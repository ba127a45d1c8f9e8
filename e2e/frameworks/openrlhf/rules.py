"""What OpenRLHF 0.11.2 and DeepSpeed assert only on GPU workers, with the source lines; paths are below openrlhf/."""


def shared(args, config, facts):
    """Rules of every program; `config` is what its strategy hands DeepSpeed."""
    errors, ds = [], args.ds

    def require(holds, message):
        if not holds:
            errors.append(message)

    zero = config["zero_optimization"]
    require(ds.tensor_parallel_size == 1 or zero["stage"] <= 2, "ds.tensor_parallel_size: goes with ZeRO 0 to 2")  # deepspeed/runtime/engine.py
    require(not ds.adam_offload or zero["stage"] >= 1, "ds.adam_offload: needs ZeRO 1")
    require(facts["heads"] % ds.tensor_parallel_size == 0, "ds.tensor_parallel_size: does not divide the heads")
    require(not ds.load_in_4bit or ds.param_dtype == "bf16", "ds.load_in_4bit: needs bf16")  # models/actor.py:116
    require(not ds.load_in_4bit or ds.lora.rank > 0, "ds.load_in_4bit: needs adapters")
    require(not facts["max_pos"] or args.data.max_len <= facts["max_pos"], f"data.max_len: beyond the model's {facts['max_pos']} positions")
    require(args.train.batch_size == facts["sequences"], f"train.batch_size: {args.train.batch_size}, not the question's {facts['sequences']}")
    return errors


def fine_tuning(args, world, facts):
    errors = []
    if world != facts["gpus"]:
        errors.append(f"--num_gpus: {world} are not the question's {facts['gpus']} GPUs")
    reference = getattr(args, "ref", None)
    if reference and getattr(reference, "offload", False) and args.ds.zero_stage != 3:
        errors.append("ref.offload: needs ZeRO 3")  # utils/deepspeed/deepspeed_utils.py, get_eval_ds_config
    if world % (args.ds.ring_attn_size * args.ds.tensor_parallel_size):
        errors.append("ds.ring_attn_size: does not divide the GPUs")  # utils/deepspeed/deepspeed.py, setup_distributed
    return errors


def reinforcement(args, made, facts):
    errors, ds, rollout = [], args.ds, args.rollout

    def require(holds, message):
        if not holds:
            errors.append(message)

    train, apart = facts["train_gpus"], facts["gpus"] - facts["train_gpus"]
    for name, gpus, shares, *_ in made["groups"]:
        require(gpus == train, f"{name}: {gpus} GPUs, not the {train} that train")
        # A group without a placement group of another takes GPUs of its own (trainer/ray/launcher.py).
        require(shares or len(made["groups"]) == 1, f"{name}: wants GPUs of its own")
    (count, tp, *_), = made["engines"] or ((0, 0),)
    require(count * tp == (apart or train), f"vllm.num_engines: {count} × {tp} are not the {apart or train} GPUs that generate")
    require(bool(apart) == bool(args.train.async_enable or not args.train.colocate_all), "train.colocate_all: not as the question has it")
    require(tp > 0 and facts["heads"] % tp == 0, "vllm.tensor_parallel_size: does not divide the heads")
    require(0 < args.vllm.gpu_memory_utilization <= 1, "vllm.gpu_memory_utilization: no share")
    require(args.vllm.enable_sleep or apart or args.vllm.gpu_memory_utilization < 1, "vllm.gpu_memory_utilization: leaves nothing to train")
    # vllm_worker_wrap.py:39: the engines are bf16 (trainer/ray/vllm_engine.py, create_vllm_engines).
    require(ds.param_dtype == "bf16", "ds.param_dtype: differs from vLLM's bfloat16")
    require(ds.lora.rank == 0, "ds.lora.rank: vLLM knows no adapters")  # trainer/ray/ppo_actor.py, broadcast_to_vllm
    require(not args.ref.offload or ds.zero_stage == 3, "ref.offload: needs ZeRO 3")
    world, split = train, ds.ring_attn_size * ds.tensor_parallel_size
    require(world % split == 0, "ds.ring_attn_size: does not divide the GPUs")
    ranks = world // split
    sequences = rollout.batch_size * rollout.n_samples_per_prompt
    require(sequences == facts["generated"], f"rollout.batch_size: {sequences} sequences, not the question's {facts['generated']}")
    # trainer/ppo_utils/replay_buffer.py, setup_dynamic_batch; drop_last in trainer/ray/ppo_actor.py.
    require(sequences % args.train.batch_size == 0, "train.batch_size: does not divide the step's sequences")
    require(args.train.batch_size % ranks == 0, "train.batch_size: does not divide over the ranks")
    if args.train.dynamic_batch_enable:
        require(args.train.max_tokens_per_gpu * split >= args.data.max_len, "train.max_tokens_per_gpu: does not hold a sequence")
    # trainer/ppo_utils/samples_generator.py, generate_samples: fewer prompts make a smaller batch.
    require(rollout.vllm_generate_batch_size >= rollout.batch_size, "rollout.vllm_generate_batch_size: fewer than the step's prompts")
    require((rollout.max_new_tokens or 1) < args.data.max_len, "rollout.max_new_tokens: leaves no room for a prompt")
    # trainer/ppo_utils/experience_maker.py: a reward is a rule's or a model's.
    require(bool(args.reward.remote_url) != bool(args.reward.model_name_or_path), "reward: neither a rule nor a model, or both")
    require(args.algo.kl.init_coef > 0 or not args.algo.kl.use_loss, "algo.kl.use_loss: there is no reference")
    require(args.actor.dual_clip is None or args.actor.dual_clip > 1, "actor.dual_clip: must be above 1")  # models/loss.py:156
    require(args.train.async_queue_size > 0, "train.async_queue_size: must be positive")  # trainer/ppo_trainer_async.py:289
    return errors
