"""Checks ChatLearn commands and files against the names, types and defaults of its configuration; see README.md.

ChatLearn is on no package registry, so its configuration is restated: `schema.json` lists every
key, `TEMPLATES` what its two templates set, `validate` what its own validation asserts, `rules.py` what it and
Megatron assert only at run time. Overrides and the file are read by OmegaConf, as its launcher reads them. The file
takes the template's place, so that it must say all that the template says; command and file must come to the same.
"""

import json
import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import protocol  # noqa: E402
import rules  # noqa: E402
import shell  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

with open(os.path.join(HERE, "schema.json")) as file:
    SCHEMA = json.load(file)

BOTH = {
    "runtime_args.rollout_backend": "vllm",
    "runtime_args.colocation": ["policy", "policy_trainer", "ref_policy"],
    "runtime_args.sample_per_episode": 512, "runtime_args.train_global_batch_size": 512, "runtime_args.train_micro_batch_size": 8,
    "runtime_args.data_path": "your_data_path", "runtime_args.eval_data_path": "your_eval_data_path", "runtime_args.output_dir": "your_output_dir",
    "models.policy_trainer.trainable": True, "models.policy_trainer.gpu_per_process": 1, "models.policy_trainer.generation_batch_size": 8,
    "models.policy_trainer.load": "your_hf_model_path",
    "models.ref_policy.trainable": False, "models.ref_policy.gpu_per_process": 1, "models.ref_policy.generation_batch_size": 8,
    "models.policy.trainable": False, "models.policy.gpu_per_process": 1, "models.policy.generation_batch_size": 256,
    "models.policy.max_prompt_tokens_length": 1024, "models.policy.max_response_tokens_length": 2048, "models.policy.load": "your_hf_model_path",
}
# What template/grpo_fsdp.yaml and template/grpo_megatron.yaml set, of what the rules read.
TEMPLATES = {
    "template/grpo_fsdp.yaml": {**BOTH, "runtime_args.train_backend": "fsdp", "models.policy_trainer.num_gpu": 2, "models.policy_trainer.packing": False,
                                "models.policy_trainer.max_token_in_packing": 32768, "models.policy.tensor_model_parallel_size": 1},
    "template/grpo_megatron.yaml": {**BOTH, "runtime_args.train_backend": "megatron", "models.policy_trainer.num_gpu": 1, "models.policy_trainer.packing": True,
                                    "models.policy_trainer.use_distributed_optimizer": True, "models.policy_trainer.sequence_parallel": True,
                                    "models.ref_policy.sequence_parallel": True, "models.policy.tensor_model_parallel_size": 2, "models.policy.enforce_eager": True},
}
# Keys of other roles that the templates tie to the trainer's.
TIED = ("num_gpu", "load", "packing", "max_token_in_packing", "ulysses_sequence_parallel_size", "tensor_model_parallel_size", "pipeline_model_parallel_size",
        "context_parallel_size", "expert_model_parallel_size", "expert_tensor_parallel_size", "decoder_first_pipeline_num_layers",
        "decoder_last_pipeline_num_layers", "pipeline_model_parallel_layout")
CHOICES = {
    "runtime_args.rollout_backend": ("vllm", "sglang"),
    "models.policy_trainer.recompute_granularity": (None, "selective", "full"),
    "models.policy_trainer.recompute_method": (None, "uniform", "block"),
}
MODULES = {"core_attn", "moe_act", "layernorm", "mla_up_proj", "mlp", "moe", "shared_experts"}
# Overwritten after construction, or without effect.
IGNORED = ("models.policy_trainer.fsdp_size", "models.policy_trainer.seq_length", "models.policy.seq_length",
           "models.policy_trainer.gradient_checkpointing", "models.policy_trainer.num_replica", "models.policy_trainer.replica_dp_size")
# What its dataclasses leave open, so that a file without it does not start (configs/runtime_config.py).
REQUIRED = [f"runtime_args.{name}" for name in ("train_backend", "output_dir", "data_path", "eval_data_path", "num_episode", "sample_per_episode",
                                                "train_micro_batch_size", "train_global_batch_size", "save_episode_interval")]
SGLANG_IGNORES = ("models.policy.generation_batch_size", "models.policy.max_num_batched_tokens")


def launch(text):
    """Template and overrides of the one command that starts ChatLearn."""
    found = [words for words in shell.commands(text) if "chatlearn/entrypoint.py" in words]
    if len(found) != 1:
        raise ValueError(f"{len(found)} commands start ChatLearn, not 1")
    words = found[0][found[0].index("chatlearn/entrypoint.py") + 1:]
    if words[:2] != ["grpo", "--config-file"]:
        raise ValueError("`grpo --config-file TEMPLATE` must come first: without it ChatLearn drops every override")
    return words[2], words[3:]


