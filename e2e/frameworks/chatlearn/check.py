"""Checks ChatLearn commands with ChatLearn's own configuration classes (upstream/); see README.md.

The steps of its launcher: template, overrides as OmegaConf's dot list, merge, dataclasses,
`validate`. Then the types that it leaves unchecked, and the rules that it asserts only at run time.
"""

import ast
import dataclasses
import enum
import importlib.util
import os
import sys
import types
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
UPSTREAM = os.path.join(HERE, "upstream")
sys.path.insert(0, os.path.dirname(HERE))

import protocol  # noqa: E402
import shell  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402


def module(name, path=None, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    if path is not None:
        made.__path__ = path
    sys.modules[name] = made
    return made


def load():
    """The configuration classes. Megatron's two names are inert; of grpo.py, which imports torch and
    ray, the two configuration classes are taken."""
    package = os.path.join(UPSTREAM, "chatlearn")
    module("chatlearn", [package])
    module("chatlearn.utils", [os.path.join(package, "utils")])
    for name in ("megatron", "megatron.training", "megatron.core", "megatron.core.transformer"):
        module(name, [])
    module("megatron.training.arguments", moe_freq_type=lambda text: text)
    module("megatron.core.transformer.enums", AttnBackend=enum.Enum("AttnBackend", "flash fused unfused local auto"))
    scope = {"dataclass": dataclasses.dataclass, "field": dataclasses.field, "fields": dataclasses.fields, "Any": typing.Any}
    for name in ("chatlearn.configs", "chatlearn.configs.fsdp_config", "chatlearn.configs.megatron_config"):
        scope.update({k: v for k, v in vars(importlib.import_module(name)).items() if isinstance(v, type)})
    source = os.path.join(package, "algorithm", "grpo.py")
    with open(source) as file:
        tree = ast.parse(file.read())
    body = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name in ("GrpoModelConfig", "GrpoConfig")]
    grpo = module("grpo_configs")
    grpo.__dict__.update(scope)
    exec(compile(ast.Module(body, []), source, "exec"), grpo.__dict__)
    return grpo


GRPO = load()


def launch(text):
    """Template and overrides of the one command that starts ChatLearn."""
    found = [words for words in shell.commands(text) if "chatlearn/entrypoint.py" in words]
    if len(found) != 1:
        raise ValueError(f"{len(found)} commands start ChatLearn, not 1")
    words = found[0][found[0].index("chatlearn/entrypoint.py") + 1:]
    if words[:2] != ["grpo", "--config-file"]:
        raise ValueError("`grpo --config-file TEMPLATE` must come first: without it ChatLearn drops every override")
    return words[2], words[3:]


def accepts(value, hint):
    if hint is typing.Any or isinstance(value, str) and ("${" in value or value == "???"):
        return True
    if typing.get_origin(hint) is typing.Union:
        return any(accepts(value, h) for h in typing.get_args(hint))
    if hint is type(None):
        return value is None
    if typing.get_origin(hint) is list:
        return value is None or isinstance(value, list) and all(accepts(v, typing.get_args(hint)[0]) for v in value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is str:
        return isinstance(value, str) or value is None
    return isinstance(value, hint) if isinstance(hint, type) and not dataclasses.is_dataclass(hint) else True


CHOICES = {
    "runtime_args.train_backend": ("fsdp", "megatron"),
    "runtime_args.rollout_backend": ("vllm", "sglang"),
    "models.policy_trainer.recompute_granularity": (None, "selective", "full"),
    "models.policy_trainer.recompute_method": (None, "uniform", "block"),
}
MODULES = {"core_attn", "moe_act", "layernorm", "mla_up_proj", "mlp", "moe", "shared_experts"}
# Overwritten after construction, or without effect.
IGNORED = ("models.policy_trainer.fsdp_size", "models.policy_trainer.seq_length", "models.policy.seq_length",
           "models.policy_trainer.gradient_checkpointing", "models.policy_trainer.num_replica", "models.policy_trainer.replica_dp_size")


def leaves(node, prefix=""):
    for key, value in node.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def types_of(overrides, backend, rollout):
    """ChatLearn reads policy_trainer and ref_policy as anything: their types are checked here."""
    roots = {"models.policy_trainer": GRPO.MegatronPolicyTrainerConfig if backend == "megatron" else GRPO.FSDPPolicyTrainerConfig,
             "models.ref_policy": GRPO.MegatronRefPolicyConfig if backend == "megatron" else GRPO.FSDPRefPolicyConfig,
             "models.policy": GRPO.PolicyConfig, "runtime_args": GRPO.RuntimeConfig}
    for key, value in leaves(overrides):
        root = next((root for root in roots if key.startswith(root + ".")), None)
        hint = roots.get(root)
        if hint is None:
            continue
        for part in key[len(root) + 1:].split("."):
            hint = typing.get_type_hints(hint).get(part) if isinstance(hint, type) and dataclasses.is_dataclass(hint) else typing.Any
            if hint is None:
                yield f"{key}: unknown to ChatLearn's {backend} backend"
                break
        else:
            if not accepts(value, hint):
                yield f"{key}: {value!r} is no {hint}"
        if key in CHOICES and value not in CHOICES[key]:
            yield f"{key}: {value!r} is none of {CHOICES[key]}"
        if key.endswith(".recompute_modules") and not set(value or []) <= MODULES:
            yield f"{key}: {value!r} has unknown modules"
        if key in IGNORED or rollout == "sglang" and key in ("models.policy.generation_batch_size", "models.policy.max_num_batched_tokens"):
            yield f"{key}: ChatLearn accepts it and never reads it"


def check(item):
    template, settings = launch(item["snippets"][0]["text"])
    settings = protocol.altered(settings, item)
    errors = protocol.twice(settings)
    errors += [f"{word}: OmegaConf knows no hydra prefix" for word in settings if word[0] in "+~-"]
    errors += [f"{word}: not key=value" for word in settings if "=" not in word]
    if errors:
        return errors
    path = os.path.join(UPSTREAM, template)
    if not os.path.exists(path):
        return [f"{template}: no template of ChatLearn"]
    overrides = OmegaConf.from_dotlist(settings)
    # chatlearn/entrypoint.py, ChatlearnLauncher._run_algorithm.
    external = OmegaConf.load(path)
    try:
        for key, value in overrides.items():
            OmegaConf.update(external, key, value)
        config = OmegaConf.merge(OmegaConf.structured(GRPO.GrpoConfig), external)
        config = OmegaConf.to_object(config)
        config.validate()
    except Exception as error:
        errors.append(f"{type(error).__name__}: {' '.join(str(error).split())[:400]}")
    plain, whole = OmegaConf.to_container(overrides), OmegaConf.to_container(external)
    errors += types_of(plain, whole["runtime_args"]["train_backend"], whole["runtime_args"]["rollout_backend"])
    if not errors:
        import rules

        errors += rules.violations(config, item["facts"])
    return errors


if __name__ == "__main__":
    protocol.serve(check)
