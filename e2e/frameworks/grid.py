"""The grid of questions: models × machines × workloads × frameworks, and plans that use every key.

Deterministic: the same list each time. The machines rotate, so that each model meets several.
"""

import collections
import itertools
import math
import pathlib
import tomllib

CATALOG = pathlib.Path(__file__).parents[2] / "core" / "catalog" / "data" / "models"

# Every class of architecture: dense with and without grouped heads, sliding windows, experts, latent
# attention, vision, hybrids.
MODELS = """qwen3-0.6b qwen2.5-7b qwen3-8b llama-3.1-8b llama-2-7b mistral-7b-v0.3 gemma-2-9b phi-4 olmo-2-7b internlm3-8b
yi-34b qwen3-32b qwen2.5-72b llama-3.1-70b minicpm3-4b qwen3-30b-a3b mixtral-8x7b deepseek-v2-lite moonlight-16b-a3b
gpt-oss-20b glm-4.5-air qwen3-235b-a22b deepseek-v3 qwen2.5-vl-7b qwen3-vl-30b-a3b qwen3-next-80b-a3b""".split()
LARGE = {"qwen2.5-72b", "llama-3.1-70b", "glm-4.5-air", "qwen3-235b-a22b", "deepseek-v3", "qwen3-next-80b-a3b"}
SMALL_MACHINES = [("h100-sxm", 8), ("a100-sxm-80g", 8), ("h20-141g", 16), ("b200-sxm", 8), ("l40s", 8), ("h100-sxm", 16), ("h200-sxm", 4), ("a100-sxm-80g", 2), ("h100-sxm", 1)]
LARGE_MACHINES = [("h100-sxm", 64), ("h20-141g", 64), ("b200-sxm", 32), ("a100-sxm-80g", 64), ("h200-sxm", 32)]
LENGTHS = [(1024, 3072), (512, 1024), (2048, 6144), (1024, 15360)]


def models():
    """The catalog's models by id."""
    found = {}
    for path in sorted(CATALOG.glob("*.toml")):
        with path.open("rb") as file:
            found.update({model["id"]: model for model in tomllib.load(file)["model"]})
    return found


def facts(model, gpus, work=None):
    """What the rules need to know beside the text."""
    heads = model["num_attention_heads"]
    return sizes(work, gpus) | {"gpus": gpus, "hidden": model["hidden_size"], "heads": heads, "kv_heads": model.get("num_key_value_heads", heads), "layers": model["num_hidden_layers"],
            "experts": model.get("num_experts", 0), "max_pos": model.get("max_position_embeddings", 0), "vision": "vision" in model,
            "entry": {key: value for key, value in model.items() if key not in ("source", "date")}}


# Responses of a prompt where a question does not say, by algorithm.
RESPONSES = {"grpo": 8, "dapo": 16, "gspo": 8, "ppo": 1, "dr_grpo": 8, "cispo": 8, "gmpo": 8, "rloo": 4, "reinforce_plus_plus": 1,
             "remax": 1, "distill": 1}


def sizes(work, gpus):
    """GPUs that train, sequences of an optimizer step, and those generated for a step."""
    if not work or "rl" not in work:
        return {"train_gpus": gpus, "sequences": (work or {}).get("global_batch"), "generated": 0}
    rl = work["rl"]
    responses = rl.get("responses_per_prompt", RESPONSES[work["kind"]])
    prompts, agent = rl["prompts_per_step"], rl.get("agent") or {}
    return {"train_gpus": rl.get("train_gpus", gpus), "sequences": rl.get("mini_batch", prompts) * responses, "generated": prompts * responses,
            "longest": rl["max_prompt_length"] + rl["max_response_length"], "images": "images" in work, "turns": agent.get("max_turns", math.ceil(2 * agent.get("turns", 0.5)))}


def length(model, turn):
    """A length that the model knows."""
    known = model.get("max_position_embeddings", 0) or 1 << 20
    return next(pair for pair in LENGTHS[turn % len(LENGTHS):] + LENGTHS if sum(pair) <= known)


