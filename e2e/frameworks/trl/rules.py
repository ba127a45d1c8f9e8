"""What TRL's trainers and transformers' Trainer assert only with a model in hand, with the source lines.

trl 1.16.0, transformers 5.23.0, accelerate 1.15.0.
"""


def combined(script, script_args, training, model, made, launcher, facts):
    """Rules over the launcher's plugins and the script's dataclasses together."""
    errors = []

    def require(holds, message):
        if not holds:
            errors.append(message)

    world, parallel, fsdp = int(launcher.num_processes), made.get("parallel"), made.get("fsdp")
    split = parallel.non_data_parallel_size if parallel else 1
    cp = parallel.cp_size if parallel else 1
    reinforcement = script in ("trl.scripts.grpo", "trl.scripts.rloo")
    # transformers/trainer.py:879
    require(not (fsdp and fsdp.activation_checkpointing and training.gradient_checkpointing),
            "gradient_checkpointing: FSDP recomputes already")
    require(training.bf16 == (launcher.mixed_precision == "bf16") and training.fp16 == (launcher.mixed_precision == "fp16"),
            "mixed_precision: the configuration and the script differ")
    # transformers/integrations/deepspeed.py compares accumulation; accelerate/accelerator.py takes the plugin's.
    if "deepspeed" in made:
        require(made["deepspeed"].gradient_accumulation_steps == training.gradient_accumulation_steps,
                "gradient_accumulation_steps: the configuration and the script differ")
        plugin = made["deepspeed"]
        # Read when training starts, as ../deepspeed/check.py has it.
        require(plugin.offload_param_device == "none" or plugin.zero_stage == 3, "offload_param_device: needs stage 3")
        require(plugin.offload_optimizer_device == "none" or plugin.zero_stage >= 1, "offload_optimizer_device: needs stage 1")
    else:
        # DistributedDataParallel averages what the script accumulates, and steps the weights that it was given.
        require(made or model.use_peft or model.dtype == "float32", "dtype: weights that are stepped in 16 bits lose small updates")
    require(world == facts["train_gpus"], f"num_processes: {world} are not the {facts['train_gpus']} GPUs that train")
    # accelerate/utils/launch.py, prepare_multi_gpu_env: without an address the nodes look for a host called None.
    require(int(launcher.num_machines) == 1 or launcher.main_process_ip, "main_process_ip: several nodes need it")
    ranks = world // split
    batch = training.per_device_train_batch_size * training.gradient_accumulation_steps * ranks
    require(batch == facts["sequences"], f"the batch is {batch} sequences, not the question's {facts['sequences']}")
    # transformers/trainer.py:2413
    require(cp == 1 or model.attn_implementation == "sdpa", "attn_implementation: context parallelism needs sdpa")
    require(model.attn_implementation in ("eager", "sdpa", "flash_attention_2", "flash_attention_3"), "attn_implementation: unknown")
    require(facts["heads"] % (parallel.sp_size if parallel else 1) == 0, "sp_size: does not divide the heads")
    require(not model.load_in_4bit or model.use_peft, "load_in_4bit: a quantised model trains adapters alone")
    if script == "trl.scripts.distillation":
        errors += distilled(training, made, world, split, facts)
    elif reinforcement:
        errors += generated(script_args, training, world, split, facts)
    elif script != "trl.scripts.sft":
        errors += preferred(script, training, model, split, facts)
    else:
        errors += tuned(training, parallel, cp, facts)
    return errors


def tuned(training, parallel, cp, facts):
    errors = []
    if training.loss_type not in ("nll", "dft"):  # trl/trainer/sft_trainer.py:1043
        errors.append(f"loss_type: {training.loss_type} is unknown")
    if training.padding_free and not training.packing and training.max_length is not None:  # sft_trainer.py:1000
        errors.append("padding_free: without packing nothing enforces max_length")
    if training.packing and training.max_length is None:  # sft_trainer.py:1468
        errors.append("packing: needs max_length")
    if parallel and cp > 1 and training.packing:  # sft_trainer.py:1156
        errors.append("packing: not with context parallelism")
    if parallel and parallel.non_data_parallel_size > 1:
        if training.padding_free:
            errors.append("padding_free: a split sequence keeps no boundaries")
        # torch.distributed.tensor.experimental.context_parallel splits into two chunks per GPU; Ulysses into one.
        parts = parallel.non_data_parallel_size * (2 if cp > 1 else 1)
        if (training.pad_to_multiple_of or 1) % parts or (training.max_length or 0) % parts:
            errors.append(f"pad_to_multiple_of: sequences are no multiple of {parts}")
    if facts["max_pos"] and training.max_length and training.max_length > facts["max_pos"]:
        errors.append(f"max_length: {training.max_length} is beyond the model's {facts['max_pos']} positions")
    return errors


# trl/trainer/dpo_trainer.py, _compute_loss
PREFERENCE_LOSSES = {"sigmoid", "hinge", "ipo", "exo_pair", "nca_pair", "robust", "bco_pair", "sppo_hard", "aot", "aot_unpaired", "apo_zero", "apo_down",
                     "discopop", "sft", "sigmoid_norm"}


