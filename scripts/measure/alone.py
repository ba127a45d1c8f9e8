"""Attention and grouped products, each alone."""

import statistics

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {"flash2": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}


def median_ms(call, repeats=7, warm=2):
    """Median milliseconds of a call, by CUDA events."""
    for _ in range(warm):
        call()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def timed(call, dry):
    if dry:
        call()
        return 0.0
    return median_ms(call)


def attention(run, dry):
    """Causal attention, forward and forward with backward: `heads` query heads on `kv_heads`, one sequence of `length`."""
    device = "cpu" if dry else "cuda"
    length = 64 if dry else run["length"]
    shape = lambda heads: (run["batch"], heads, length, run["head_dim"])
    query = torch.randn(shape(run["heads"]), device=device, dtype=torch.bfloat16, requires_grad=True)
    key, value = (
        torch.randn(shape(run["kv_heads"]), device=device, dtype=torch.bfloat16, requires_grad=True) for _ in range(2)
    )
    gradient = torch.randn_like(query)

    def forward():
        return F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=run["heads"] != run["kv_heads"])

    def both():
        forward().backward(gradient)
        query.grad = key.grad = value.grad = None

    with sdpa_kernel([SDPBackend.MATH] if dry else [BACKENDS[run["kernel"]]]):
        with torch.no_grad():
            forward_ms = timed(forward, dry)
        return {"forward_ms": forward_ms, "ms": timed(both, dry)}


def grouped(run, dry):
    """`groups` products of m x k by k x n in one call, `m` rows each."""
    device = "cpu" if dry else "cuda"
    groups, rows, n, k = (2, 16, 32, 32) if dry else (run["groups"], run["m"], run["n"], run["k"])
    left = torch.randn(groups * rows, k, device=device, dtype=torch.bfloat16)
    right = torch.randn(groups, n, k, device=device, dtype=torch.bfloat16) * 0.02
    ends = torch.arange(1, groups + 1, device=device, dtype=torch.int32) * rows
    call = getattr(F, "grouped_mm", None) or torch._grouped_mm
    return {"ms": timed(lambda: call(left, right.transpose(-2, -1), offs=ends), dry)}


def kernels():
    """Qwen3-4B's and 8B's heads at 4k to 64k, heads of 64 and of 256; the expert shapes of Qwen3-30B-A3B, 235B and Mixtral."""
    for kernel in BACKENDS:
        for length in (2048, 4096, 8192, 16384, 32768, 65536):
            yield {
                "id": f"attention-{kernel}-{length}", "measure": attention, "kernel": kernel, "length": length,
                "batch": max(1, 8192 // length), "heads": 32, "kv_heads": 8, "head_dim": 128,
            }
        for head_dim, heads in ((64, 64), (256, 16)):
            yield {
                "id": f"attention-{kernel}-d{head_dim}", "measure": attention, "kernel": kernel, "length": 8192,
                "batch": 1, "heads": heads, "kv_heads": heads // 8, "head_dim": head_dim,
            }
    for name, groups, hidden, width in (("30b-a3b", 128, 2048, 768), ("235b-a22b", 128, 4096, 1536), ("mixtral", 8, 4096, 14336)):
        for rows in (64, 256, 1024, 4096):
            if groups * rows * hidden > 128 * 1024 * 4096:
                continue
            for part, n, k in (("up", 2 * width, hidden), ("down", hidden, width)):
                yield {
                    "id": f"grouped-{name}-{part}-{rows}", "measure": grouped, "groups": groups, "m": rows, "n": n, "k": k,
                }


KERNELS = list(kernels())
