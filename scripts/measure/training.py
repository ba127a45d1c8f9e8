"""Training steps of whole models on one GPU, as Hugging Face's code runs them."""

import contextlib
import statistics
import time

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {"flash2": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}

# config.json of the models, on https://huggingface.co.
MODELS = {
    "qwen3-0.6b": ("qwen3", 1024, 28, 3072, 16, 8, 128, 151936, True),
    "qwen3-1.7b": ("qwen3", 2048, 28, 6144, 16, 8, 128, 151936, True),
    "qwen3-4b": ("qwen3", 2560, 36, 9728, 32, 8, 128, 151936, True),
    "qwen3-8b": ("qwen3", 4096, 36, 12288, 32, 8, 128, 151936, False),
    "qwen3-32b": ("qwen3", 5120, 64, 25600, 64, 8, 128, 151936, False),
    "llama-3.1-8b": ("llama", 4096, 32, 14336, 32, 8, 128, 128256, False),
    "llama-3.3-70b": ("llama", 8192, 80, 28672, 64, 8, 128, 128256, False),
    "qwen3-30b-a3b": ("qwen3_moe", 2048, 48, 6144, 32, 4, 128, 151936, False),
}
EXPERTS = {"num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768, "norm_topk_prob": True}


def configuration(run, dry):
    from transformers import AutoConfig

    kind, hidden, layers, intermediate, heads, kv_heads, head_dim, vocab, tied = MODELS[run["model"]]
    layers = run.get("layers", layers)
    if dry:
        hidden, layers, intermediate, heads, kv_heads, head_dim, vocab = 128, 2, 256, 4, 2, 32, 1024
    sizes = {
        "hidden_size": hidden, "num_hidden_layers": layers, "intermediate_size": intermediate, "num_attention_heads": heads,
        "num_key_value_heads": kv_heads, "head_dim": head_dim, "vocab_size": vocab, "tie_word_embeddings": tied,
        "max_position_embeddings": 131072,
    }
    if kind == "qwen3_moe":
        sizes |= EXPERTS
    config = AutoConfig.for_model(kind, **sizes)
    config._attn_implementation = "sdpa"
    if "experts" in run:
        config._experts_implementation = run["experts"]
    config.use_cache = False
    return config


def quantized(model, device):
    """The model with bitsandbytes' NF4 layers in place of its linear ones, doubly quantized, filled at random."""
    import bitsandbytes as bnb

    for name, module in list(model.named_modules()):
        for child_name, child in list(module.named_children()):
            if not isinstance(child, nn.Linear) or child_name == "lm_head":
                continue
            layer = bnb.nn.Linear4bit(
                child.in_features, child.out_features, bias=False, compute_dtype=torch.bfloat16, compress_statistics=True,
                quant_type="nf4", device="meta",
            )
            data = torch.empty(child.out_features, child.in_features, dtype=torch.bfloat16, device=device).normal_(0, 0.02)
            layer.weight = bnb.nn.Params4bit(data, requires_grad=False, quant_type="nf4", compress_statistics=True, module=layer)
            setattr(module, child_name, layer.to(device))
    return model


def filled(model, device, dtype):
    """A model of the meta device on a real one, filled at random."""
    for module in model.modules():
        for name, parameter in list(module.named_parameters(recurse=False)):
            if parameter.device.type != "meta":
                continue
            data = torch.empty(parameter.shape, dtype=dtype, device=device)
            data.fill_(1.0) if parameter.dim() == 1 else data.normal_(0, 0.02)
            setattr(module, name, nn.Parameter(data))
    model.tie_weights()
    return model


def built(run, dry):
    from transformers import AutoModelForCausalLM

    device = "cpu" if dry else "cuda"
    dtype = torch.float32 if run["weights"] == "fp32" else torch.bfloat16
    config = configuration(run, dry)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=dtype)
    if run["task"] == "qlora":
        model = quantized(model, device)
    model = filled(model, device, dtype)
    # Tables that are no parameters were made on the meta device too.
    base = model.model
    with torch.device(device):
        base.rotary_emb = type(base.rotary_emb)(config=config)
    return model.train()


def adapted(model, run):
    """The model with adapters of peft in place, the rest frozen."""
    from peft import LoraConfig, get_peft_model

    linear = ["q_proj", "k_proj", "v_proj", "o_proj"]
    extra = {}
    if run["targets"] == "all-linear":
        linear += ["gate_proj", "up_proj", "down_proj"]
    if run["targets"] == "experts":
        extra = {"target_parameters": ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]}
    config = LoraConfig(r=run["rank"], lora_alpha=2 * run["rank"], target_modules=linear, task_type="CAUSAL_LM", **extra)
    model = get_peft_model(model, config)
    model.enable_input_require_grads()
    return model


def sharded(model, dry):
    """The model under FSDP2, each layer and the whole, on a group of one."""
    import torch.distributed as dist
    from torch.distributed.fsdp import fully_shard

    dist.init_process_group("gloo" if dry else "nccl", init_method="tcp://127.0.0.1:29511", rank=0, world_size=1)
    for layer in model.model.layers:
        fully_shard(layer)
    return fully_shard(model)


