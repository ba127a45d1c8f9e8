"""What Unsloth and TRL's GRPO trainer assert of a program that learns from rewards, with the lines of unsloth and unsloth_zoo 2026.10.9 and trl 1.15.0."""

import source
import trl

# unsloth_zoo/rl_replacements.py:1152 to 1184
LOSSES = {"grpo", "bnpo", "dr_grpo", "dapo", "luspo", "cispo", "sapo", "vespo"}
# unsloth_zoo/vllm_utils.py:2744
LARGEST_RANK = 512
# unsloth_zoo/vllm_utils.py:4819: with this many it chooses by itself.
CHOOSES = 256
SHARE = "UNSLOTH_VLLM_STANDBY_UTIL_OVERRIDE"


def changed(said, ranks):
    """What Unsloth's own `GRPOConfig.__init__` makes of the keywords otherwise than they say, or than TRL has by default."""
    fields = trl.GRPOConfig.__dataclass_fields__
    own = {"mask_truncated_completions": None, "num_generations": 8, "per_device_train_batch_size": 4, "gradient_accumulation_steps": 2}
    names = {key: said.get(key, own.get(key, field.default)) for key, field in fields.items()}
    names |= {"_unsloth_default_loss_type": "loss_type" not in said, "os": type("os", (), {"environ": {"WORLD_SIZE": str(ranks)}}), "print": lambda *words: None}
    before = dict(names)
    for code in source.CHANGES:
        exec(code, names)
    for key in fields:
        kept = before[key] if key in said else fields[key].default if before[key] is None else before[key]
        if names[key] != kept:
            yield f"{key}: Unsloth makes it {names[key]}"


def refused(made, args, facts, ranks):
    loaded, adapters, environment = made["loaded"], made.get("adapters"), made["environment"]

    def unless(holds, message):
        if not holds:
            yield message

    yield from changed(made["said"], ranks)
    yield from unless(isinstance(args, trl.GRPOConfig), f"GRPOTrainer takes no {type(args).__name__}")
    if not isinstance(args, trl.GRPOConfig):
        return
    yield from unless(loaded["fast_inference"], "fast_inference: nothing but Transformers generates")
    # models/vision.py:4330
    yield from unless(not loaded["full_finetuning"], "`fast_inference=True` cannot be used together with `full_finetuning=True`")
    # models/vision.py:4372
    yield from unless(not (loaded["load_in_4bit"] and facts["experts"]), "fast_inference = True does not support bitsandbytes weights of experts")
    # vllm_utils.py:5584 and 2765
    rank = (adapters or {}).get("r", 0)
    yield from unless(rank <= loaded["max_lora_rank"], f"r = {rank}, but vLLM was started with max_lora_rank = {loaded['max_lora_rank']}")
    yield from unless(loaded["max_lora_rank"] <= LARGEST_RANK, f"vLLM does not support LoRA ranks of {loaded['max_lora_rank']}")
    yield from unless(0 < loaded["gpu_memory_utilization"] <= 1, "gpu_memory_utilization: no share")
    standby = environment.get("UNSLOTH_VLLM_STANDBY", "0") != "0"
    yield from unless(not standby or environment.get(SHARE, "0") != "0", "gpu_memory_utilization: on standby Unsloth takes one by the card's size")
    yield from unless(loaded["max_num_seqs"] != CHOOSES, "max_num_seqs: 256 leaves them to Unsloth")
    yield from unless(args.max_completion_length < loaded["max_seq_length"], "max_completion_length: leaves no token for a prompt")
    yield from unless(not facts["max_pos"] or loaded["max_seq_length"] <= facts["max_pos"], f"max_seq_length: beyond the model's {facts['max_pos']} positions")
    yield from unless(args.loss_type in LOSSES, f"loss_type: {args.loss_type} is unknown")
    yield from unless(args.importance_sampling_level in ("token", "sequence"), "importance_sampling_level: unknown")  # grpo_trainer.py
    yield from unless(made["given"].get("reward_funcs"), "reward_funcs: no reward source")  # grpo_trainer.py
    yield from unless(args.generation_batch_size == facts["generated"],
                      f"the generation batch is {args.generation_batch_size} sequences, not the question's {facts['generated']}")