def workload(kind, model, turn):
    prompt, response = length(model, turn)
    if kind in RESPONSES:
        prompts = (512, 128, 256)[turn % 3]
        rl = {"prompts_per_step": prompts, "mini_batch": prompts // (1, 4, 2)[turn // 2 % 3], "max_prompt_length": prompt, "max_response_length": response}
        if kind != "ppo":
            rl["responses_per_prompt"] = (8, 16)[turn % 2]
        return {"kind": kind, "rl": rl}
    out = {"kind": kind, "sequence_length": prompt + response, "global_batch": (128, 256, 64)[turn % 3]}
    if turn % 4 == 1:
        out["mean_sequence_length"] = (prompt + response) / 3
    if kind in ("lora", "qlora"):
        out["lora"] = {"rank": (16, 64)[turn % 2], "targets": ("all-linear", "attention")[turn // 2 % 2]}
    return out


# What Unsloth's engine reads is a base with adapters.
ADAPTED = {"lora": {"rank": 32}}
KINDS = {("verl", "fsdp"): ("grpo", "ppo", "dapo", "sft", "lora"), ("verl", "megatron"): ("grpo", "ppo", "dapo", "sft", "lora"),
         ("chatlearn", "fsdp"): ("grpo",), ("chatlearn", "megatron"): ("grpo",), ("deepspeed", "deepspeed"): ("pretrain", "sft", "lora", "qlora"),
         ("trl", "fsdp"): ("sft", "lora", "qlora", "grpo", "dpo"), ("trl", "deepspeed"): ("sft", "lora", "qlora", "grpo", "kto", "reward_model"),
         ("trl", "ddp"): ("lora", "qlora"),
         ("openrlhf", "deepspeed"): ("sft", "lora", "qlora", "grpo", "ppo", "dapo", "dpo"),
         ("slime", "megatron"): ("grpo", "dapo"),
         ("nemo-rl", "fsdp"): ("grpo", "dapo", "sft", "dpo"), ("nemo-rl", "megatron"): ("grpo", "gspo", "lora"),
         ("skyrl", "fsdp"): ("grpo", "ppo", "dapo", "rloo"), ("skyrl", "megatron"): ("grpo", "gspo", "dr_grpo"),
         ("megatron-lm", "megatron"): ("pretrain", "sft"), ("megatron-bridge", "megatron"): ("pretrain", "sft", "lora"),
         ("torchtitan", "fsdp"): ("pretrain",),
         ("llamafactory", "deepspeed"): ("sft", "qlora", "dpo"), ("llamafactory", "fsdp"): ("pretrain", "orpo"), ("llamafactory", "ddp"): ("lora",),
         ("axolotl", "fsdp"): ("sft", "qlora", "simpo"), ("axolotl", "deepspeed"): ("lora", "kto"), ("axolotl", "ddp"): ("pretrain",),
         ("ms-swift", "deepspeed"): ("sft", "qlora", "dpo", "kto"), ("ms-swift", "fsdp"): ("lora", "simpo"), ("ms-swift", "ddp"): ("pretrain",),
         ("unsloth", "ddp"): ("sft", "lora", "qlora", "grpo")}
# The models that torchtitan carries, beside those above, each on the machines that it fits.
TITAN = """llama-3-8b llama-3.1-405b llama-3.2-3b qwen3-1.7b qwen3-4b qwen3-14b deepseek-v2 gpt-oss-120b llama-3.3-70b deepseek-r1""".split()
# LLMForge's GPUs, and what it trains.
LLMFORGE = [(model, gpu, gpus, kind, zero, offload)
            for model, gpu, gpus in (("llama-2-7b", "a100-sxm-80g", 8), ("llama-3-8b", "a10g", 16), ("llama-2-70b", "h100-sxm", 32), ("mistral-7b-v0.1", "l4", 4))
            for kind in ("sft", "lora") for zero, offload in ((2, None), (3, None), (3, "hpz"), (3, "optimizer"), (3, "all"))]


def question(model, gpu, gpus, work, plan=None):
    asked = {"version": 1, "model": model, "hardware": {"gpu": gpu, "gpus": gpus}, "workload": work}
    return asked | ({"plan": plan} if plan else {})


def searched(known):
    """Plans that the search chooses."""
    turns = collections.defaultdict(itertools.count)
    for name in MODELS:
        machines = LARGE_MACHINES if name in LARGE else SMALL_MACHINES
        for (framework, backend), kinds in KINDS.items():
            for kind in kinds:
                at = next(turns[framework])
                gpu, gpus = machines[at % len(machines)]
                work = workload(kind, known[name], at)
                if (framework, kind) == ("unsloth", "grpo"):
                    work |= ADAPTED
                asked = question(name, gpu, gpus, work, {"backend": backend})
                yield f"{framework}/{backend}/{kind}/{name}/{gpus}x{gpu}", framework, asked, facts(known[name], gpus, work)


RL = {"prompts_per_step": 128, "responses_per_prompt": 8, "mini_batch": 64, "max_prompt_length": 1024, "max_response_length": 3072}
GRPO = {"kind": "grpo", "rl": RL}
SFT = {"kind": "sft", "sequence_length": 4096, "global_batch": 128}
ENGINE = {"tensor_parallel": 1}
MEGATRON = {"backend": "megatron", "tensor_parallel": 2, "pipeline_parallel": 1, "context_parallel": 1, "max_tokens_per_gpu": 8192, "recompute": "none", "rollout": ENGINE}
FSDP = {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "max_tokens_per_gpu": 8192, "recompute": "full", "rollout": ENGINE}
ZERO = {"backend": "deepspeed", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 1, "recompute": "full"}
OFFLOAD = {"parameters": True, "gradients": True, "optimizer": True, "activations": False}
TOOLS = {"turns": 4, "tool_response_length": 150, "tool_s": 2}


def rl(**changes):
    return {"kind": changes.pop("kind", "grpo"), **{k: changes.pop(k) for k in ("packing", "precision", "lora", "tokens") if k in changes}, "rl": {**RL, **changes}}


# Name, frameworks, model, workload, plan: each uses keys that the search may never choose.
STATED = [
    ("pipeline", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "tensor_parallel": 1, "pipeline_parallel": 2}),
    ("chunks", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "tensor_parallel": 1, "pipeline_parallel": 2, "virtual_pipeline": 2}),
    ("uneven-stages", ("verl", "chatlearn"), "deepseek-v2-lite", GRPO, {**MEGATRON, "tensor_parallel": 1, "pipeline_parallel": 2, "expert_parallel": 2}),
    ("context", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "context_parallel": 2, "max_tokens_per_gpu": 4096}),
    ("experts", ("verl", "chatlearn"), "qwen3-30b-a3b", GRPO, {**MEGATRON, "expert_parallel": 8}),
    ("host-step", ("verl",), "qwen3-30b-a3b", GRPO, {**MEGATRON, "expert_parallel": 8, "optimizer_offload_fraction": 1, "offload": {"parameters": True, "gradients": True}}),
    ("half-host-step", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "optimizer_offload_fraction": 0.5}),
    ("expert-tensor", ("verl", "chatlearn"), "qwen3-30b-a3b", GRPO, {**MEGATRON, "expert_parallel": 4, "expert_tensor_parallel": 2}),
    ("selective", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "recompute": "selective"}),
    ("modules", ("verl", "chatlearn"), "qwen3-30b-a3b", GRPO, {**MEGATRON, "recompute": {"granularity": "selective", "modules": ["moe_act", "layernorm", "core_attn"]}}),
    ("full", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "recompute": "full"}),
    ("offload", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "offload": OFFLOAD}),
    ("sequences", ("verl", "chatlearn"), "qwen3-8b", rl(packing=False), {k: v for k, v in MEGATRON.items() if k != "max_tokens_per_gpu"} | {"micro_batch": 2}),
    ("no-distributed-optimizer", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "zero_stage": 0}),
    ("sglang", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "rollout": {"tensor_parallel": 2, "engine": "sglang"}}),
    ("no-reference", ("verl",), "qwen3-8b", rl(reference=False), MEGATRON),
    ("plain-rope", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "apply_rope_fusion": False}),
    ("deepep", ("verl",), "qwen3-30b-a3b", GRPO, {**MEGATRON, "expert_parallel": 8, "moe_enable_deepep": True}, 16),
    ("no-deepep", ("verl",), "qwen3-30b-a3b", GRPO, {**MEGATRON, "expert_parallel": 8, "moe_enable_deepep": False}, 16),
    ("experts-overlap", ("chatlearn",), "qwen3-30b-a3b", GRPO, {**MEGATRON, "expert_parallel": 8, "overlap_moe_expert_parallel_comm": True}),
    ("some-layers", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "recompute": {"granularity": "full", "num_layers": 7}}),
    ("forward-budget", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "forward_max_tokens_per_gpu": 32768}),
    ("forward-sequences", ("verl",), "qwen3-8b", rl(packing=False),
     {k: v for k, v in FSDP.items() if k != "max_tokens_per_gpu"} | {"micro_batch": 2, "forward_micro_batch": 8}),
    ("whole-prompts", ("verl",), "qwen3-8b", GRPO, {**FSDP, "rollout": {"tensor_parallel": 1, "chunked_prefill": False}}),
    ("large-engine-steps", ("verl",), "qwen3-8b", GRPO, {**FSDP, "rollout": {"tensor_parallel": 1, "max_num_batched_tokens": 16384}}),
    ("unfused-attention", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "attention": "unfused"}),
    ("fp8", ("verl",), "qwen3-8b", rl(precision="fp8"), MEGATRON),
    ("fp8-rollout", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "rollout": {"tensor_parallel": 1, "precision": "fp8"}}),
    ("expert-rollout", ("verl",), "qwen3-30b-a3b", GRPO, {**MEGATRON, "expert_parallel": 8, "rollout": {"tensor_parallel": 2, "data_parallel": 4, "expert_parallel": 8}}),
    ("lora-megatron", ("verl",), "qwen3-8b", rl(lora={"rank": 32}), MEGATRON),
    ("fused-head-megatron", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "fused_lm_head": True}),
    ("ppo-reward-model", ("verl",), "qwen3-8b", rl(kind="ppo", reward_model="qwen3-8b", responses_per_prompt=1, mini_batch=128), FSDP),
    ("ppo-critic-apart", ("verl",), "qwen3-8b", rl(kind="ppo", critic="qwen3-4b", responses_per_prompt=2), {**MEGATRON, "critic": {**{k: v for k, v in MEGATRON.items() if k != "rollout"}, "max_tokens_per_gpu": 16384}}),
    ("ulysses", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**FSDP, "ulysses_parallel": 2}),
    ("hybrid-shards", ("verl",), "qwen3-8b", GRPO, {**FSDP, "shard_group": 4}),
    ("zero-2", ("verl",), "qwen3-8b", GRPO, {**FSDP, "zero_stage": 2}),
    ("no-recompute", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**FSDP, "recompute": "none"}),
    ("activation-offload", ("verl",), "qwen3-8b", GRPO, {**FSDP, "offload": {**OFFLOAD, "activations": True}}),
    ("eight-bit-adam", ("verl",), "qwen3-8b", GRPO, {**FSDP, "optimizer_bytes": 2}),
    ("adamw-8bit", ("verl",), "qwen3-8b", GRPO, {**FSDP, "optimizer": "adamw_8bit"}),
    ("sgd", ("verl",), "qwen3-8b", GRPO, {**FSDP, "optimizer": "sgd"}),
    ("rounded-by-chance", ("verl",), "qwen3-8b", GRPO, {**FSDP, "master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4, "bf16_stochastic_round": True}),
    ("deferred", ("verl",), "qwen3-8b", GRPO, {**FSDP, "sync_each_batch": False}),
    ("megatron-sgd", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "optimizer": "sgd"}),
    ("megatron-muon", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "optimizer": "muon"}),
    ("megatron-muon-whole", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "optimizer": "muon", "zero_stage": 0}),
    ("bf16-shards", ("verl",), "qwen3-8b", GRPO, {**FSDP, "master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4}),
    ("bf16-states", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "gradient_bytes": 2, "optimizer_bytes": 4}),
    ("fp16", ("verl",), "qwen3-8b", rl(precision="fp16"), FSDP),
    ("lora-rl", ("verl",), "qwen3-8b", rl(lora={"rank": 64, "targets": "attention"}), FSDP),
    ("sequences-fsdp", ("verl", "chatlearn"), "qwen3-8b", rl(), {k: v for k, v in FSDP.items() if k != "max_tokens_per_gpu"} | {"micro_batch": 4}),
    ("one-step-off", ("verl",), "qwen3-8b", rl(schedule="one_step_off", train_gpus=4), FSDP),
    ("fully-async", ("verl",), "qwen3-8b", rl(schedule="fully_async", train_gpus=4), MEGATRON),
    ("best-split", ("verl",), "qwen3-8b", rl(schedule="one_step_off"), FSDP),
    ("stale", ("verl",), "qwen3-8b", rl(schedule="fully_async", train_gpus=4, max_staleness=2), FSDP),
    ("streamed", ("verl",), "qwen3-8b", rl(schedule="fully_async", train_gpus=4, max_staleness=0.1), FSDP),
    ("streamed-megatron", ("verl",), "qwen3-8b", rl(schedule="fully_async", train_gpus=8, max_staleness=0.5, old_log_prob=False, reference=False), MEGATRON, 16),
    ("streamed-on-policy", ("verl",), "qwen3-8b", rl(schedule="fully_async", train_gpus=4, max_staleness=0, partial_rollout=False), FSDP),
    ("streamed-dapo", ("verl",), "qwen2.5-7b", rl(kind="dapo", oversampling=1, schedule="fully_async", max_staleness=1.5), FSDP, 32),
    ("streamed-lora", ("verl",), "qwen3-8b", rl(lora={"rank": 32}, schedule="fully_async", train_gpus=4, max_staleness=0.1), FSDP),
    ("streamed-agent", ("verl",), "qwen3-8b", rl(schedule="fully_async", train_gpus=4, max_staleness=0.3, agent=TOOLS), FSDP),
    ("streamed-run", ("verl",), "qwen3-8b", rl(schedule="fully_async", train_gpus=4, max_staleness=0.1, tokens=1e9), FSDP),
    ("dynamic-sampling", ("verl",), "qwen3-8b", rl(oversampling=2, gen_batch_size=64), FSDP),
    ("dapo-unfiltered", ("verl",), "qwen3-8b", rl(kind="dapo", oversampling=1), MEGATRON),
    ("bypass", ("verl",), "qwen3-8b", rl(old_log_prob=False), FSDP),
    ("agent", ("verl",), "qwen3-8b", rl(agent=TOOLS), FSDP),
    ("agent", ("verl",), "qwen3-30b-a3b", rl(agent=TOOLS), MEGATRON),
    ("agent-apart", ("verl",), "qwen3-8b", rl(schedule="one_step_off", train_gpus=4, agent=TOOLS), FSDP),
    ("fp8-cache", ("verl",), "qwen3-8b", GRPO, {**FSDP, "rollout": {"tensor_parallel": 1, "kv_cache_dtype": "fp8"}}),
    ("fp8-cache-sglang", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "rollout": {"tensor_parallel": 1, "engine": "sglang", "kv_cache_dtype": "fp8"}}),
    ("tensorrt-llm", ("verl",), "qwen3-8b", GRPO, {**FSDP, "rollout": {"tensor_parallel": 2, "engine": "tensorrt_llm", "kv_cache_dtype": "fp8"}}),
    ("flash-3", ("verl",), "qwen3-8b", rl(kind="ppo", critic="qwen3-4b"), {**FSDP, "attention_kernel": "flash3"}),
    ("sdpa", ("verl",), "qwen3-8b", GRPO, {**FSDP, "attention_kernel": "sdpa"}),
    ("cudnn", ("verl",), "qwen3-8b", GRPO, {**MEGATRON, "attention_kernel": "cudnn"}),
    ("speculative", ("verl", "chatlearn"), "qwen3-8b", GRPO, {**MEGATRON, "rollout": {"tensor_parallel": 1, "speculative_speedup": 1.5}}),
    ("run", ("verl",), "qwen3-8b", rl(tokens=1e10), FSDP),
    ("dapo-reference", ("verl",), "qwen3-8b", rl(kind="dapo", reference=True), FSDP),
    ("gspo", ("verl", "chatlearn"), "qwen3-8b", rl(kind="gspo"), MEGATRON),
    ("gspo-fsdp", ("verl",), "qwen3-8b", rl(kind="gspo"), FSDP),
] + [(f"{kind}-{name}", ("verl",), "qwen3-8b", rl(kind=kind), plan)
     for kind in ("dr_grpo", "cispo", "gmpo", "rloo", "reinforce_plus_plus", "remax")
     for name, plan in (("fsdp", FSDP), ("megatron", MEGATRON))] + [
    ("rloo-no-reference", ("verl",), "qwen3-8b", rl(kind="rloo", reference=False), FSDP),
    ("remax-reward-model", ("verl",), "qwen3-8b", rl(kind="remax", reward_model="qwen3-0.6b", responses_per_prompt=4), FSDP),
    ("two-epochs", ("verl",), "qwen3-8b", rl(epochs=2), FSDP),
    ("sft-sequences", ("verl",), "qwen3-8b", SFT, {k: v for k, v in FSDP.items() if k not in ("max_tokens_per_gpu", "rollout")} | {"micro_batch": 2}),
    ("sft-flash-2", ("verl",), "qwen3-8b", SFT, {**FSDP, "attention_kernel": "flash2"}),
    ("sft-offload", ("verl",), "qwen3-8b", SFT, {**FSDP, "offload": OFFLOAD}),
    ("sft-bf16-states", ("verl",), "qwen3-8b", SFT, {**MEGATRON, "gradient_bytes": 2, "optimizer_bytes": 4}),
    ("sft-megatron-offload", ("verl",), "qwen3-8b", SFT, {**MEGATRON, "offload": {"optimizer": True}}),
    ("sft-ulysses", ("verl",), "qwen3-8b", SFT, {**FSDP, "ulysses_parallel": 4, "max_tokens_per_gpu": 2048}),
    ("sft-lora-megatron", ("verl",), "qwen3-8b", {**SFT, "kind": "lora", "lora": {"rank": 16, "targets": "attention"}}, MEGATRON),
] + [(f"zero-{stage}", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_stage": stage, "micro_batch": 4}) for stage in range(4)] + [
    ("zero-3-offload", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "offload": OFFLOAD}),
    ("zero-2-offload", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_stage": 2, "offload": {"optimizer": True, "gradients": True}}),
    ("tensor", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_stage": 1, "tensor_parallel": 2}),
    ("ulysses", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "ulysses_parallel": 2}),
    ("fp16", ("deepspeed",), "llama-2-7b", {**SFT, "precision": "fp16"}, ZERO),
    ("fp32-gradients", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "gradient_bytes": 4}),
    ("tokens", ("deepspeed",), "llama-2-7b", SFT, {**{k: v for k, v in ZERO.items() if k != "micro_batch"}, "max_tokens_per_gpu": 8192}),
    ("qlora", ("deepspeed",), "llama-2-7b", {**SFT, "kind": "qlora"}, ZERO),
    ("no-recompute", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "recompute": "none"}),
    ("sdpa", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "attention_kernel": "sdpa"}),
    ("no-overlap", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_stage": 2, "overlap": {"gradients": False, "parameters": True, "tensor_parallel": False}}),
    ("fp16-offload", ("deepspeed",), "qwen2.5-7b", {**SFT, "precision": "fp16"}, {**ZERO, "offload": OFFLOAD}),
    ("experts", ("deepspeed",), "qwen3-30b-a3b", SFT, ZERO),
    ("nvme", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "offload": OFFLOAD, "nvme_offload": True}),
    ("nvme-optimizer", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "offload": {"optimizer": True, "gradients": True}, "nvme_offload": True}),
    ("nvme-large", ("deepspeed",), "deepseek-v3", SFT, {**ZERO, "offload": OFFLOAD, "nvme_offload": True}),
    ("hpz", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_hpz_partition_size": 4}),
    ("hpz-offload", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_hpz_partition_size": 8, "offload": OFFLOAD}),
    ("quantized-weights", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_quantized_weights": True}),
    ("quantized-gradients", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_quantized_gradients": True}),
    ("zero-2-lion", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_stage": 2, "optimizer": "lion"}),
    ("lion-offload", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "offload": {"optimizer": True, "gradients": True}, "optimizer": "lion"}),
    ("zero-1-muon", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_stage": 1, "optimizer": "muon"}),
    ("sgd", ("deepspeed",), "llama-2-7b", SFT, {**ZERO, "zero_stage": 1, "optimizer": "sgd"}),
    ("zero-plus", ("deepspeed",), "llama-2-7b", {**SFT, "kind": "lora"}, {**ZERO, "zero_hpz_partition_size": 8, "zero_quantized_weights": True, "zero_quantized_gradients": True}),
]

# What Hugging Face's Trainer steps by beside AdamW.
TRAINER_OPTIMIZERS = ("adamw_8bit", "paged_adamw", "paged_adamw_8bit", "adafactor", "lion", "lion_8bit", "sgd")

# TRL and OpenRLHF; the last figure is the GPUs, where they are not eight.
TRL_FSDP = {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 2, "recompute": "none", "rollout": ENGINE}
TRL_ZERO = {**TRL_FSDP, "backend": "deepspeed"}
TRL_DDP = {**TRL_FSDP, "backend": "ddp"}
APART = {**TRL_ZERO, "rollout": {"tensor_parallel": 4}}
RING = {k: v for k, v in TRL_ZERO.items() if k != "micro_batch"} | {"max_tokens_per_gpu": 8192}
SHORT = {**SFT, "mean_sequence_length": 1500}
PLAIN = {**SFT, "packing": False}
STATED += [
    ("sft-fsdp", ("trl",), "qwen3-8b", SFT, TRL_FSDP),
    ("sft-fsdp-zero-2", ("trl",), "qwen3-8b", SFT, {**TRL_FSDP, "zero_stage": 2}),
    ("sft-fsdp-recompute", ("trl",), "qwen3-8b", SFT, {**TRL_FSDP, "recompute": "full"}),
    ("sft-fsdp-offload", ("trl",), "qwen3-8b", SFT, {**TRL_FSDP, "offload": OFFLOAD}),
    ("sft-fsdp-activations", ("trl",), "qwen3-8b", SFT, {**TRL_FSDP, "offload": {"activations": True}}),
    ("sft-fsdp-inputs", ("trl",), "qwen3-8b", SFT, {**TRL_FSDP, "recompute": "full", "offload": {"activations": True}}),
    ("sft-hybrid", ("trl",), "qwen3-8b", SFT, {**TRL_FSDP, "shard_group": 8}, 16),
    ("sft-context", ("trl",), "qwen3-8b", PLAIN, {**TRL_FSDP, "context_parallel": 4}),
    ("sft-context-hybrid", ("trl",), "qwen3-8b", PLAIN, {**TRL_FSDP, "context_parallel": 2, "shard_group": 8}, 16),
    ("sft-flash-3", ("trl", "openrlhf"), "qwen3-8b", SFT, {**TRL_ZERO, "attention_kernel": "flash3"}),
    ("sft-padding-free", ("trl",), "qwen3-8b", SHORT, TRL_FSDP),
    ("sft-padded", ("trl",), "qwen3-8b", {**SHORT, "packing": False}, TRL_FSDP),
    ("sft-fp16", ("trl", "openrlhf"), "qwen3-8b", {**SFT, "precision": "fp16"}, TRL_ZERO),
    ("sft-eight-bit-adam", ("trl",), "qwen3-8b", SFT, {**TRL_FSDP, "optimizer_bytes": 2}),
    ("sft-adamw-8bit", ("trl",), "qwen3-8b", SFT, {**TRL_FSDP, "optimizer": "adamw_8bit"}),
    ("sft-muon", ("openrlhf",), "qwen3-8b", SFT, {**TRL_ZERO, "optimizer": "muon", "zero_stage": 2}),
    ("grpo-muon", ("openrlhf",), "qwen3-8b", GRPO, {**TRL_ZERO, "optimizer": "muon", "zero_stage": 2}),
    ("grpo-paged", ("trl",), "qwen3-8b", GRPO, {**TRL_ZERO, "optimizer": "paged_adamw_8bit"}),
    ("sft-one-gpu", ("trl", "openrlhf"), "qwen3-0.6b", SFT, TRL_ZERO, 1),
    ("sft-one-gpu-fsdp", ("trl",), "qwen3-0.6b", SFT, TRL_FSDP, 1),
    ("sft-one-gpu-ddp", ("trl",), "qwen3-0.6b", SFT, TRL_DDP, 1),
    ("sft-ddp", ("trl",), "qwen3-0.6b", SFT, TRL_DDP),
    ("sft-ddp-two-nodes", ("trl",), "qwen3-0.6b", SFT, {**TRL_DDP, "recompute": "full"}, 16),
    ("sft-ddp-activations", ("trl",), "qwen3-0.6b", SFT, {**TRL_DDP, "offload": {"activations": True}}),
    ("sft-ddp-fp16", ("trl",), "qwen3-0.6b", {**SFT, "precision": "fp16"}, TRL_DDP),
    ("lora-ddp", ("trl",), "qwen3-8b", {**SFT, "kind": "lora", "lora": {"rank": 32, "targets": "attention"}}, TRL_DDP),
    ("qlora-ddp", ("trl",), "qwen3-8b", {**SFT, "kind": "qlora"}, TRL_DDP),
    ("qlora-ddp-paged", ("trl",), "qwen3-8b", {**SFT, "kind": "qlora"}, {**TRL_DDP, "optimizer": "paged_adamw_8bit"}, 1),
    ("dpo-lora-ddp", ("trl",), "qwen3-8b", {**PLAIN, "kind": "dpo", "lora": {"rank": 32}}, TRL_DDP),
    ("grpo-ddp", ("trl",), "qwen3-0.6b", rl(packing=False), TRL_DDP),
    ("grpo-lora-ddp", ("trl",), "qwen3-8b", rl(lora={"rank": 32}), TRL_DDP),
    ("grpo-split-ddp", ("trl",), "qwen3-0.6b", rl(schedule="split", train_gpus=4), {**TRL_DDP, "rollout": {"tensor_parallel": 4}}),
    ("sft-ulysses", ("trl",), "qwen3-8b", PLAIN, {**TRL_ZERO, "ulysses_parallel": 4}),
    ("sft-zero-activations", ("trl",), "qwen3-8b", SFT, {**TRL_ZERO, "recompute": "full", "offload": {"activations": True}}),
    ("sft-zero-offload-all", ("trl",), "qwen3-8b", SFT, {**TRL_ZERO, "offload": OFFLOAD}),
    ("sft-zero-offload", ("trl", "openrlhf"), "qwen3-8b", SFT, {**TRL_ZERO, "offload": {"optimizer": True, "gradients": True}}),
    ("sft-two-nodes", ("trl", "openrlhf"), "qwen3-8b", SFT, TRL_ZERO, 16),
    ("sft-recompute", ("trl", "openrlhf"), "qwen3-8b", SFT, {**TRL_ZERO, "recompute": "full"}),
    ("lora-attention", ("trl", "openrlhf"), "qwen3-8b", {**SFT, "kind": "lora", "lora": {"rank": 32, "targets": "attention"}}, TRL_ZERO),
    ("qlora", ("trl", "openrlhf"), "qwen3-8b", {**SFT, "kind": "qlora"}, TRL_ZERO),
    ("qlora-fsdp", ("trl",), "qwen3-8b", {**SFT, "kind": "qlora"}, TRL_FSDP),
    ("sft-tensor", ("openrlhf",), "qwen3-8b", SFT, {**TRL_ZERO, "tensor_parallel": 2, "zero_stage": 2}),
    ("sft-ring", ("openrlhf",), "qwen3-8b", SFT, {**TRL_ZERO, "context_parallel": 4}),
    ("sft-padded", ("openrlhf",), "qwen3-8b", PLAIN, TRL_ZERO),
    ("sft-fp32-gradients", ("openrlhf",), "qwen3-8b", SFT, {**TRL_ZERO, "gradient_bytes": 4}),
    ("grpo", ("trl", "openrlhf"), "qwen3-8b", rl(packing=False), TRL_ZERO),
    ("grpo-fsdp", ("trl",), "qwen3-8b", rl(packing=False), TRL_FSDP),
    ("grpo-hybrid", ("trl",), "qwen3-8b", GRPO, {**TRL_FSDP, "shard_group": 8}, 16),
    ("grpo-tokens", ("openrlhf",), "qwen3-8b", GRPO, RING),
    ("grpo-tensor-engine", ("trl", "openrlhf"), "qwen3-8b", GRPO, {**TRL_ZERO, "rollout": {"tensor_parallel": 2, "gpu_memory_utilization": 0.5}}),
    ("grpo-no-reference", ("trl", "openrlhf"), "qwen3-8b", rl(reference=False), TRL_ZERO),
    ("grpo-awake", ("trl", "openrlhf"), "qwen3-8b", GRPO, {**TRL_ZERO, "rollout": {"tensor_parallel": 1, "free_cache": False, "gpu_memory_utilization": 0.4}}),
    ("grpo-lora", ("trl",), "qwen3-8b", rl(lora={"rank": 32}), TRL_ZERO),
    ("grpo-bypass", ("trl",), "qwen3-8b", rl(mini_batch=128, old_log_prob=False), TRL_ZERO),
    ("grpo-two-epochs", ("trl", "openrlhf"), "qwen3-8b", rl(epochs=2), TRL_ZERO),
    ("grpo-reward-model", ("trl", "openrlhf"), "qwen3-8b", rl(reward_model="qwen3-0.6b"), TRL_ZERO),
    ("grpo-split", ("trl", "openrlhf"), "qwen3-8b", rl(schedule="split", train_gpus=4), APART),
    ("grpo-split-no-reference", ("openrlhf",), "qwen3-8b", rl(schedule="split", train_gpus=4, reference=False), TRL_ZERO),
    ("grpo-split-eager", ("trl",), "qwen3-8b", rl(schedule="split", train_gpus=8), {**APART, "rollout": {"tensor_parallel": 8, "enforce_eager": True, "kv_cache_dtype": "fp8"}}, 16),
    ("grpo-split-experts", ("trl",), "qwen3-30b-a3b", rl(schedule="split", train_gpus=8), {**APART, "recompute": "full", "rollout": {"tensor_parallel": 4, "data_parallel": 2}}, 16),
    ("grpo-two-nodes", ("trl", "openrlhf"), "qwen3-8b", GRPO, TRL_ZERO, 16),
    ("dapo-unfiltered", ("trl", "openrlhf"), "qwen3-8b", rl(kind="dapo", oversampling=1), TRL_ZERO),
    ("dapo", ("openrlhf",), "qwen3-8b", rl(kind="dapo"), TRL_ZERO),
    ("gspo", ("trl", "openrlhf"), "qwen3-8b", rl(kind="gspo"), TRL_ZERO),
    ("dr-grpo", ("trl", "openrlhf"), "qwen3-8b", rl(kind="dr_grpo"), TRL_ZERO),
    ("cispo", ("trl",), "qwen3-8b", rl(kind="cispo"), TRL_ZERO),
    ("rloo", ("trl", "openrlhf"), "qwen3-8b", rl(kind="rloo"), TRL_ZERO),
    ("rloo-fsdp", ("trl",), "qwen3-8b", rl(kind="rloo", reference=False), TRL_FSDP),
    ("reinforce-plus-plus", ("openrlhf",), "qwen3-8b", rl(kind="reinforce_plus_plus"), TRL_ZERO),
    ("agent", ("openrlhf",), "qwen3-8b", rl(agent=TOOLS), TRL_ZERO),
    ("grpo-filtered", ("openrlhf",), "qwen3-8b", rl(oversampling=2), TRL_ZERO),
    ("grpo-sleep", ("openrlhf",), "qwen3-8b", GRPO, {**TRL_ZERO, "offload": {"optimizer": True, "gradients": True}}),
    ("grpo-ring", ("openrlhf",), "qwen3-8b", GRPO, {**RING, "context_parallel": 2}),
    ("grpo-tensor", ("openrlhf",), "qwen3-8b", GRPO, {**TRL_ZERO, "tensor_parallel": 2, "zero_stage": 2}),
    ("grpo-eager", ("openrlhf",), "qwen3-8b", GRPO, {**TRL_ZERO, "recompute": "full", "rollout": {"tensor_parallel": 1, "enforce_eager": True}}),
    ("grpo-reference-away", ("openrlhf",), "qwen3-8b", GRPO, {**TRL_ZERO, "reference": {k: v for k, v in TRL_ZERO.items() if k != "rollout"} | {"offload": {"parameters": True}}}),
    ("ppo", ("openrlhf",), "qwen3-8b", rl(kind="ppo", responses_per_prompt=1), TRL_ZERO),
    ("ppo-no-reference", ("openrlhf",), "qwen3-8b", rl(kind="ppo", responses_per_prompt=4, reference=False), TRL_ZERO),
    ("ppo-reward-model", ("openrlhf",), "qwen3-8b", rl(kind="ppo", reward_model="qwen3-8b", critic="qwen3-4b", responses_per_prompt=2), TRL_ZERO, 16),
    ("one-step-off", ("openrlhf",), "qwen3-8b", rl(schedule="one_step_off", train_gpus=4), TRL_ZERO),
    ("one-step-off-ppo", ("openrlhf",), "qwen3-8b", rl(kind="ppo", responses_per_prompt=2, schedule="one_step_off", train_gpus=8), {**TRL_ZERO, "offload": {"optimizer": True, "gradients": True}}, 16),
    ("fully-async", ("openrlhf",), "qwen3-8b", rl(schedule="fully_async", train_gpus=4, max_staleness=2), TRL_ZERO),
    ("grpo-lora-fsdp", ("trl",), "qwen3-8b", rl(lora={"rank": 64, "targets": "attention"}), {**TRL_FSDP, "recompute": "full"}),
] + [(f"sft-{name}", ("trl",), "qwen3-8b", SFT, {**TRL_ZERO, "optimizer": name}) for name in TRAINER_OPTIMIZERS] + [
    (f"sft-zero-{stage}", ("trl", "openrlhf"), "llama-2-7b", SFT, {**TRL_ZERO, "zero_stage": stage}) for stage in range(3)] + [
    (f"grpo-zero-{stage}", ("trl", "openrlhf"), "qwen3-0.6b", GRPO, {**TRL_ZERO, "zero_stage": stage}) for stage in range(3)]

# What learns from preferences: each kind, with all weights, adapters, and a base in 4 bits, where a framework has it.
KTO_PLAN = {key: value for key, value in TRL_ZERO.items() if key != "rollout"}
ON_TRAINERS = ("llamafactory", "axolotl", "ms-swift")
PREFERENCES = {"dpo": ("trl", *ON_TRAINERS, "openrlhf"), "ipo": ("trl", *ON_TRAINERS, "openrlhf"), "kto": ("trl", *ON_TRAINERS),
               "orpo": ON_TRAINERS, "simpo": ON_TRAINERS, "reward_model": ("trl", *ON_TRAINERS, "openrlhf")}
PAIRS = {"sequence_length": 2048, "mean_sequence_length": 900, "global_batch": 64}
STATED += [(f"{kind}-{name}", frameworks, "qwen3-8b", {"kind": kind, **PAIRS, **work}, KTO_PLAN)
           for kind, frameworks in PREFERENCES.items()
           for name, work in (("all-weights", {}), ("lora", {"lora": {"rank": 16}}), ("qlora", {"lora": {"rank": 16, "load_in_4bit": True}}))] + [
    (f"{kind}-fsdp", tuple(own for own in frameworks if own != "openrlhf"), "qwen3-8b", {"kind": kind, **PAIRS}, {**KTO_PLAN, "backend": "fsdp"})
    for kind, frameworks in PREFERENCES.items()] + [
    ("dpo-precomputed", ("trl", "axolotl"), "qwen3-8b", {"kind": "dpo", **PAIRS, "precompute_ref_log_probs": True}, KTO_PLAN),
    ("kto-precomputed", ("trl",), "qwen3-8b", {"kind": "kto", **PAIRS, "precompute_ref_log_probs": True}, KTO_PLAN),
    ("dpo-offload", ("trl", *ON_TRAINERS), "qwen3-8b", {"kind": "dpo", **PAIRS}, {**KTO_PLAN, "offload": OFFLOAD}),
    ("dpo-reference-away", ("openrlhf",), "qwen3-8b", {"kind": "dpo", **PAIRS}, {**KTO_PLAN, "reference": {**KTO_PLAN, "offload": {"parameters": True}}}),
    ("dpo-ring", ("openrlhf",), "qwen3-8b", {"kind": "dpo", **PAIRS, "packing": True}, {**KTO_PLAN, "context_parallel": 2}),
    ("dpo-two-nodes", ("trl", *ON_TRAINERS, "openrlhf"), "qwen3-8b", {"kind": "dpo", **PAIRS, "run": {"examples": 60_000, "epochs": 2}}, {**KTO_PLAN, "recompute": "full"}, 16),
    ("dpo-ulysses", ("ms-swift",), "qwen3-8b", {"kind": "dpo", **PAIRS}, {**KTO_PLAN, "ulysses_parallel": 4}),
    ("kto-one-by-one", ("ms-swift",), "qwen3-8b", {"kind": "kto", **PAIRS}, {**KTO_PLAN, "micro_batch": 1}),
    ("reward-model-scored", ("deepspeed",), "qwen3-8b", {"kind": "reward_model", **PAIRS}, ZERO),
]

# Images: what trains of the vision tower, where a framework has a word for it.
SEEN = {"width": 640, "height": 480}
TRAINED_TOWER = {"images": {**SEEN, "vision_tower": "trained"}}
STATED += [
    ("images-frozen", ("llamafactory", "ms-swift"), "qwen2.5-vl-7b", {**PLAIN, "images": {**SEEN, "vision_tower": "frozen", "max_pixels": 589_824}}, ZERO),
    ("images-projector", ("llamafactory", "ms-swift"), "internvl3.5-8b", {**PLAIN, "images": {**SEEN, "vision_tower": "projector"}}, ZERO),
    ("images-trained", ("trl", "llamafactory", "ms-swift"), "qwen2.5-vl-7b", {**PLAIN, **TRAINED_TOWER}, KTO_PLAN),
    ("images-lora", ("llamafactory", "ms-swift"), "qwen3-vl-8b", {**PLAIN, "kind": "lora", "images": SEEN}, ZERO),
    ("images-grpo", ("verl",), "qwen2.5-vl-7b", {**GRPO, **TRAINED_TOWER}, FSDP),
    ("images-grpo-lora", ("verl",), "qwen3-vl-8b", {**GRPO, "lora": {"rank": 16}, "images": SEEN}, FSDP),
    ("images-grpo-trl", ("trl",), "qwen2.5-vl-7b", {**GRPO, **TRAINED_TOWER}, TRL_ZERO),
]

# A teacher: in veRL on a pool of its own, beside the student in TRL and, of given text, in ms-swift.
SERVED = {"teacher": "qwen3-32b", "placement": "pool", "gpus": 4, "tensor_parallel": 2, "gpu_memory_utilization": 0.6}
BESIDE = {"teacher": "qwen3-14b"}
UNSCORED = {"responses_per_prompt": 1, "mini_batch": 128, "old_log_prob": False}


def distilled(teacher, **changes):
    return {"kind": "distill", "distillation": teacher, **{k: changes.pop(k) for k in ("packing", "lora") if k in changes}, "rl": {**RL, "responses_per_prompt": 1, **changes}}


STATED += [
    ("distill", ("verl",), "qwen3-8b", distilled(SERVED), FSDP),
    ("distill-megatron", ("verl",), "qwen3-8b", distilled({**SERVED, "logits": "top_k", "top_k": 32}), MEGATRON),
    ("distill-top-k", ("verl",), "qwen3-8b", distilled({**SERVED, "logits": "top_k"}), {**FSDP, "fused_lm_head": False}),
    ("distill-two-nodes-of-a-teacher", ("verl",), "qwen3-8b", distilled({**SERVED, "gpus": 16, "max_num_batched_tokens": 4096}), FSDP),
    ("distill-narrow-teacher", ("verl",), "qwen3-8b", distilled({**SERVED, "precision": "fp8"}, responses_per_prompt=4), FSDP),
    ("streamed-distill", ("verl",), "qwen3-8b", distilled(SERVED, schedule="fully_async", train_gpus=4, max_staleness=0.1), FSDP),
    ("distill-ahead", ("verl",), "qwen3-8b", distilled(SERVED, schedule="one_step_off", train_gpus=4), FSDP),
    ("distill-lora", ("verl",), "qwen3-8b", distilled(SERVED, lora={"rank": 32}), FSDP),
    ("distill", ("trl",), "qwen3-1.7b", distilled(BESIDE, packing=False, **UNSCORED), TRL_ZERO),
    ("distill-sharded", ("trl",), "qwen3-8b", distilled(BESIDE, packing=False, **UNSCORED), {**TRL_ZERO, "zero_stage": 3, "recompute": "full"}),
    ("distill-lora", ("trl",), "qwen3-8b", distilled(BESIDE, packing=False, lora={"rank": 32}, **UNSCORED), TRL_ZERO),
    ("distill-split", ("trl",), "qwen3-8b", distilled(BESIDE, packing=False, schedule="split", train_gpus=4, **UNSCORED), APART),
] + [(f"distilled-{kind}-{backend}", ("ms-swift",), "qwen3-8b", {**PLAIN, "kind": kind, "distillation": BESIDE}, {**KTO_PLAN, "backend": backend})
     for kind in ("sft", "lora", "qlora") for backend in ("deepspeed", "fsdp")] + [
    ("distilled-liger", ("ms-swift",), "qwen3-8b", {**PLAIN, "distillation": BESIDE}, {**KTO_PLAN, "fused_lm_head": True}),
    ("distilled-top-k", ("ms-swift",), "qwen3-8b", {**PLAIN, "distillation": {**BESIDE, "logits": "top_k", "top_k": 100}}, {**KTO_PLAN, "fused_lm_head": False}),
    ("distilled-two-nodes", ("ms-swift",), "qwen3-8b", {**PLAIN, "distillation": BESIDE}, {**KTO_PLAN, "recompute": "full"}, 16),
]

# Megatron-LM and Megatron-Bridge: every key that either can write.
TRAINED = {"backend": "megatron", "tensor_parallel": 2, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 1, "recompute": "none"}
PRETRAIN = {**SFT, "kind": "pretrain"}
BUDGET = {key: value for key, value in TRAINED.items() if key != "micro_batch"} | {"max_tokens_per_gpu": 4096}
LORA = {**SFT, "kind": "lora", "lora": {"rank": 16, "targets": "attention"}}
BOTH = ("megatron-lm", "megatron-bridge")


def selective(*modules):
    return {"granularity": "selective", "modules": list(modules)}


STATED += [
    ("tensor-pretrain", BOTH, "qwen3-8b", PRETRAIN, TRAINED),
    ("tensor-sft", BOTH, "qwen3-8b", SFT, TRAINED),
    ("one-gpu-parts", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "tensor_parallel": 1}),
    ("no-sequence-parallel", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "sequence_parallel": False}),
    ("pipeline", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "pipeline_parallel": 4}),
    ("chunks", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "pipeline_parallel": 2, "virtual_pipeline": 3}),
    ("uneven-pipeline", BOTH, "deepseek-v2-lite", PRETRAIN, {**TRAINED, "pipeline_parallel": 4, "expert_parallel": 2}),
    ("context", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "context_parallel": 2}),
    ("context-sft", BOTH, "qwen3-8b", SFT, {**TRAINED, "context_parallel": 2}),
    ("experts", BOTH, "qwen3-30b-a3b", PRETRAIN, {**TRAINED, "expert_parallel": 4}),
    ("split-experts", BOTH, "qwen3-30b-a3b", SFT, {**TRAINED, "expert_parallel": 4, "expert_tensor_parallel": 2}),
    ("shared-experts", BOTH, "moonlight-16b-a3b", PRETRAIN, {**TRAINED, "expert_parallel": 8, "recompute": selective("mla_up_proj", "moe_act", "layernorm", "shared_experts")}),
    ("full", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "recompute": "full"}),
    ("selective", BOTH, "llama-3.1-8b", PRETRAIN, {**TRAINED, "recompute": "selective"}),
    ("selective-experts", BOTH, "qwen3-30b-a3b", PRETRAIN, {**TRAINED, "expert_parallel": 8, "recompute": selective("core_attn", "moe", "mlp")}),
    ("offload", BOTH, "qwen3-8b", SFT, {**TRAINED, "offload": {"optimizer": True}}),
    ("half-offload", BOTH, "qwen3-8b", SFT, {**TRAINED, "optimizer_offload_fraction": 0.5}),
    ("no-distributed-optimizer", BOTH, "qwen3-0.6b", PRETRAIN, {**TRAINED, "zero_stage": 0}),
    ("no-overlap", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "overlap": {"gradients": False, "parameters": False, "tensor_parallel": False}}),
    ("tensor-overlap", BOTH, "llama-3.1-8b", PRETRAIN, {**TRAINED, "overlap": {"gradients": True, "parameters": True, "tensor_parallel": True}}),
    ("narrow-states", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "optimizer_bytes": 4, "master_weights_bytes": 2}),
    ("sgd", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "optimizer": "sgd"}),
    ("muon", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "optimizer": "muon", "zero_stage": 0, "overlap": {"gradients": False, "parameters": False}}),
    ("muon-by-layers", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "optimizer": "muon", "overlap": {"gradients": False, "parameters": False}}),
    ("fp8-states", BOTH[:1], "qwen3-8b", PRETRAIN, {**TRAINED, "optimizer_bytes": 2}),
    ("muon-beside", BOTH[:1], "qwen3-8b", PRETRAIN, {**TRAINED, "optimizer": "muon"}),
    ("bf16-gradients", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "gradient_bytes": 2}),
    ("fp16", BOTH, "qwen3-8b", {**PRETRAIN, "precision": "fp16"}, TRAINED),
    ("fp8", BOTH, "qwen3-8b", {**PRETRAIN, "precision": "fp8"}, TRAINED),
    ("fp8-offload", BOTH, "qwen3-8b", {**PRETRAIN, "precision": "fp8"}, {**TRAINED, "offload": {"optimizer": True}}),
    ("fp8-experts", BOTH, "qwen3-30b-a3b", {**PRETRAIN, "precision": "fp8"}, {**TRAINED, "expert_parallel": 8}),
    ("mxfp8", BOTH, "qwen3-8b", {**PRETRAIN, "precision": "mxfp8"}, TRAINED),
    ("nvfp4", BOTH, "llama-3.1-8b", {**PRETRAIN, "precision": "nvfp4"}, TRAINED),
    ("eager-loss", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "fused_loss": False}),
    ("fused-head", BOTH, "qwen3-8b", PRETRAIN, {**TRAINED, "fused_lm_head": True}),
    ("two-sequences", BOTH, "qwen3-8b", SFT, {**TRAINED, "micro_batch": 2}),
    ("tokens-of-a-batch", BOTH, "qwen3-8b", PRETRAIN, {**BUDGET, "max_tokens_per_gpu": 8192}),
    ("run-length", BOTH, "qwen3-8b", {**PRETRAIN, "tokens": 1e10}, TRAINED),
    ("tied", BOTH, "qwen3-0.6b", PRETRAIN, TRAINED),
    ("biases", BOTH, "qwen2.5-7b", SFT, TRAINED),
    ("flash-attention", BOTH[:1], "qwen3-8b", PRETRAIN, {**TRAINED, "attention_kernel": "flash3"}),
    ("unfused-attention", BOTH[:1], "qwen3-8b", PRETRAIN, {**TRAINED, "attention": "unfused"}),
    ("learned-positions", BOTH[:1], "gpt3-175b", {**PRETRAIN, "sequence_length": 2048}, {**TRAINED, "tensor_parallel": 8, "recompute": "full"}),
    ("layer-norm", BOTH[:1], "pythia-6.9b", {**PRETRAIN, "sequence_length": 2048}, TRAINED),
    ("latent-queries", BOTH[:1], "minicpm3-4b", PRETRAIN, TRAINED),
    ("gated-shared-expert", BOTH[:1], "qwen1.5-moe-a2.7b", PRETRAIN, {**TRAINED, "expert_parallel": 4}),
    ("router-bias", BOTH[:1], "deepseek-v3", PRETRAIN, {**TRAINED, "expert_parallel": 8}),
    ("short-documents", BOTH, "qwen3-8b", {**PRETRAIN, "mean_sequence_length": 1000}, {**BUDGET, "max_tokens_per_gpu": 8192}),
    ("packed", BOTH[1:], "qwen3-8b", {**SFT, "mean_sequence_length": 1000}, BUDGET),
    ("packed-context", BOTH[1:], "qwen3-8b", {**SFT, "mean_sequence_length": 1000}, {**BUDGET, "context_parallel": 2, "max_tokens_per_gpu": 2048}),
    ("padded", BOTH[1:], "qwen3-8b", {**SFT, "mean_sequence_length": 1000, "packing": False}, TRAINED),
    ("lora-attention", BOTH[1:], "qwen3-8b", LORA, TRAINED),
    ("lora-all", BOTH[1:], "llama-3.1-8b", {**LORA, "lora": {"rank": 64}}, {**TRAINED, "tensor_parallel": 1}),
    ("lora-experts", BOTH[1:], "qwen3-30b-a3b", LORA, {**TRAINED, "expert_parallel": 4}),
    ("lora-latent", BOTH[1:], "moonlight-16b-a3b", LORA, {**TRAINED, "expert_parallel": 8}),
    ("windows", BOTH[1:], "gemma-2-9b", SFT, TRAINED),
    ("sinks", BOTH[1:], "gpt-oss-20b", SFT, {**TRAINED, "expert_parallel": 8}),
    ("latent-sft", BOTH[1:], "moonlight-16b-a3b", SFT, {**TRAINED, "expert_parallel": 4, "recompute": {"granularity": "selective", "modules": ["mla_up_proj"]}}),
    ("linear-attention", BOTH[1:], "qwen3-next-80b-a3b", SFT, {**TRAINED, "expert_parallel": 8}),
]