def preferred(script, training, model, split, facts):
    errors = []

    def require(holds, message):
        if not holds:
            errors.append(message)

    require(split == 1, "parallelism_config: preference data is not split")
    require(training.max_length, "max_length: nothing is cut")
    require(not facts["max_pos"] or (training.max_length or 0) <= facts["max_pos"], f"max_length: beyond the model's {facts['max_pos']} positions")
    if script == "trl.scripts.reward":
        # trl/trainer/reward_trainer.py, __init__: a LoRA configuration of another task has no head that scores.
        require(not model.use_peft or model.lora_task_type == "SEQ_CLS", "lora_task_type: a reward model's is SEQ_CLS")
        return errors
    require(not getattr(training, "padding_free", False), "padding_free: not available")  # dpo_trainer.py:733
    if script == "trl.scripts.kto":
        require(training.per_device_train_batch_size > 1, "per_device_train_batch_size: KTO needs more than 1")  # kto_trainer.py:844
        require(training.train_sampling_strategy == "sequential", "train_sampling_strategy: KTO's is sequential")  # kto_trainer.py:837
        return errors
    for loss in training.loss_type:
        require(loss in PREFERENCE_LOSSES, f"loss_type: {loss} is unknown")
    return errors


# trl/scripts/grpo.py, reward_funcs_registry
REWARDS = {"accuracy_reward", "reasoning_accuracy_reward", "think_format_reward", "get_soft_overlong_punishment"}
# trl/trainer/grpo_trainer.py:3109 to 3138
LOSSES = {"grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "vespo", "luspo"}


def generated(script_args, training, world, split, facts):
    errors = []

    def require(holds, message):
        if not holds:
            errors.append(message)

    require(split == 1, "parallelism_config: GRPO splits no sequences")  # trl/trainer/grpo_config.py, __post_init__
    # RLOO's trainer has a loss of its own.
    loss = getattr(training, "loss_type", "grpo")
    require(loss in LOSSES, f"loss_type: {loss} is unknown")
    require(script_args.reward_funcs or script_args.reward_model_name_or_path, "reward_funcs: no reward source")  # grpo_trainer.py:737
    for name in script_args.reward_funcs or ():
        require(name in REWARDS or "." in name, f"reward_funcs: {name} is unknown")  # scripts/grpo.py
    require(training.generation_batch_size == facts["generated"],
            f"the generation batch is {training.generation_batch_size} sequences, not the question's {facts['generated']}")
    return errors + engines(training, world, facts)


def distilled(training, made, world, split, facts):
    """trl/trainer/distillation_trainer.py, trl/scripts/distillation.py."""
    errors = []
    if not training.teacher_model_name_or_path:
        errors.append("teacher_model_name_or_path: the script asks for a teacher")
    if split != 1:  # trl/trainer/distillation_config.py, __post_init__
        errors.append("parallelism_config: distillation splits no sequences")
    # accelerate/accelerator.py, prepare_model with evaluation_mode: a teacher is neither wrapped nor moved to the GPU.
    if "fsdp" in made:
        errors.append("distributed_type: under FSDP the teacher stays in host memory")
    return errors + engines(training, world, facts)


def engines(training, world, facts):
    errors = []

    def require(holds, message):
        if not holds:
            errors.append(message)

    if not training.use_vllm:
        return errors + ["use_vllm: the plan generates with vLLM"]
    require(training.vllm_mode in ("colocate", "server"), f"vllm_mode: {training.vllm_mode} is unknown")  # vllm_generation.py:370
    if training.vllm_mode == "colocate":
        tp = training.vllm_tensor_parallel_size
        require(tp > 0 and world % tp == 0, f"vllm_tensor_parallel_size: {tp} does not divide {world}")  # vllm_generation.py:314
        require(tp > 0 and facts["heads"] % tp == 0, f"vllm_tensor_parallel_size: {tp} does not divide {facts['heads']} heads")
        require(0 < training.vllm_gpu_memory_utilization <= 1, "vllm_gpu_memory_utilization: no share")
        length = training.vllm_max_model_length or facts["max_pos"]
        require(training.max_completion_length < length, "max_completion_length: leaves no room for a prompt")
        require(not facts["max_pos"] or length <= facts["max_pos"], f"vllm_max_model_length: {length} is beyond the model's {facts['max_pos']} positions")
    return errors


def served(server, training, facts):
    """The server of `trl vllm-serve` is the one that the trainer asks."""
    errors, gpus = [], server.tensor_parallel_size * server.data_parallel_size
    if training.vllm_mode != "server":
        errors.append("vllm_mode: a server is started and nobody asks it")
    if server.port != training.vllm_server_port:
        errors.append("vllm_server_port: the two texts differ")
    if gpus != facts["gpus"] - facts["train_gpus"]:
        errors.append(f"the server takes {gpus} GPUs, not the {facts['gpus'] - facts['train_gpus']} that generate")
    if server.data_parallel_size > 1 and not facts["experts"]:  # scripts/vllm_serve.py on data_parallel_size
        errors.append("data_parallel_size: for models with experts")
    return errors