def optimizer(name, parameters):
    if "bit" in name or "lion" in name:
        import bitsandbytes as bnb
    from transformers.optimization import Adafactor

    makers = {
        "adamw": lambda: torch.optim.AdamW(parameters, lr=1e-5, fused=True),
        "adamw_8bit": lambda: bnb.optim.AdamW8bit(parameters, lr=1e-5),
        "lion_8bit": lambda: bnb.optim.Lion8bit(parameters, lr=1e-5),
        "lion": lambda: bnb.optim.Lion(parameters, lr=1e-5),
        "adafactor": lambda: Adafactor(parameters, lr=1e-5, scale_parameter=False, relative_step=False),
        "sgd": lambda: torch.optim.SGD(parameters, lr=1e-5),
    }
    return makers[name]()


def loss_of(model, run, tokens, dry):
    """The loss: over all logits, as transformers does it, or fused with the head (Liger's kernel, which no CPU runs)."""
    if dry or not run["fused_lm_head"]:
        return model(input_ids=tokens, labels=tokens).loss
    from liger_kernel.transformers import LigerFusedLinearCrossEntropyLoss

    causal = model.get_base_model() if hasattr(model, "get_base_model") else model
    hidden = causal.model(input_ids=tokens).last_hidden_state[:, :-1].flatten(0, 1)
    return LigerFusedLinearCrossEntropyLoss()(causal.lm_head.weight, hidden, tokens[:, 1:].flatten())


def median_s(run, vocab, once, dry):
    """Median seconds of `once` on random tokens, of all repetitions but the first."""
    device, length = ("cpu", 32) if dry else ("cuda", run["sequence_length"])
    times = []
    with sdpa_kernel([SDPBackend.MATH] if dry else [BACKENDS[run["kernel"]]]):
        for _ in range(run["steps"]):
            tokens = torch.randint(0, vocab, (run["micro_batch"], length), device=device)
            if not dry:
                torch.cuda.synchronize()
            start = time.perf_counter()
            once(tokens)
            if not dry:
                torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def step(run, dry):
    """Optimizer steps of one run: median seconds of all but the first, and peaks."""
    device = "cpu" if dry else "cuda"
    model = built(run, dry)
    if run["task"] != "sft":
        model = adapted(model, run)
    if run["recompute"] == "full":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    if run.get("fsdp2"):
        model = sharded(model, dry)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    steps = optimizer(run["optimizer"], trained)
    mixed = run["weights"] == "fp32"
    precision = torch.autocast(device, torch.bfloat16) if mixed else contextlib.nullcontext()

    def once(tokens):
        for _ in range(run["accumulation"]):
            with precision:
                loss = loss_of(model, run, tokens, dry)
            (loss / run["accumulation"]).backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        steps.step()
        steps.zero_grad(set_to_none=True)

    line = {"step_s": median_s(run, model.config.vocab_size, once, dry), "parameters": sum(p.numel() for p in model.parameters())}
    line["trained"] = sum(parameter.numel() for parameter in trained)
    return line | ({} if dry else peaks())


def evaluation(run, dry):
    """Forward passes over micro-batches without gradients, log-probabilities and entropy of what was sampled, as RL takes them."""
    model = built(run, dry)

    @torch.no_grad()
    def once(tokens):
        for _ in range(run["accumulation"]):
            logits = model(input_ids=tokens).logits.float()
            taken = logits.gather(-1, tokens.unsqueeze(-1)).squeeze(-1) - logits.logsumexp(-1)
            shares = logits.softmax(-1)
            entropy = logits.logsumexp(-1) - (shares * logits).sum(-1)
            del logits, shares, taken, entropy

    seconds = median_s(run, model.config.vocab_size, once, dry)
    return {"step_s": seconds / run["accumulation"]} | ({} if dry else peaks())


def peaks():
    free, total = torch.cuda.mem_get_info()
    gib = 2**30
    return {
        "allocated_gib": torch.cuda.max_memory_allocated() / gib,
        "reserved_gib": torch.cuda.max_memory_reserved() / gib,
        "device_gib": (total - free) / gib,
    }


def of(name, model, length, micro_batch, **other):
    usual = {
        "measure": step, "task": "sft", "weights": "bf16", "optimizer": "adamw", "recompute": "full", "fused_lm_head": False,
        "kernel": "flash2", "accumulation": 1, "steps": 4,
    }
    return {"id": name, "model": model, "sequence_length": length, "micro_batch": micro_batch} | usual | other


def lora(name, model, length, micro_batch, **other):
    return of(name, model, length, micro_batch, **{"task": "lora", "rank": 16, "targets": "all-linear"} | other)