# slime: every key that it can write.
ALL_AWAY = {"parameters": True, "gradients": True, "optimizer": True}
SLIME = {**MEGATRON, "recompute": "full"}
STATED += [(name, ("slime",), model, work, {**SLIME, **plan}, *gpus) for name, model, work, plan, *gpus in (
    ("plain", "qwen3-8b", GRPO, {}),
    ("offload", "qwen3-8b", GRPO, {"offload": ALL_AWAY}),
    ("pipeline", "qwen3-8b", GRPO, {"pipeline_parallel": 2}),
    ("chunks", "qwen3-8b", GRPO, {"tensor_parallel": 1, "pipeline_parallel": 2, "virtual_pipeline": 2}),
    ("uneven-stages", "moonlight-16b-a3b", GRPO, {"tensor_parallel": 1, "pipeline_parallel": 2, "expert_parallel": 2}),
    ("context", "qwen3-8b", GRPO, {"context_parallel": 2, "max_tokens_per_gpu": 4096}),
    ("experts", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8}),
    ("expert-tensor", "qwen3-30b-a3b", GRPO, {"expert_parallel": 4, "expert_tensor_parallel": 2}),
    ("expert-engine", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "rollout": {"tensor_parallel": 2, "data_parallel": 4, "expert_parallel": 8}}),
    ("deepep", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "moe_enable_deepep": True}, 16),
    ("no-deepep", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "moe_enable_deepep": False}, 16),
    ("selective", "qwen3-8b", GRPO, {"recompute": "selective"}),
    ("modules", "qwen3-30b-a3b", GRPO, {"recompute": selective("moe_act", "layernorm", "core_attn")}),
    ("some-layers", "qwen3-8b", GRPO, {"recompute": {"granularity": "full", "num_layers": 7}}),
    ("no-recompute", "qwen3-8b", GRPO, {"recompute": "none"}),
    ("host-step", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "optimizer_offload_fraction": 1}),
    ("bf16-gradients", "qwen3-8b", GRPO, {"gradient_bytes": 2}),
    ("narrow-states", "qwen3-8b", GRPO, {"optimizer_bytes": 4}),
    ("no-overlap", "qwen3-8b", GRPO, {"overlap": {"gradients": False, "parameters": False}}),
    ("forward-budget", "qwen3-8b", GRPO, {"forward_max_tokens_per_gpu": 32768}),
    ("sequences", "qwen3-8b", GRPO, {"micro_batch": 2, "max_tokens_per_gpu": None}),
    ("experts-overlap", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "recompute": "none", "overlap_moe_expert_parallel_comm": True}),
    ("cudnn", "qwen3-8b", GRPO, {"attention_kernel": "cudnn"}),
    ("eager-engine", "qwen3-8b", GRPO, {"rollout": {"tensor_parallel": 2, "enforce_eager": True, "max_num_seqs": 64}}),
    ("fp8-cache", "qwen3-8b", GRPO, {"rollout": {"tensor_parallel": 1, "kv_cache_dtype": "fp8"}}),
    ("no-reference", "qwen3-8b", rl(reference=False), {}),
    ("bypass", "qwen3-8b", rl(old_log_prob=False), {}),
    ("unbalanced", "qwen3-8b", rl(balance_batch=False), {}),
    ("dapo", "qwen3-8b", rl(kind="dapo", gen_batch_size=192), {}),
    ("gspo", "qwen3-30b-a3b", rl(kind="gspo"), {"expert_parallel": 8}),
    ("cispo", "qwen3-8b", rl(kind="cispo"), {}),
    ("reinforce-plus-plus", "qwen3-8b", rl(kind="reinforce_plus_plus"), {}),
    ("split", "qwen3-8b", rl(schedule="split", train_gpus=4), {}),
    ("one-step-off", "qwen3-8b", rl(schedule="one_step_off", train_gpus=8), {}, 16),
    ("two-nodes", "glm-4.5-air", GRPO, {"expert_parallel": 8, "tensor_parallel": 4, "pipeline_parallel": 2, "rollout": {"tensor_parallel": 8}}, 64),
    ("half-a-node", "qwen3-0.6b", GRPO, {}, 4),
    ("latent-attention", "moonlight-16b-a3b", GRPO, {"expert_parallel": 8}),
    ("a-run", "llama-3.1-8b", {**GRPO, "run": {"steps": 200}}, {}),
)]

