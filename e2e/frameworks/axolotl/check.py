"""Checks axolotl's YAML with its own schema; see README.md.

What `axolotl train` does with the file before it loads a model: plugins are registered, their arguments join the schema,
and `validate_config` runs every validator, as on one GPU of the machine. Then axolotl's own mesh of ranks, and
ds_config.json as the Trainer compares it. axolotl's schema passes over keys that it does not know: here they are errors.
"""

import enum
import json
import os
import re
import sys
import types
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [os.path.dirname(HERE)] + [path for path in sys.path if path != HERE]

import documents  # noqa: E402
import hugging_face  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402
import stand_ins  # noqa: E402

sys.path.pop(0)  # its folders have the names of packages
VERSIONS = {"peft": "0.21.2", "datasets": "5.0.1", "trl": "1.14.1", "tokenizers": "0.23.3", "huggingface_hub": "1.31.0", "regex": "2025.11.3",
            "torch": "2.13.0", "numpy": "2.2.0"}
stand_ins.install(packages="""torch numpy peft datasets trl tokenizers safetensors huggingface_hub regex httpx requests psutil PIL liger_kernel
ring_flash_attn bitsandbytes torchao colorama numba scipy evaluate fire art dotenv posthog mistral_common deepspeed optimum einops
kernels""".split(), versions=VERSIONS)
for name in ("transformers.trainer", "transformers.modeling_gguf_pytorch_utils"):  # they compute
    sys.modules[name] = stand_ins.Module(name)
