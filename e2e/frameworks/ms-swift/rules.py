"""What ms-swift's trainers assert only with a model in hand, with the source files of 4.6.0 (below swift/)."""

import math


def used(program, args, given, templates, facts, world):
    """Rules over the parsed arguments."""
    errors = []

    def require(holds, message):
        if not holds:
            errors.append(message)

    split = args.sequence_parallel_size
    require(world % split == 0, f"sequence_parallel_size: {split} does not divide {world}")
    batch = args.per_device_train_batch_size * args.gradient_accumulation_steps * (world // split)
    require(batch == facts["sequences"], f"the batch is {batch} sequences, not the question's {facts['sequences']}")
    require(args.max_length and (not facts["max_pos"] or args.max_length <= reach(args, facts)), f"max_length: {args.max_length} is beyond the model's positions")
    # pipelines/train/sft.py, _prepare_template
    support = templates[args.template].template_cls.support_padding_free
    support = not args.model_meta.is_multimodal if support is None else support
    require(support or not (args.padding_free or args.packing), f"packing: template {args.template} does not support it")
    # sequence_parallel/sequence_parallel.py, prepare
    by_heads = math.gcd(facts["kv_heads"], split)
    require(split == by_heads or args.padding_free, "padding_free: the rest of sequence_parallel_size is a ring, which needs it")
    # pipelines/train/sft.py, _encode_dataset
    require(args.truncation_strategy != "split" or (program == "pt" and not args.use_chat_template), "truncation_strategy: split is for pre-training")
    require(args.bf16 != args.fp16, "bf16 or fp16, and not both")
    if args.quant_method:
        require(args.tuner_type != "full", "quant_method: a quantised model trains adapters alone")
        require(args.get_quantization_config() is not None, "quant_method: has no configuration")
    require(args.tuner_type in args.supported_tuners, f"tuner_type: {args.tuner_type} is unknown")  # pipelines/train/tuner.py
    if args.optimizer:
        from swift.optimizers import optimizers_map
        require(args.optimizer in optimizers_map, f"optimizer: {args.optimizer} is unknown")  # trainers/mixin.py
        require(not (args.deepspeed or args.fsdp), f"optimizer: {args.optimizer} steps whole tensors")
    require(args.attn_impl in ("eager", "sdpa", "flash_attn", "flash_attention_2", "flash_attention_3", "flash_attention_4"), f"attn_impl: {args.attn_impl} is unknown")
    if args.fsdp:
        errors += sharded(args)
    if program == "rlhf":
        errors += taught(args) if args.rlhf_type == "gkd" else preferred(args, facts)
    return errors


def reach(args, facts):
    return args.max_model_len or facts["max_pos"]


def sharded(args):
    """What accelerate's FSDP2 reads of fsdp.json, as the TrainingArguments have made it."""
    made = args.training_args.fsdp_plugin_args
    errors = [f"fsdp.json: {key}: nothing reads it" for key in args.fsdp_config if key.removeprefix("fsdp_") not in
              {*made, "version", "cpu_offload", "min_num_params", "xla", "xla_fsdp_v2", "xla_fsdp_grad_ckpt"} - {"fsdp_version"}]
    if made["fsdp_version"] != 2:
        errors.append("fsdp.json: fsdp_version: not FSDP2")
    if made.get("activation_checkpointing") and args.training_args.gradient_checkpointing:
        errors.append("gradient_checkpointing: FSDP recomputes already")
    # accelerate/utils/dataclasses.py, FullyShardedDataParallelPlugin of FSDP2.
    if args.quant_method and made["cpu_ram_efficient_loading"]:
        errors.append("fsdp.json: cpu_ram_efficient_loading: 4-bit weights are made on every rank")
    return errors


# rlhf_trainers/dpo_trainer.py, dpo_loss
LOSSES = {"dpo": {"sigmoid", "robust", "exo_pair", "hinge", "ipo", "bco_pair", "sppo_hard", "nca_pair", "aot_unpaired", "aot", "apo_zero", "apo_down", "discopop", "sft"},
          "kto": {"kto", "apo_zero_unpaired"}, "cpo": {"sigmoid", "hinge", "ipo", "simpo"}, "orpo": {None}, "rm": {None}}


def taught(args):
    """rlhf_trainers/gkd_trainer.py."""
    errors = []
    if not args.teacher_model:
        errors.append("teacher_model: the student would be its own")
    if args.lmbda > 0:
        errors.append("lmbda: the student writes, and the question's text is given")
    if args.packing:
        errors.append("packing: each row is encoded by itself")
    return errors


def preferred(args, facts):
    errors = []
    if args.loss_type not in LOSSES[args.rlhf_type]:
        errors.append(f"loss_type: {args.loss_type} is none of {args.rlhf_type}")
    if args.rlhf_type == "kto" and facts["sequences"] <= 1:  # pipelines/train/kto.py
        errors.append("KTO: batch size is 1 (too small)")
    if args.use_liger_kernel:
        errors.append("use_liger_kernel: losses of preference data read the logits")
    held = args.rlhf_type in ("dpo", "kto") and args.tuner_type == "full"
    if bool(args.ref_model) != held:
        errors.append(f"ref_model: {args.ref_model}")
    if args.rlhf_type == "rm" and (args.task_type, args.num_labels) != ("seq_cls", 1):
        errors.append("a reward model has one label")
    return errors