# NeMo-RL and SkyRL: what both run, and then every other key that each can write. What trains makes room for its engines.
NEMO_MEGATRON, NEMO = {**MEGATRON, "recompute": "full", "offload": ALL_AWAY}, {**FSDP, "offload": ALL_AWAY}
PADDED = {"max_tokens_per_gpu": None, "micro_batch": 4}
NEMO_APART = {"offload": {}}
BRIDGED = ("nemo-rl", "skyrl")
STATED += [(name, BRIDGED, model, work, {**NEMO_MEGATRON, **plan}, *gpus) for name, model, work, plan, *gpus in (
    ("plain", "qwen3-8b", GRPO, {}),
    ("pipeline", "qwen3-8b", GRPO, {"pipeline_parallel": 2}),
    ("uneven-stages", "moonlight-16b-a3b", GRPO, {"tensor_parallel": 1, "pipeline_parallel": 2, "expert_parallel": 2}),
    ("context", "qwen3-8b", GRPO, {"context_parallel": 2, "max_tokens_per_gpu": 4096}),
    ("experts", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8}),
    ("expert-tensor", "qwen3-30b-a3b", GRPO, {"expert_parallel": 4, "expert_tensor_parallel": 2}),
    ("expert-engine", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "rollout": {"tensor_parallel": 2, "data_parallel": 4, "expert_parallel": 8}}),
    ("deepep", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "moe_enable_deepep": True}, 16),
    ("no-deepep", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "moe_enable_deepep": False}, 16),
    ("selective", "qwen3-8b", GRPO, {"recompute": "selective"}),
    ("modules", "qwen3-30b-a3b", GRPO, {"recompute": selective("moe_act", "layernorm", "core_attn")}),
    ("no-recompute", "qwen3-8b", GRPO, {"recompute": "none"}),
    ("host-step", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "optimizer_offload_fraction": 1, "offload": {**ALL_AWAY, "optimizer": False}}),
    ("bf16-gradients", "qwen3-8b", GRPO, {"gradient_bytes": 2}),
    ("no-overlap", "qwen3-8b", GRPO, {"overlap": {"gradients": False, "parameters": False}}),
    ("plain-rope", "qwen3-8b", GRPO, {"apply_rope_fusion": False}),
    ("cudnn", "qwen3-8b", GRPO, {"attention_kernel": "cudnn"}),
    ("reinforce-plus-plus", "qwen3-8b", rl(kind="reinforce_plus_plus"), {}),
    ("two-nodes", "glm-4.5-air", GRPO, {"expert_parallel": 8, "tensor_parallel": 4, "pipeline_parallel": 2, "rollout": {"tensor_parallel": 8}}, 64),
    ("latent-attention", "moonlight-16b-a3b", GRPO, {"expert_parallel": 8}),
    ("adapters", "qwen3-8b", rl(lora={"rank": 32, "targets": "attention"}), {}),
)]
STATED += [(name, BRIDGED, model, work, {**NEMO, **plan}, *gpus) for name, model, work, plan, *gpus in (
    ("plain-fsdp", "qwen3-8b", GRPO, {}),
    ("no-recompute-fsdp", "qwen3-8b", GRPO, {"recompute": "none"}),
    ("sequences", "qwen3-8b", GRPO, PADDED),
    ("padded", "qwen3-8b", rl(packing=False), {**PADDED, "forward_micro_batch": 16}),
    ("no-reference", "qwen3-8b", rl(reference=False), {}),
    ("cispo", "qwen3-8b", rl(kind="cispo"), {}),
    ("rloo", "qwen3-8b", rl(kind="rloo"), {}),
    ("split", "qwen3-8b", rl(schedule="split", train_gpus=4), NEMO_APART),
    ("split-nodes", "qwen3-8b", rl(schedule="split", train_gpus=16), NEMO_APART, 24),
    ("half-a-node", "qwen3-0.6b", GRPO, {}, 4),
    ("a-run", "llama-3.1-8b", {**GRPO, "run": {"steps": 200}}, {}),
)]
# NeMo-RL alone.
STATED += [(name, ("nemo-rl",), model, work, {**NEMO_MEGATRON, **plan}, *gpus) for name, model, work, plan, *gpus in (
    ("fp8", "qwen3-8b", rl(precision="fp8"), {}),
    ("fp8-engine", "qwen3-8b", GRPO, {"rollout": {"tensor_parallel": 1, "precision": "fp8", "kv_cache_dtype": "fp8"}}),
    ("padded-megatron", "qwen3-8b", rl(packing=False), {**PADDED, "forward_micro_batch": 4, "tensor_parallel": 4}),
    ("fully-async", "qwen3-8b", rl(schedule="fully_async", train_gpus=8, max_staleness=2), NEMO_APART, 16),
    ("latent-adapters", "moonlight-16b-a3b", {**SFT, "kind": "lora", "lora": {"rank": 16, "targets": "attention"}}, {"expert_parallel": 8, "offload": {}}),
    ("fine-tuning-megatron", "llama-3.1-8b", {**SFT, "mean_sequence_length": 1500}, {"optimizer_offload_fraction": 0.5, "offload": {}}),
    ("dpo-megatron", "llama-3.1-8b", {**SFT, "kind": "dpo", "packing": False}, {"offload": {}, **PADDED}),
)]
STATED += [(name, ("nemo-rl",), model, work, {**NEMO, **plan}, *gpus) for name, model, work, plan, *gpus in (
    ("tensor-fsdp", "qwen3-8b", GRPO, {"tensor_parallel": 4}),
    ("tensor-norms", "qwen3-8b", GRPO, {"tensor_parallel": 2, "sequence_parallel": False}),
    ("context-fsdp", "qwen3-8b", rl(packing=False), {"context_parallel": 2, "max_tokens_per_gpu": 4096}),
    ("forward-budget", "qwen3-8b", GRPO, {"forward_max_tokens_per_gpu": 32768}),
    ("eager-engine", "qwen3-8b", GRPO, {"rollout": {"tensor_parallel": 2, "enforce_eager": True, "max_num_seqs": 64}}),
    ("bypass", "qwen3-8b", rl(old_log_prob=False, mini_batch=128), {}),
    ("dapo", "qwen3-8b", rl(kind="dapo", gen_batch_size=192), {}),
    ("gspo", "qwen3-8b", rl(kind="gspo"), {}),
    ("adapters-fsdp", "qwen3-8b", rl(lora={"rank": 32, "targets": "attention"}), {"tensor_parallel": 2}),
    ("fine-tuning", "qwen3-8b", SFT, {"offload": {}}),
    ("fine-tuning-in-host-memory", "qwen3-8b", SFT, {}),
    ("dpo", "llama-3.1-8b", {**SFT, "kind": "dpo", "packing": False}, {"offload": {}, **PADDED, "tensor_parallel": 2}),
    ("dpo-adapters", "llama-3.1-8b", {**SFT, "kind": "dpo", "packing": False, "lora": {"rank": 16}}, {"offload": {}, **PADDED}),
)]