os.environ.update(WORLD_SIZE="8", HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", AXOLOTL_DO_NOT_TRACK="1")

import huggingface_hub.constants  # noqa: E402
import PIL.Image  # noqa: E402

huggingface_hub.constants.HF_HOME = huggingface_hub.constants.HF_HUB_CACHE = "/nonexistent"
PIL.Image.Resampling = enum.IntEnum("Resampling", "NEAREST LANCZOS BILINEAR BICUBIC BOX HAMMING", start=0)  # a field's type

import pydantic  # noqa: E402
from axolotl.integrations import config as integrations  # noqa: E402
from axolotl.utils import config as axolotl  # noqa: E402
from axolotl.utils.dict import DictDefault  # noqa: E402
from axolotl.utils.distributed import _get_parallel_config_kwargs  # noqa: E402
from axolotl.utils.schemas import config as schemas, datasets, deprecated  # noqa: E402
from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig  # noqa: E402

schemas.is_fp8_available = lambda: True  # torchao is a stand-in
FLASH = ("flash_attention_", "kernels-community/flash-attn")
# What axolotl takes and says is deprecated.
RENAMED = {*schemas.LEGACY_ATTN_FLAG_TO_IMPL, *deprecated.DeprecatedParameters.model_fields, "fsdp", "sequence_parallel_degree",
           "pretrain_multipack_buffer_size", "dataset_processes", "gc_steps", "bfloat16", "float16"}


def model_of(hint):
    """The pydantic model that a field's type names, if any."""
    if isinstance(hint, type) and issubclass(hint, pydantic.BaseModel):
        return hint
    return next((found for found in map(model_of, typing.get_args(hint)) if found), None)


def unknown(content, schema, path=""):
    """Keys that the schema has no field for: pydantic drops them without a word."""
    names = {}
    for name, field in schema.model_fields.items():
        aliases = getattr(field.validation_alias, "choices", None) or [field.validation_alias or field.alias or name]
        names.update({alias: field for alias in [name, *aliases]})
    for key, value in content.items():
        if key not in names:
            yield f"{path}{key}: axolotl never reads it"
        elif isinstance(value, dict) and (inner := model_of(names[key].annotation)):
            yield from unknown(value, inner, f"{path}{key}.")


def launched(text, gpus):
    words = shell.commands(hugging_face.start(text))[0]
    if words[:6] != ["axolotl", "train", "axolotl.yaml", "--launcher", "torchrun", "--"]:
        return ["the command starts something else"]
    value = lambda name: int(words[words.index(name) + 1])  # noqa: E731
    return [] if value("--nnodes") * value("--nproc_per_node") == gpus else [f"it starts other than {gpus} processes"]


def check(item):
    files, gpus = documents.altered(item), item["facts"]["gpus"]
    content = documents.read(files["axolotl.yaml"])
    errors = launched(files["axolotl.yaml"], gpus)
    errors += [f"{key}: deprecated" for key in content if key in RENAMED]
    with hugging_face.folder(files):
        try:
            given = DictDefault(content)
            axolotl.prepare_plugins(given)
            schema = integrations.merge_input_args()[1]
            known = types.SimpleNamespace(model_fields={**schema.model_fields})
            errors += unknown(content, known)
            for entry in [*(content.get("datasets") or [])]:
                errors += unknown(entry, datasets.SFTDataset, "datasets.")
            capabilities = {"bf16": True, "fp8": True, "tf32": True, "n_gpu": gpus, "compute_capability": "sm_90"}
            config = axolotl.validate_config(given, capabilities, {"torch_version": VERSIONS["torch"]})
            errors += mesh(config, gpus)
            if config.deepspeed:
                errors += deepspeed(config, gpus)
        except (ValueError, TypeError, AssertionError, ImportError, NotImplementedError, FileNotFoundError, KeyError) as error:
            return errors + [" ".join(str(error).split())[:600]]
    return errors + combinations(config, content, gpus) + split(config, content, item["facts"]["kv_heads"])


def mesh(config, gpus):
    """axolotl's own product of ranks; the expert plugin's is restated (integrations/expert_parallel/plugin.py)."""
    ep, shard, tp, cp = (config[key] or 1 for key in ("expert_parallel_size", "dp_shard_size", "tensor_parallel_size", "context_parallel_size"))
    sizes = _get_parallel_config_kwargs(gpus, tp, cp, config.dp_shard_size, config.dp_replicate_size, bool(config.fsdp_config), ep, bool(config.deepspeed))
    sizes.pop("sp_backend", None)
    product = ep
    for size in sizes.values():
        product *= size
    errors = [] if product == gpus else [f"the mesh {sizes} of {ep} for experts has {product} ranks, not {gpus}"]
    copies = config.dp_replicate_size or 1
    if ep > 1 and ep * copies * shard * tp * cp != gpus:
        errors.append(f"expert_parallel_size: {ep} * {copies} * {shard} * {tp} * {cp} is not {gpus}")
    return errors


def deepspeed(config, gpus):
    """ds_config.json against what the Trainer is told."""
    own = config.deepspeed
    if not isinstance(own, dict):
        with open(own, encoding="utf-8") as file:
            own = json.load(file)
    own = "optimizer" in own
    stated = config.optimizer and getattr(config.optimizer, "value", str(config.optimizer)) != "adamw_torch_fused"
    if own == bool(stated):
        return ["optimizer: ds_config.json has its own" if own else "optimizer: neither file names one"]
    told = types.SimpleNamespace(
        world_size=gpus, per_device_train_batch_size=config.micro_batch_size, gradient_accumulation_steps=config.gradient_accumulation_steps,
        max_grad_norm=config.max_grad_norm, learning_rate=config.learning_rate, adam_beta1=config.adam_beta1 or 0.9, adam_beta2=config.adam_beta2,
        adam_epsilon=config.adam_epsilon or 1e-8, weight_decay=config.weight_decay, save_on_each_node=False, fp16=bool(config.fp16),
        bf16=bool(config.bf16), fp16_full_eval=False, bf16_full_eval=False)
    compared = HfTrainerDeepSpeedConfig(config.deepspeed)
    compared.trainer_config_process(told)
    return [f"ds_config.json: {line}" for line in compared.mismatches]


def combinations(config, content, gpus):
    """What is looked at only while it trains."""
    errors = []
    ways = [key for key in ("deepspeed", "fsdp_config") if content.get(key)]
    if len(ways) > 1:
        errors.append("deepspeed and fsdp_config cannot be used together")  # utils/trainer.py takes the second alone
    if content.get("fsdp_config") and not content.get("fsdp_version"):
        errors.append("fsdp_version: FSDP1 is deprecated")
    for key in content:
        if key.startswith("lora_") and not config.adapter:
            errors.append(f"{key}: has no effect without an adapter")
        plugin = {"liger": "LigerPlugin", "cut": "CutCrossEntropyPlugin"}.get(re.split("_", key)[0])
        if plugin and not any(plugin in name for name in content.get("plugins") or []):
            errors.append(f"{key}: needs {plugin}")
    return errors


def split(config, content, heads):
    """What Ringmaster's plugin looks at with a model in hand (integrations/context_parallel/plugin.py and settings.py)."""
    own = config.context_parallel or {}
    ring, by_heads = {"ulysses": (1, own.get("size")), "ring": (own.get("size"), 1)}.get(own.get("backend"), (own.get("ring_size"), own.get("ulysses_size")))
    errors = []
    if (ring or 1) > 1 and not content["attn_implementation"].startswith(FLASH):
        errors.append("context_parallel: Ringmaster's torch_native Ring kernel is forward-only")
    if heads % (by_heads or 1):
        errors.append("context_parallel: ulysses_size must divide the model's num_key_value_heads")
    return errors


if __name__ == "__main__":
    protocol.serve(check)