def leaves(node, prefix=""):
    for key, value in node.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def accepts(value, wanted):
    optional = re.fullmatch(r"Optional\[(.*)\]", wanted)
    if optional:
        return value is None or accepts(value, optional[1])
    several = re.fullmatch(r"List\[(.*)\]", wanted)
    if several:
        return value is None or isinstance(value, list) and all(accepts(item, several[1]) for item in value)
    if wanted == "bool":
        return isinstance(value, bool)
    if wanted == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if wanted == "float":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return wanted != "str" or isinstance(value, str) or value is None


def names_and_types(overrides, keys, backend, rollout):
    for key, value in overrides.items():
        if key.split(".")[0] not in ("runtime_args", "models", "env_args"):
            yield f"{key}: Key '{key.split('.')[0]}' not in ChatLearn's configuration"
        elif key not in keys:
            yield f"{key}: unknown to ChatLearn's {backend} backend"
        elif not accepts(value, keys[key]["type"]):
            yield f"{key}: {value!r} is no {keys[key]['type']}"
        if key in CHOICES and value not in CHOICES[key]:
            yield f"{key}: {value!r} is none of {CHOICES[key]}"
        if key.endswith(".recompute_modules") and not set(value or []) <= MODULES:
            yield f"{key}: {value!r} has unknown modules"
        if key in IGNORED or rollout == "sglang" and key in SGLANG_IGNORES:
            yield f"{key}: ChatLearn accepts it and never reads it"


def configuration(template, overrides, keys, backend):
    """Defaults, template and overrides as nested names, with what ChatLearn derives from them. A file has no template."""
    flat = {key: entry.get("default") for key, entry in keys.items()} | TEMPLATES.get(template, {}) | overrides
    for role in ("ref_policy", "policy"):
        for name in TIED if template else ():
            key = f"models.{role}.{name}"
            own = role == "policy" and (name not in ("num_gpu", "load") or name == "load" and backend == "megatron")
            if key in keys and key not in overrides and not own:
                flat[key] = flat.get(f"models.policy_trainer.{name}")
    for role in ("policy_trainer", "ref_policy"):
        size = lambda name: flat.get(f"models.{role}.{name}") or 1  # noqa: E731
        ways = size("ulysses_sequence_parallel_size") if backend == "fsdp" else \
            size("tensor_model_parallel_size") * size("pipeline_model_parallel_size") * size("context_parallel_size")
        flat[f"models.{role}.num_replica"], flat[f"models.{role}.replica_dp_size"] = 1, size("num_gpu") // ways
    flat["models.policy.num_replica"] = (flat["models.policy.num_gpu"] or 0) // (flat["models.policy.tensor_model_parallel_size"] or 1)
    flat["models.policy.replica_dp_size"] = 1
    flat["models.policy.num_inference_per_prompt"] = overrides.get("models.policy.num_inference_per_prompt", flat["runtime_args.num_inference_per_prompt"])
    top = types.SimpleNamespace()
    for key, value in flat.items():
        node, *rest = [top], *key.split(".")
        place = node[0]
        for part in rest[:-1]:
            place.__dict__.setdefault(part, types.SimpleNamespace())
            place = getattr(place, part)
        setattr(place, rest[-1], value)
    return top