# SkyRL alone.
STREAM = {"mini_batch": 128, "old_log_prob": False, "schedule": "fully_async"}
STATED += [(name, ("skyrl",), model, work, {**NEMO_MEGATRON, **plan}, *gpus) for name, model, work, plan, *gpus in (
    ("some-layers", "qwen3-8b", GRPO, {"recompute": {"granularity": "full", "num_layers": 7}}),
    ("half-host-step", "qwen3-8b", GRPO, {"optimizer_offload_fraction": 0.5, "offload": {**ALL_AWAY, "optimizer": False}}),
    ("flash", "qwen3-8b", GRPO, {"attention_kernel": "flash3"}),
    ("fused-head", "qwen3-8b", GRPO, {"fused_lm_head": True}),
    ("padded-megatron", "qwen3-8b", rl(packing=False), {**PADDED, "tensor_parallel": 4}),
    ("gspo", "qwen3-30b-a3b", rl(kind="gspo"), {"expert_parallel": 8}),
    ("bypass-megatron", "qwen3-8b", rl(kind="dr_grpo", old_log_prob=False), {}),
    ("fully-async", "qwen3-8b", rl(**STREAM, train_gpus=8, max_staleness=2), NEMO_APART, 16),
    ("split-megatron", "qwen3-30b-a3b", rl(schedule="split", train_gpus=8), {**NEMO_APART, "expert_parallel": 8}, 16),
    ("sinks", "gpt-oss-20b", GRPO, {"expert_parallel": 8}),
    ("latent-adapters", "moonlight-16b-a3b", rl(lora={"rank": 16, "targets": "attention"}), {"expert_parallel": 8}),
    ("eager-adapters", "qwen3-8b", rl(lora={"rank": 16}), {"rollout": {"tensor_parallel": 1, "enforce_eager": True}}),
    ("agent-megatron", "qwen3-30b-a3b", rl(agent=TOOLS), {"expert_parallel": 8}),
    ("agent-fully-async", "qwen3-8b", rl(**STREAM, train_gpus=8, max_staleness=2, agent=TOOLS), NEMO_APART, 16),
    ("fp8-engine-megatron", "qwen3-30b-a3b", GRPO, {"expert_parallel": 8, "rollout": {"tensor_parallel": 2, "precision": "fp8", "kv_cache_dtype": "fp8"}}),
)]
STATED += [(name, ("skyrl",), model, work, {**NEMO, **plan}, *gpus) for name, model, work, plan, *gpus in (
    ("ulysses", "qwen3-8b", GRPO, {"ulysses_parallel": 2, "max_tokens_per_gpu": 4096}),
    ("hybrid-shards", "qwen3-8b", GRPO, {"shard_group": 4}),
    ("zero-2", "qwen3-8b", GRPO, {"zero_stage": 2}),
    ("one-budget", "qwen3-8b", GRPO, {"forward_max_tokens_per_gpu": 8192}),
    ("engine", "qwen3-8b", GRPO, {"rollout": {"tensor_parallel": 2, "enforce_eager": True, "max_num_seqs": 64, "max_num_batched_tokens": 16384, "chunked_prefill": False}}),
    ("bypass", "qwen3-8b", rl(old_log_prob=False), {}),
    ("twice-over", "qwen3-8b", rl(epochs=2), {}),
    ("dapo", "qwen3-8b", rl(kind="dapo"), {}),
    ("dapo-unfiltered", "qwen3-8b", rl(kind="dapo", oversampling=1), {}),
    ("filtered", "qwen3-8b", rl(oversampling=2), {}),
    ("dr-grpo", "qwen3-8b", rl(kind="dr_grpo"), {}),
    ("rloo-bypass", "qwen3-8b", rl(kind="rloo", reference=False, old_log_prob=False), {}),
    ("ppo", "qwen3-8b", rl(kind="ppo", critic="qwen3-4b", responses_per_prompt=2), {"ulysses_parallel": 2}),
    ("ppo-no-reference", "qwen3-8b", rl(kind="ppo", responses_per_prompt=4, reference=False), {}),
    ("adapters-fsdp", "qwen3-8b", rl(lora={"rank": 32, "targets": "attention"}), {}),
    ("one-step-off", "qwen3-8b", rl(kind="dapo", schedule="one_step_off", train_gpus=4), NEMO_APART),
    ("agent", "qwen3-8b", rl(agent=TOOLS), {}),
    ("agent-dapo", "qwen3-8b", rl(kind="dapo", agent={"max_turns": 2}, schedule="one_step_off", train_gpus=4), NEMO_APART),
    ("agent-ppo", "qwen3-8b", rl(kind="ppo", responses_per_prompt=2, agent={"turns": 1.2, "tool_response_length": 0}), {}),
    ("images-grpo", "qwen2.5-vl-7b", {**rl(packing=False), **TRAINED_TOWER}, PADDED),
    ("images-adapters", "qwen3-vl-8b", {**rl(packing=False, lora={"rank": 16}), "images": SEEN}, PADDED),
    ("images-agent", "qwen3-vl-8b", {**rl(packing=False, agent=TOOLS, schedule="one_step_off", train_gpus=4), **TRAINED_TOWER}, {**PADDED, **NEMO_APART}),
    ("no-images", "qwen2.5-vl-7b", rl(packing=False), PADDED),
    ("fp8-engine", "qwen3-8b", GRPO, {"rollout": {"tensor_parallel": 1, "precision": "fp8"}}),
    ("fp8-cache", "qwen3-8b", rl(old_log_prob=False), {"rollout": {"tensor_parallel": 1, "kv_cache_dtype": "fp8"}}),
    ("fully-async-fsdp", "qwen3-8b", rl(**STREAM, train_gpus=4, reference=False), NEMO_APART),
    ("fully-async-rloo", "qwen3-8b", rl(kind="rloo", **{**STREAM, "old_log_prob": True}, train_gpus=4), NEMO_APART),
)]