RUNS = [
    # Long sequences, by kernel.
    of("long-flash2-16k", "qwen3-4b", 16384, 1, fused_lm_head=True),
    of("long-cudnn-16k", "qwen3-4b", 16384, 1, fused_lm_head=True, kernel="cudnn"),
    of("long-flash2-32k", "qwen3-4b", 32768, 1, fused_lm_head=True, steps=3),
    of("long-cudnn-32k", "qwen3-4b", 32768, 1, fused_lm_head=True, kernel="cudnn", steps=3),
    # Optimizers and what weights are held in.
    of("optimizer-adamw", "qwen3-4b", 4096, 2),
    of("optimizer-adamw_8bit", "qwen3-4b", 4096, 2, optimizer="adamw_8bit"),
    of("optimizer-lion", "qwen3-4b", 4096, 2, optimizer="lion"),
    of("optimizer-lion_8bit", "qwen3-4b", 4096, 2, optimizer="lion_8bit"),
    of("optimizer-adafactor", "qwen3-4b", 4096, 2, optimizer="adafactor"),
    of("optimizer-sgd", "qwen3-4b", 4096, 2, optimizer="sgd"),
    of("weights-fp32", "qwen3-4b", 4096, 2, weights="fp32"),
    of("weights-fp32-none", "qwen3-1.7b", 4096, 2, weights="fp32", recompute="none"),
    # Whole models: losses, recomputation, sizes.
    of("full-8b", "qwen3-8b", 8192, 1),
    of("full-8b-fused", "qwen3-8b", 8192, 1, fused_lm_head=True),
    of("full-llama-8b", "llama-3.1-8b", 8192, 1),
    of("full-1.7b-none", "qwen3-1.7b", 4096, 4, recompute="none"),
    of("full-1.7b", "qwen3-1.7b", 4096, 4),
    of("full-0.6b", "qwen3-0.6b", 4096, 8),
    # Small micro-batches: what the host costs.
    of("small-0.6b-512", "qwen3-0.6b", 512, 1, accumulation=8, steps=5),
    of("small-4b-512", "qwen3-4b", 512, 1, accumulation=8, steps=5),
    of("small-8b-512", "qwen3-8b", 512, 1, accumulation=8, steps=5),
    of("small-8b-2k", "qwen3-8b", 2048, 1, accumulation=4, steps=5),
    of("small-8b-512-none", "qwen3-8b", 512, 1, accumulation=8, steps=5, recompute="none"),
    of("small-0.6b-512-fsdp2", "qwen3-0.6b", 512, 1, accumulation=8, steps=5, fsdp2=True),
    of("small-8b-512-fsdp2", "qwen3-8b", 512, 1, accumulation=8, steps=5, fsdp2=True),
    # Adapters.
    lora("lora-8b-512", "qwen3-8b", 512, 8, recompute="none"),
    lora("lora-8b-2k", "qwen3-8b", 2048, 4),
    lora("lora-8b-8k", "qwen3-8b", 8192, 1),
    lora("lora-8b-8k-fused", "qwen3-8b", 8192, 1, fused_lm_head=True),
    lora("lora-8b-8k-attention", "qwen3-8b", 8192, 1, targets="attention"),
    lora("lora-8b-8k-fp32", "qwen3-8b", 8192, 1, weights="fp32"),
    lora("lora-llama-8b-4k-none", "llama-3.1-8b", 4096, 2, recompute="none", fused_lm_head=True),
    lora("qlora-8b-2k", "qwen3-8b", 2048, 4, task="qlora"),
    lora("qlora-8b-8k", "qwen3-8b", 8192, 1, task="qlora"),
    lora("qlora-32b-4k", "qwen3-32b", 4096, 1, task="qlora", fused_lm_head=True),
    lora("qlora-70b-4k", "llama-3.3-70b", 4096, 1, task="qlora", steps=3),
    # Experts: Qwen3-30B-A3B, whole with adapters and twelve of its layers in full.
    lora("experts-lora-attention", "qwen3-30b-a3b", 4096, 2, targets="attention", fused_lm_head=True),
    lora("experts-lora-experts", "qwen3-30b-a3b", 4096, 2, targets="experts", fused_lm_head=True),
    of("experts-grouped", "qwen3-30b-a3b", 4096, 4, layers=12, experts="grouped_mm", fused_lm_head=True, optimizer="sgd"),
    of("experts-eager", "qwen3-30b-a3b", 4096, 4, layers=12, experts="eager", fused_lm_head=True, optimizer="sgd"),
    # Log-probabilities without gradients.
    of("forward-0.6b-512", "qwen3-0.6b", 512, 1, measure=evaluation, accumulation=8),
    of("forward-0.6b-4k", "qwen3-0.6b", 4096, 1, measure=evaluation, accumulation=4),
    of("forward-8b-512", "qwen3-8b", 512, 1, measure=evaluation, accumulation=8),
    of("forward-8b-4k", "qwen3-8b", 4096, 1, measure=evaluation, accumulation=4),
    of("forward-8b-16k", "qwen3-8b", 16384, 1, measure=evaluation, accumulation=1),
    of("forward-30b-a3b-4k", "qwen3-30b-a3b", 4096, 1, measure=evaluation, accumulation=2),
]