def validate(config, backend, template, overrides):
    """What ChatLearn's own `validate` asserts: algorithm/grpo.py:140-176, configs/runtime_config.py:215,
    configs/fsdp_config.py:32, configs/policy_config.py:84-92."""
    run, trainer, reference, policy = config.runtime_args, config.models.policy_trainer, config.models.ref_policy, config.models.policy

    def divides(key, one, other, what):
        if not other or one % other:
            yield f"{key}: {one} must be divisible by {what} {other}"

    if backend == "fsdp":
        yield from divides("models.policy_trainer.num_gpu", trainer.num_gpu, trainer.ulysses_sequence_parallel_size,
                           "models.policy_trainer.ulysses_sequence_parallel_size")
    elif "models.policy_trainer.max_token_in_packing" not in overrides:
        yield "models.policy_trainer.max_token_in_packing: the template takes it from seq_length, which it does not set"
    if policy.pipeline_model_parallel_size != 1 or policy.expert_model_parallel_size != 1:
        yield "models.policy: Pipeline and Expert Parallel of Policy must be 1"
    yield from divides("models.policy.num_gpu", policy.num_gpu, policy.tensor_model_parallel_size, "its tensor_model_parallel_size")
    samples = run.sample_per_episode
    yield from divides("runtime_args.sample_per_episode", samples, run.train_global_batch_size, "train_global_batch_size")
    yield from divides("runtime_args.sample_per_episode", samples, policy.num_inference_per_prompt, "num_inference_per_prompt")
    for name, role in (("policy_trainer", trainer), ("ref_policy", reference)):
        ranks = role.num_replica * role.replica_dp_size
        yield from divides("runtime_args.sample_per_episode", samples, ranks, f"the ranks of {name}")
        if not role.packing and ranks:
            yield from divides(f"models.{name}.generation_batch_size", samples // ranks, role.generation_batch_size, "generation_batch_size")
    ranks = trainer.num_replica * trainer.replica_dp_size
    yield from divides("runtime_args.train_global_batch_size", run.train_global_batch_size, ranks, "the ranks of policy_trainer")
    if not trainer.packing and ranks:
        yield from divides("runtime_args.train_micro_batch_size", run.train_global_batch_size // ranks, run.train_micro_batch_size, "train_micro_batch_size")


def value(config, key):
    for name in key.split("."):
        config = getattr(config, name, None)
    return config


def check_file(item, text):
    """Errors of the file, and the configuration that it comes to."""
    for old, new in item.get("file", {}).items():
        if text.count(old) != 1:
            raise RuntimeError(f"{item['id']}: {text.count(old)} times {old!r}")
        text = text.replace(old, new)
    # No shell sets it for the file; the launcher's environment has it.
    os.environ["HOME"] = shell.ENVIRONMENT["HOME"]
    try:
        settings = dict(leaves(OmegaConf.to_container(OmegaConf.create(text), resolve=True)))
    except Exception as error:  # noqa: BLE001: OmegaConf's and PyYAML's are of many kinds
        return [f"OmegaConf refuses the file: {' '.join(str(error).split())[:300]}"], None
    backend = settings.get("runtime_args.train_backend")
    errors = [f"{key}: must be set" for key in REQUIRED if key not in settings]
    if errors or backend not in ("fsdp", "megatron"):
        return errors or [f"runtime_args.train_backend: not support train backend {backend!r}"], None
    keys = {**SCHEMA["common"], **SCHEMA[backend]}
    errors = list(names_and_types(settings, keys, backend, settings.get("runtime_args.rollout_backend", "vllm")))
    if errors:
        return errors, None
    config = configuration("", settings, keys, backend)
    return [*validate(config, backend, "", settings), *rules.violations(config, item["facts"])], config


def check(item):
    texts = {snippet["file"].rsplit(".")[-1]: snippet["text"] for snippet in item["snippets"]}
    if "file" in item:
        return check_file(item, texts["yaml"])[0]
    errors, config = check_command(item, texts["sh"])
    if errors or "yaml" not in texts or any(key in item for key in ("set", "unset", "add")):
        return errors
    errors, other = check_file(item, texts["yaml"])
    if errors:
        return [f"the file: {error}" for error in errors]
    template, settings = launch(texts["sh"])
    sglang = config.runtime_args.rollout_backend == "sglang"
    keys = {word.split("=", 1)[0] for word in settings} | set(TEMPLATES[template]) | {f"models.{role}.{name}" for role in ("ref_policy", "policy") for name in TIED}
    return [f"{key}: {value(config, key)!r} by the command, {value(other, key)!r} by the file" for key in sorted(keys)
            if value(config, key) != value(other, key) and not (sglang and key in SGLANG_IGNORES)]


def check_command(item, text):
    """Errors of the command, and the configuration that it comes to."""
    template, settings = launch(text)
    settings = protocol.altered(settings, item)
    errors = protocol.twice(settings)
    errors += [f"{word}: OmegaConf knows no hydra prefix" for word in settings if word[0] in "+~-"]
    errors += [f"{word}: not key=value" for word in settings if "=" not in word]
    if errors:
        return errors, None
    if template not in TEMPLATES:
        return [f"{template}: no template of ChatLearn"], None
    overrides = dict(leaves(OmegaConf.to_container(OmegaConf.from_dotlist(settings), resolve=False)))
    backend = overrides.get("runtime_args.train_backend", TEMPLATES[template]["runtime_args.train_backend"])
    if backend not in ("fsdp", "megatron"):
        return [f"runtime_args.train_backend: not support train backend {backend!r}"], None
    keys = {**SCHEMA["common"], **SCHEMA[backend]}
    rollout = overrides.get("runtime_args.rollout_backend", "vllm")
    errors += names_and_types(overrides, keys, backend, rollout)
    if errors:
        return errors, None
    config = configuration(template, overrides, keys, backend)
    errors += validate(config, backend, template, overrides)
    errors += rules.violations(config, item["facts"])
    return errors, config


if __name__ == "__main__":
    protocol.serve(check)
