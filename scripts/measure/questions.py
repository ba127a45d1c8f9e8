#!/usr/bin/env python3
"""Runs of gpu.py as rows of `core/tests/data/training.jsonl`, a JSON line each.

    python3 scripts/measure/questions.py core/tests/data/h200.jsonl > rows.jsonl
"""

import json
import sys

GPUS = {"NVIDIA H200": "h200-sxm", "NVIDIA H100 80GB HBM3": "h100-sxm"}
NAMES = {
    "qwen3-0.6b": "Qwen3-0.6B", "qwen3-1.7b": "Qwen3-1.7B", "qwen3-4b": "Qwen3-4B", "qwen3-8b": "Qwen3-8B",
    "qwen3-32b": "Qwen3-32B", "llama-3.1-8b": "Llama-3.1-8B", "llama-3.3-70b": "Llama-3.3-70B", "qwen3-30b-a3b": "Qwen3-30B-A3B",
}
# Bytes of a weight, a gradient and PyTorch's moments, in what weights are held.
BYTES = {"bf16": (2, 2), "fp32": (4, 4)}

# Adapters of peft are in fp32 and copy what they read; a Trainer runs in autocast, where the copies are bf16.
DOUBT = "Without autocast adapters in fp32 copy their inputs in fp32, which Trainers do not; nothing was recomputed, so that all stayed."


def question(run, gpu):
    workload = {
        "kind": run["task"], "sequence_length": run["sequence_length"], "packing": True,
        "global_batch": run["micro_batch"] * run["accumulation"], "precision": "bf16",
    }
    sharded = run.get("fsdp2", False)
    plan = {
        "backend": "fsdp" if sharded else "ddp", "attention": "flash", "tensor_parallel": 1, "pipeline_parallel": 1,
        "context_parallel": 1, "expert_parallel": 1, "expert_tensor_parallel": 1, "virtual_pipeline": 1,
        "micro_batch": run["micro_batch"], "zero_stage": 3 if sharded else 0, "recompute": run["recompute"],
        "fused_lm_head": run["fused_lm_head"], "attention_kernel": run["kernel"],
    }
    if sharded and not run["fused_lm_head"]:
        plan["logit_bytes"] = 12
    master, gradient = BYTES[run["weights"]]
    if run["task"] == "sft":
        plan |= {"optimizer": run["optimizer"], "master_weights_bytes": master, "gradient_bytes": gradient}
        # PyTorch's moments are as wide as the weights; bitsandbytes' Lion keeps its one in fp32.
        if run["weights"] == "bf16" and run["optimizer"] == "adamw":
            plan["optimizer_bytes"] = 4
    else:
        targets = "all-linear" if run["targets"] == "experts" else run["targets"]
        workload["lora"] = {"rank": run["rank"], "targets": targets}
        if run["weights"] == "fp32":
            plan["master_weights_bytes"] = master
    model = run["model"]
    if "layers" in run:
        model = {
            "hidden_size": 2048, "num_hidden_layers": run["layers"], "intermediate_size": 6144, "moe_intermediate_size": 768,
            "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 151936, "num_experts": 128,
            "num_experts_per_tok": 8, "tie_word_embeddings": False,
        }
    hardware = {"gpu": gpu, "gpus": 1, "gpus_per_node": 1}
    return {"version": 1, "model": model, "hardware": hardware, "workload": workload, "plan": plan}


def row(run, machine, path, number):
    tokens = run["micro_batch"] * run["accumulation"] * run["sequence_length"]
    own = {
        "id": f"own-{number:03}", "source": f"measured by us, scripts/measure/gpu.py, run \"{run['id']}\"", "source_url": path,
        "date": machine["date"], "group": "Shardwise", "model": NAMES[run["model"]], "family": NAMES[run["model"]].split("-")[0].rstrip("3"),
        "framework": "fsdp2" if run.get("fsdp2") else "transformers", "headline": run["task"] == "sft",
        "tokens_per_s_per_gpu": float(f"{tokens / run['step_s']:.5g}"),
        "memory_gib": float(f"{run['reserved_gib']:.5g}"), "memory_kind": "torch_reserved",
    }
    if run["task"] != "sft" and run["recompute"] == "none":
        own["memory_doubt"] = DOUBT
    if "layers" in run:
        own["mended"] = f"the model: its first {run['layers']} layers alone, so that its experts train on one card"
    return own | {"question": question(run, GPUS[machine["gpu"]])}


def main():
    path = sys.argv[1]
    machine, *runs = [json.loads(line) for line in open(path)]
    # The loop over experts is no longer what transformers runs by default.
    asked = [run for run in runs if "task" in run and "step_s" in run and not run["id"].startswith("forward") and run.get("experts") != "eager"]
    for number, run in enumerate(asked, 1):
        print(json.dumps(row(run, machine, path, number)))


main()