TITAN_WORK = {"kind": "pretrain", "sequence_length": 8192, "global_batch": 64}
TITAN_PLAN = {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 1, "recompute": "none"}
STATED += [(name, ("torchtitan",), model, {**TITAN_WORK, **work}, {**TITAN_PLAN, **plan}) for name, model, work, plan in (
    ("plain", "llama-3.1-8b", {}, {}),
    ("full", "llama-3.1-8b", {}, {"recompute": "full"}),
    ("selective", "llama-3.1-8b", {}, {"recompute": "selective"}),
    ("hybrid-shards", "llama-3.1-8b", {}, {"shard_group": 4}),
    ("zero-2", "llama-3.1-8b", {}, {"zero_stage": 2}),
    ("ddp", "qwen3-0.6b", {}, {"backend": "ddp"}),
    ("tensor", "llama-3.1-8b", {}, {"tensor_parallel": 4}),
    ("async-tensor", "llama-3.1-8b", {}, {"tensor_parallel": 4, "overlap": {"tensor_parallel": True}}),
    ("context", "llama-3.1-8b", {"sequence_length": 65536, "global_batch": 8}, {"context_parallel": 8}),
    ("context-shards", "llama-3.1-8b", {}, {"context_parallel": 2, "shard_group": 4}),
    ("pipeline", "llama-3.1-8b", {}, {"pipeline_parallel": 2}),
    ("uneven-stages", "deepseek-v2-lite", {}, {"pipeline_parallel": 2}),
    ("chunks", "llama-3.1-8b", {}, {"pipeline_parallel": 4, "virtual_pipeline": 2}),
    ("many-chunks", "llama-3.1-8b", {}, {"pipeline_parallel": 2, "virtual_pipeline": 4}),
    ("zero-bubble", "llama-3.1-8b", {}, {"pipeline_parallel": 2, "virtual_pipeline": 2, "pipeline_schedule": "interleaved_zero_bubble"}),
    ("zbv", "llama-3.1-8b", {}, {"pipeline_parallel": 2, "pipeline_schedule": "zbv_zero_bubble"}),
    ("dual-pipe-v", "deepseek-v2-lite", {}, {"pipeline_parallel": 2, "expert_parallel": 4, "pipeline_schedule": "dual_pipe_v"}),
    ("dual-pipe-v-again", "deepseek-v2-lite", {}, {"pipeline_parallel": 2, "expert_parallel": 4, "pipeline_schedule": "dual_pipe_v", "recompute": "full"}),
    ("all-four", "llama-3.1-8b", {}, {"tensor_parallel": 2, "pipeline_parallel": 2, "context_parallel": 2, "recompute": "full"}),
    ("experts", "qwen3-30b-a3b", {}, {"expert_parallel": 8}),
    ("experts-over-tensor", "qwen3-30b-a3b", {}, {"tensor_parallel": 2, "expert_parallel": 8}),
    ("experts-split-alone", "deepseek-v2-lite", {}, {"tensor_parallel": 2, "expert_tensor_parallel": 2}),
    ("expert-pipeline", "deepseek-v2-lite", {}, {"pipeline_parallel": 2, "expert_parallel": 4}),
    ("fp8", "llama-3.1-8b", {"precision": "fp8"}, {}),
    ("fp8-ddp", "qwen3-0.6b", {"precision": "fp8"}, {"backend": "ddp"}),
    ("fp8-experts", "qwen3-30b-a3b", {"precision": "fp8"}, {"expert_parallel": 8}),
    ("bf16-states", "llama-3.1-8b", {}, {"master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4}),
    ("offload", "llama-3.1-8b", {}, {"offload": OFFLOAD}),
    ("eager-loss", "llama-3.1-8b", {}, {"fused_loss": False}),
    ("gpt-oss-eager", "gpt-oss-20b", {}, {"fused_loss": False, "expert_parallel": 8}),
    ("tokens", "llama-3.1-8b", {"tokens": 1e10}, {}),
    ("chunked-loss", "llama-3.1-8b", {}, {"fused_lm_head": True}),
    ("whole-norms", "llama-3.1-8b", {}, {"tensor_parallel": 2, "sequence_parallel": False}),
    ("context-experts", "deepseek-v2-lite", {}, {"context_parallel": 2, "expert_parallel": 4}),
    ("qwen-pipeline", "qwen3-30b-a3b", {}, {"pipeline_parallel": 2, "expert_parallel": 4}),
    ("gpt-oss-context", "gpt-oss-20b", {}, {"context_parallel": 2}),
    ("gpt-oss-pipeline", "gpt-oss-20b", {}, {"pipeline_parallel": 2, "expert_parallel": 4}),
    ("fp8-expert-pipeline", "deepseek-v2-lite", {"precision": "fp8"}, {"pipeline_parallel": 2, "expert_parallel": 4}),
    ("documents", "llama-3.1-8b", {"mean_sequence_length": 2048, "packing": True}, {}),
)]

TRAINER = {"backend": "fsdp", "tensor_parallel": 1, "pipeline_parallel": 1, "context_parallel": 1, "micro_batch": 2, "recompute": "full"}
DOCUMENTS = {"mean_sequence_length": 1024, "packing": True}
QLORA = {"kind": "qlora", "lora": {"rank": 16, "targets": "attention"}}
# On Hugging Face's Trainer: LLaMA-Factory, axolotl and ms-swift.
STATED += [(name, ON_TRAINERS, "llama-2-7b", {**SFT, **work}, {**TRAINER, **plan}) for name, work, plan in (
    ("fsdp", {}, {}),
    ("fsdp-zero-2", {}, {"zero_stage": 2}),
    ("fsdp-offload", {}, {"offload": OFFLOAD}),
    ("fsdp-lora", {"kind": "lora"}, {}),
    ("fsdp-qlora", QLORA, {}),
    ("fsdp-fp16", {"precision": "fp16"}, {}),
    ("fsdp-packed", DOCUMENTS, {}),
    ("padded", {**DOCUMENTS, "packing": False}, {}),
    ("pretrain", {"kind": "pretrain"}, {}),
    ("pretrain-packed", {"kind": "pretrain", **DOCUMENTS, "tokens": 1e10}, {}),
    ("fused-head", {}, {"fused_lm_head": True}),
    ("unfused-attention", {}, {"attention": "unfused"}),
    ("sdpa", {}, {"attention_kernel": "sdpa"}),
    ("no-recompute", {}, {"recompute": "none"}),
    ("eight-bit-adam", {}, {"optimizer_bytes": 2}),
    ("fsdp-adamw-8bit", {}, {"optimizer": "adamw_8bit"}),
    ("fsdp-sgd", {}, {"optimizer": "sgd"}),
    ("ddp-muon", {}, {"backend": "ddp", "optimizer": "muon"}),
    ("zero-2-adafactor", {}, {"backend": "deepspeed", "zero_stage": 2, "optimizer": "adafactor"}),
    ("zero-2-lion", {}, {"backend": "deepspeed", "zero_stage": 2, "optimizer": "lion"}),
    ("zero-3-paged-qlora", {"kind": "qlora"}, {"backend": "deepspeed", "optimizer": "paged_adamw_8bit"}),
    ("ddp-lora", {"kind": "lora", "lora": {"rank": 64, "targets": "attention"}}, {"backend": "ddp"}),
    ("ddp-qlora", {"kind": "qlora"}, {"backend": "ddp"}),
    ("ddp-tokens", {"tokens": 1e9}, {"backend": "ddp", "recompute": "none"}),
    ("zero-1", {}, {"backend": "deepspeed", "zero_stage": 1}),
    ("zero-2", {}, {"backend": "deepspeed", "zero_stage": 2}),
    ("zero-3", {}, {"backend": "deepspeed"}),
    ("zero-3-offload", {}, {"backend": "deepspeed", "offload": OFFLOAD}),
    ("zero-3-fp16", {"precision": "fp16"}, {"backend": "deepspeed"}),
    ("zero-3-qlora", {"kind": "qlora"}, {"backend": "deepspeed"}),
    ("zero-3-packed", DOCUMENTS, {"backend": "deepspeed", "fused_lm_head": True}),
    *((f"ddp-{name}", {"kind": "lora"}, {"backend": "ddp", "optimizer": name}) for name in TRAINER_OPTIMIZERS),
)] + [(name, ("axolotl",), model, {**SFT, **work}, {**TRAINER, **plan}) for name, model, work, plan in (
    ("fsdp-muon", "llama-2-7b", {}, {"optimizer": "muon"}),
    ("hybrid-shards", "llama-2-7b", {}, {"shard_group": 4}),
    ("tensor", "llama-2-7b", {}, {"tensor_parallel": 2, "sequence_parallel": False}),
    ("context", "llama-3.1-8b", {"sequence_length": 32768, "global_batch": 8}, {"context_parallel": 4, "micro_batch": 1}),
    ("context-packed", "llama-3.1-8b", {"sequence_length": 32768, "global_batch": 8, **DOCUMENTS}, {"context_parallel": 8, "micro_batch": 1}),
    ("heads", "llama-3.1-8b", {"sequence_length": 32768, "global_batch": 8}, {"ulysses_parallel": 8, "micro_batch": 1}),
    ("heads-packed", "llama-3.1-8b", {"sequence_length": 32768, "global_batch": 16, **DOCUMENTS}, {"ulysses_parallel": 4, "attention_kernel": "sdpa"}),
    ("heads-and-ring", "llama-3.1-8b", {"sequence_length": 65536, "global_batch": 8}, {"ulysses_parallel": 4, "context_parallel": 2, "micro_batch": 1, "attention_kernel": "flash3"}),
    ("zero-heads", "llama-3.1-8b", {"sequence_length": 32768, "global_batch": 8}, {"backend": "deepspeed", "ulysses_parallel": 8, "micro_batch": 1}),
    ("zero-heads-packed", "llama-3.1-8b", {"sequence_length": 32768, "global_batch": 16, **DOCUMENTS}, {"backend": "deepspeed", "ulysses_parallel": 4, "attention_kernel": "sdpa"}),
    ("experts-copied", "qwen3-30b-a3b", {}, {"expert_parallel": 2, "shard_group": 4}),
    ("context-tensor", "llama-3.1-8b", {"sequence_length": 32768, "global_batch": 8}, {"context_parallel": 2, "tensor_parallel": 2, "sequence_parallel": False, "micro_batch": 1}),
    ("experts", "qwen3-30b-a3b", {}, {"expert_parallel": 4}),
    ("experts-alone", "qwen3-30b-a3b", {}, {"expert_parallel": 8, "fused_lm_head": True}),
    ("fp8", "llama-3.1-8b", {"precision": "fp8"}, {}),
    ("activation-offload", "llama-2-7b", {}, {"offload": {"activations": True}}),
    ("zero-activation-offload", "llama-2-7b", {}, {"backend": "deepspeed", "offload": {"activations": True}}),
)] + [(name, ("ms-swift",), model, {**SFT, **work}, {**TRAINER, "backend": "deepspeed", **plan}, *rest) for name, model, work, plan, *rest in (
    ("ulysses", "qwen3-8b", {}, {"ulysses_parallel": 4}),
    ("ulysses-packed", "qwen3-8b", DOCUMENTS, {"ulysses_parallel": 8}),
    ("ulysses-ddp", "qwen3-0.6b", {"kind": "lora"}, {"backend": "ddp", "ulysses_parallel": 2}),
    ("ulysses-fsdp", "qwen3-8b", {}, {"backend": "fsdp", "ulysses_parallel": 2}),
    ("ring", "qwen3-8b", {}, {"ulysses_parallel": 8, "context_parallel": 2}, 16),
    ("ring-packed", "qwen2.5-7b", DOCUMENTS, {"ulysses_parallel": 4, "context_parallel": 2, "micro_batch": 1}),
    ("stretched", "qwen3-8b", {"sequence_length": 65536, "global_batch": 8}, {"micro_batch": 1}),
    ("flash-3", "qwen3-8b", DOCUMENTS, {"attention_kernel": "flash3"}),
    ("named-type", "llama-3.1-8b", {}, {}),
    ("no-template", "pythia-1b", {"sequence_length": 2048}, {}),
    ("vision", "qwen2.5-vl-7b", {}, {}),
    ("vision-padded", "gemma-3-4b", {**DOCUMENTS, "packing": False}, {}),
    ("part-of-a-node", "qwen3-0.6b", {}, {}, 4),
    ("two-nodes", "qwen3-8b", {"run": {"steps": 500}}, {}, 16),
    ("drives", "llama-2-7b", {}, {"offload": OFFLOAD, "nvme_offload": True}),
    ("hpz", "llama-2-7b", {}, {"zero_hpz_partition_size": 8}, 16),
)]

# Unsloth: every keyword that it can write.
UNSLOTH = {**TRAINER, "backend": "ddp"}
PREFERRED = {"lora": {"rank": 16}}
STATED += [(name, ("unsloth",), model, {**SFT, **work}, {**UNSLOTH, **plan}, *gpus) for name, model, work, plan, *gpus in (
    ("full", "qwen3-0.6b", {}, {}),
    ("full-16-bits", "qwen3-8b", {}, {"master_weights_bytes": 2, "gradient_bytes": 2, "optimizer_bytes": 4}),
    ("full-fp16", "qwen3-0.6b", {"precision": "fp16"}, {}),
    ("full-moved", "qwen3-0.6b", {}, {"offload": {"activations": True}}),
    ("lora", "qwen3-8b", {"kind": "lora"}, {}),
    ("lora-attention", "llama-3.1-8b", {"kind": "lora", "lora": {"rank": 64, "targets": "attention"}}, {}),
    ("lora-moved", "qwen3-8b", {"kind": "lora"}, {"offload": {"activations": True}}),
    ("lora-fp16", "qwen3-8b", {"kind": "lora", "precision": "fp16"}, {}),
    ("lora-fused", "qwen3-8b", {"kind": "lora"}, {"fused_lm_head": True}),
    ("no-recompute", "qwen3-0.6b", {"kind": "lora"}, {"recompute": "none"}),
    ("packed", "qwen3-8b", {"kind": "lora", **DOCUMENTS}, {}),
    ("padded", "qwen3-8b", {"kind": "lora", **DOCUMENTS, "packing": False}, {}),
    ("qlora", "llama-3.1-8b", QLORA, {}, 1),
    ("qlora-moved", "llama-3.1-8b", QLORA, {"offload": {"activations": True}, "optimizer": "paged_adamw_8bit"}, 1),
    ("short", "qwen3-8b", {"kind": "lora", "sequence_length": 256}, {}),
    ("experts", "qwen3-30b-a3b", {"kind": "lora"}, {}),
    ("two-nodes", "qwen3-8b", {"kind": "lora"}, {}, 16),
    ("part-of-a-node", "qwen3-8b", {"kind": "lora"}, {}, 4),
    ("steps", "qwen3-8b", {"kind": "lora", "run": {"steps": 200}}, {}),
    ("passes", "qwen3-8b", {"kind": "lora", "run": {"examples": 52000, "epochs": 3}}, {}),
    ("dpo", "qwen3-8b", {"kind": "dpo", **PREFERRED}, {}),
    ("dpo-4-bits", "qwen3-8b", {"kind": "dpo", "lora": {"rank": 16, "load_in_4bit": True}}, {}, 1),
    ("ipo", "qwen3-8b", {"kind": "ipo", **PREFERRED}, {}),
    ("kto", "qwen3-8b", {"kind": "kto", **PREFERRED}, {}),
    ("precomputed", "qwen3-8b", {"kind": "dpo", "precompute_ref_log_probs": True, **PREFERRED}, {}),
    *((f"optimizer-{name}", "qwen3-8b", {"kind": "lora"}, {"optimizer": name}) for name in TRAINER_OPTIMIZERS),
)]

# Its reinforcement learning: adapters alone, and an engine on each GPU.
REWARDED = {"prompts_per_step": 16, "responses_per_prompt": 8, "mini_batch": 16, "max_prompt_length": 512, "max_response_length": 1536}
ALONE = {"tensor_parallel": 1, "gpu_memory_utilization": 0.6, "max_num_seqs": 64}
STATED += [(name, ("unsloth",), model, {"kind": kind, **ADAPTED, **work, "rl": {**REWARDED, **own}}, {**UNSLOTH, **plan, "rollout": {**ALONE, **engine}}, *gpus)
           for name, kind, model, own, work, plan, engine, *gpus in (
    ("grpo", "grpo", "qwen3-4b", {}, {}, {}, {}, 1),
    ("grpo-eight", "grpo", "qwen3-8b", {"prompts_per_step": 64, "mini_batch": 64}, {}, {}, {}, 8),
    ("grpo-part-of-a-node", "grpo", "qwen3-8b", {}, {}, {}, {}, 4),
    ("grpo-updates", "grpo", "qwen3-4b", {"mini_batch": 4, "epochs": 2}, {}, {}, {}, 1),
    ("grpo-plain", "grpo", "qwen3-4b", {"old_log_prob": False, "reference": False}, {}, {}, {}, 1),
    ("grpo-attention", "grpo", "llama-3.1-8b", {}, {"lora": {"rank": 64, "targets": "attention"}}, {}, {}, 1),
    ("grpo-fp16", "grpo", "qwen3-4b", {}, {"precision": "fp16"}, {}, {}, 1),
    ("grpo-kept", "grpo", "qwen3-4b", {}, {}, {}, {"free_cache": False, "gpu_memory_utilization": 0.4}, 1),
    ("grpo-engine", "grpo", "qwen3-4b", {}, {}, {}, {"enforce_eager": True, "kv_cache_dtype": "fp8", "max_num_batched_tokens": 4096}, 1),
    ("grpo-all-sequences", "grpo", "qwen3-4b", {}, {}, {}, {"max_num_seqs": 256}, 1),
    ("grpo-4-bits", "grpo", "llama-3.1-8b", {}, {"lora": {"rank": 32, "load_in_4bit": True}}, {}, {}, 1),
    ("grpo-moved", "grpo", "qwen3-4b", {}, {}, {"offload": {"activations": True}, "optimizer": "adamw_8bit"}, {}, 1),
    ("grpo-no-recompute", "grpo", "qwen3-0.6b", {}, {}, {"recompute": "none"}, {}, 1),
    ("grpo-packed", "grpo", "qwen3-4b", {}, {"packing": True}, {}, {}, 1),
    ("grpo-padded", "grpo", "qwen3-4b", {}, {"packing": False}, {}, {"free_cache": False, "gpu_memory_utilization": 0.4}, 1),
    ("grpo-windows", "grpo", "gpt-oss-20b", {}, {}, {}, {}, 1),
    ("grpo-steps", "grpo", "qwen3-4b", {}, {"run": {"steps": 200}}, {}, {}, 1),
    ("grpo-experts", "grpo", "qwen3-30b-a3b", {}, {}, {}, {"gpu_memory_utilization": 0.8}, 1),
    ("dr-grpo", "dr_grpo", "qwen3-4b", {}, {}, {}, {}, 1),
    ("gspo", "gspo", "qwen3-4b", {}, {}, {}, {}, 1),
    ("dapo", "dapo", "qwen3-4b", {"oversampling": 1}, {}, {}, {}, 1),
    ("cispo", "cispo", "qwen3-4b", {}, {}, {}, {}, 1),
)]

# What the issue asks for by name; each must give a text.
STORY = {"kind": "grpo", "rl": {"prompts_per_step": 512, "responses_per_prompt": 8, "mini_batch": 128, "max_prompt_length": 1024, "max_response_length": 3072}}
STORIES = [
    ("story/verl-fsdp", "verl", "qwen3-8b", "h100-sxm", STORY, {"backend": "fsdp"}),
    ("story/verl-megatron", "verl", "qwen3-8b", "h100-sxm", STORY, {"backend": "megatron"}),
    ("story/verl", "verl", "qwen3-8b", "h100-sxm", STORY, None),
    ("story/chatlearn", "chatlearn", "qwen3-30b-a3b", "h20-141g", STORY, {"backend": "megatron"}),
    ("story/llmforge", "llmforge", "llama-2-7b", "a100-sxm-80g", {"kind": "lora", "sequence_length": 4096, "global_batch": 64}, {"backend": "deepspeed", "zero_stage": 3}),
    ("story/megatron-lm", "megatron-lm", "qwen3-8b", "h100-sxm", {"kind": "pretrain", "sequence_length": 4096, "global_batch": 512}, {"backend": "megatron"}),
    ("story/megatron-bridge", "megatron-bridge", "qwen3-8b", "h100-sxm", {"kind": "sft", "sequence_length": 4096, "global_batch": 128}, {"backend": "megatron"}),
    ("story/deepspeed", "deepspeed", "llama-2-7b", "a100-sxm-80g", {"kind": "sft", "sequence_length": 4096, "global_batch": 32}, {"backend": "deepspeed", "zero_stage": 3}),
]


def questions():
    """Name, framework, question, facts, and whether there must be a text."""
    known = models()
    for name, framework, model, gpu, work, plan in STORIES:
        yield name, framework, question(model, gpu, 8, work, plan), facts(known[model], 8, work), True
    for name, frameworks, model, work, plan, *rest in STATED:
        gpus = rest[0] if rest else 8
        plan = {k: v for k, v in plan.items() if k != "rollout" or "rl" in work}
        for framework in frameworks:
            # Blackwell alone computes these.
            gpu = "b200-sxm" if work.get("precision") in ("mxfp8", "nvfp4") else "h100-sxm"
            asked = question(model, gpu, gpus, work, plan)
            if "rl" in work and work.get("lora", {}).get("load_in_4bit"):
                asked["framework"] = framework
            yield f"stated/{framework}/{name}", framework, asked, facts(known[model], gpus, work), True
    for model, gpu, gpus, kind, zero, offload in LLMFORGE:
        work = {"kind": kind, "sequence_length": 4096, "global_batch": 4 * gpus}
        if offload == "hpz" and gpus % 8:
            continue
        away = offload in ("optimizer", "all")
        moved = {"parameters": offload == "all", "gradients": away, "optimizer": away, "activations": False}
        plan = {**ZERO, "zero_stage": zero, "micro_batch": 2, "offload": moved} | ({"zero_hpz_partition_size": 8} if offload == "hpz" else {})
        name = f"stated/llmforge/{kind}/{model}/{gpus}x{gpu}/zero-{zero}-{offload}"
        yield name, "llmforge", question(model, gpu, gpus, work, plan), facts(known[model], gpus), True
    for turn, model in enumerate(TITAN):
        machines = LARGE_MACHINES if known[model]["hidden_size"] > 5000 else SMALL_MACHINES
        for (gpu, gpus), precision in zip((machines[turn % len(machines)], ("b200-sxm", 64)), ("bf16", "mxfp8")):
            work = {"kind": "pretrain", "sequence_length": 4096, "global_batch": 256, "precision": precision}
            yield f"torchtitan/{model}/{gpus}x{gpu}/{precision}", "torchtitan", question(model, gpu, gpus, work, {"backend": "fsdp"}), facts(known[model], gpus), False
    for name, framework, asked, known_facts in searched(known):
        yield name, framework, asked, known_facts, False


if __name__ == "__main__":
    import json

    for name, framework, asked, _, _ in questions():
        print(json.dumps({"name": name, "framework": framework, "question": asked}))
