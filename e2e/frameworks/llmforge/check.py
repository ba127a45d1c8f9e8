"""Checks LLMForge's YAML against the keys of its published templates; see README.md.

LLMForge is closed and deprecated: no code of it can run. The keys, their types and the resources and configurations they
name are those of its templates in anyscale/templates after October 2024, when no_gradient_checkpoint was renamed (commit
d0b1d2a3), until they were removed (d0879a6c). Ray reads the file with PyYAML.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import documents  # noqa: E402
import protocol  # noqa: E402

TEXT, WHOLE, NUMBER, TRUTH, LIST = (str,), (int,), (int, float), (bool,), (list,)
KEYS = {
    "model_id": TEXT, "train_path": TEXT, "valid_path": TEXT, "padding": TEXT, "task": TEXT,
    "context_length": WHOLE, "num_devices": WHOLE, "train_batch_size_per_device": WHOLE, "eval_batch_size_per_device": WHOLE,
    "gradient_accumulation_steps": WHOLE, "num_epochs": WHOLE, "num_checkpoints_to_keep": WHOLE, "learning_rate": NUMBER,
    "gradient_checkpointing": TRUTH, "deepspeed.config_path": TEXT, "trainer_resources.memory": WHOLE,
    "liger_kernel.enabled": TRUTH, "liger_kernel.kwargs.fused_linear_cross_entropy": TRUTH,
    "lora_config.r": WHOLE, "lora_config.lora_alpha": WHOLE, "lora_config.lora_dropout": NUMBER, "lora_config.target_modules": LIST,
    "lora_config.modules_to_save": LIST, "lora_config.bias": TEXT, "lora_config.task_type": TEXT,
}
REQUIRED = ("model_id", "train_path", "context_length", "num_devices", "train_batch_size_per_device", "learning_rate",
            "deepspeed.config_path", "worker_resources")
CONFIGS = {f"deepspeed_configs/{name}.json" for name in ("zero_2", "zero_3", "zero_3_hpz", "zero_3_offload_optim", "zero_3_offload_optim+param")}
ACCELERATORS = {f"accelerator_type:{name}" for name in ("A10G", "L4", "A100-40G", "A100-80G", "H100")}


def flat(content, above=""):
    for key, value in content.items():
        path = f"{above}{key}"
        if isinstance(value, dict) and path != "worker_resources":
            yield from flat(value, f"{path}.")
        else:
            yield path, value


def check(item):
    try:
        content = documents.read(documents.altered(item)["llmforge.yaml"])
    except ValueError as error:
        return [str(error)]
    settings, errors = dict(flat(content)), []
    errors += [f"{key}: must be set" for key in REQUIRED if key not in settings]
    for key, value in settings.items():
        if key == "worker_resources":
            errors += [f"{key}: {name} is no accelerator of LLMForge's" for name in value if name not in ACCELERATORS | {"memory"}]
            if not isinstance(value.get("memory", 0), int):
                errors.append(f"{key}.memory: {value['memory']!r} is of another type")
        elif key not in KEYS:
            errors.append(f"{key}: no template has it")
        elif not isinstance(value, KEYS[key]) or isinstance(value, bool) and KEYS[key] != TRUTH:
            errors.append(f"{key}: {value!r} is of another type")
    if settings.get("deepspeed.config_path") not in CONFIGS:
        errors.append(f"deepspeed.config_path: {settings.get('deepspeed.config_path')} is none of LLMForge's")
    if settings.get("padding") not in ("longest", "max_length"):
        errors.append("padding: longest or max_length")
    if "$" in str(settings.get("train_path")):
        errors.append("train_path: no shell reads it")
    return errors


if __name__ == "__main__":
    protocol.serve(check)
