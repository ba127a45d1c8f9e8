"""megatron-core's own classes, imported beside stand-ins for torch and Transformer Engine.

Types of numbers are real objects, as configurations compare them; GPUs are Hopper's.
"""

import logging
import sys
import types
import typing

import stand_ins
import typing_extensions

PACKAGES = ("transformer_engine", "transformer_engine_torch", "apex", "amp_C", "nvidia_resiliency_ext", "multistorageclient", "modelopt", "mamba_ssm", "causal_conv1d",
            "flash_attn", "flash_attn_3", "grouped_gemm", "deep_ep", "flashinfer", "triton", "nvidia_modelopt", "absl", "one_logger", "cutlass", "emerging_optimizers", "einops", "fast_hadamard_transform",
            "megatron.energon", "webdataset", "timm", "scipy", "rich", "qwen_vl_utils", "open_clip", "comet_ml", "mlflow", "nemo_run", "sentencepiece", "tiktoken", "nltk", "fla", "torchvision", "hydra_plugins", "diffusers")
SPEECH = "megatron.bridge.models.qwen3_asr.hf_qwen3_asr"
NUMBERS = "float32 float16 bfloat16 float64 uint8 int8 int16 int32 int64 bool float8_e4m3fn float8_e5m2".split()


class Number:
    """A torch.dtype."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


class FusedAdam:
    """Transformer Engine's, as megatron-core asks what it takes (TE >= 1.13, pytorch/optimizers/fused_adam.py)."""

    def __init__(self, params, master_weights=False, master_weight_dtype=None, exp_avg_dtype=None, exp_avg_sq_dtype=None, use_decoupled_grad=False, store_param_remainders=False):
        pass


def activation(name):
    """A function of that name."""

    def function(value):
        return value

    function.__name__ = function.__qualname__ = name
    return function


def install():
    """Stands in for what is not installed; afterwards megatron.core imports. What it logs, on the standard output too, is no verdict."""
    logging.disable(logging.CRITICAL)
    if not hasattr(typing, "override"):  # Python 3.12's, which megatron.training imports; it marks methods and does nothing.
        typing.override = typing_extensions.override
    stand_ins.install(PACKAGES)
    import torch.cuda
    import torch.distributed
    import torch.nn.functional
    import torch.utils.data

    torch.dtype = Number
    for name in NUMBERS:
        setattr(torch, name, Number(name))
    torch.float, torch.half = torch.float32, torch.float16
    torch.cuda.get_device_capability = lambda *_: (9, 0)
    torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(major=9, minor=0, name="NVIDIA H100 80GB HBM3", multi_processor_count=132)
    torch.cuda.is_available = lambda: True
    # Abstract classes derive from these.
    torch.nn.Module = type("Module", (), {"__module__": "torch.nn"})
    torch.utils.data.Dataset = type("Dataset", (), {"__module__": "torch.utils.data"})
    for name in ("silu", "gelu", "relu"):  # configurations hold functions apart from classes
        setattr(torch.nn.functional, name, activation(name))
    torch.distributed.is_initialized = lambda: False
    torch.distributed.is_available = lambda: True
    # Megatron-Bridge's own copy of a model that no recipe of a text here is of: it computes, and configures nothing.
    for part in ("", ".configuration_qwen3_asr", ".modeling_qwen3_asr"):
        sys.modules[SPEECH + part] = stand_ins.Module(SPEECH + part)
    import transformer_engine.pytorch.optimizers as optimizers

    optimizers.FusedAdam = FusedAdam
    return torch
