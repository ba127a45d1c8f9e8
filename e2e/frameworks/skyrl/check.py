"""Checks SkyRL's commands: its own parser, dataclasses and `validate_cfg`, and what its workers set up with megatron-core; see README.md.

`from_cli_overrides` and `validate_cfg` are those of the wheel, beside stand-ins for torch and ray. Dataclasses keep whatever they are
given, so a value is held against the type of its field; one that SkyRL changes by itself is an error. Where Megatron trains,
`MegatronWorker.init_configs` makes the provider of policy and reference, and Megatron-Bridge and megatron-core refuse what they do; the
model's config.json comes from the catalog. `rules.py` restates what trainers and workers assert with GPUs at hand.
"""

import contextlib
import dataclasses
import importlib
import logging
import os
import sys
import types
import typing
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "megatron-bridge")]

import check as megatron_bridge  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402
import stand_ins  # noqa: E402
import rules  # noqa: E402

stand_ins.install(("loguru", "jaxtyping", "vllm", "vllm_router", "polars", "func_timeout", "s3fs", "hf_transfer", "cloudpathlib", "fsspec", "torchdata", "tenacity", "tqdm"))

import skyrl_gym  # noqa: E402
from megatron.core.distributed import DistributedDataParallelConfig  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402
from skyrl.train.config.config import SkyRLTrainConfig, get_config_as_dict  # noqa: E402
from skyrl.train.generators.skyrl_gym_generator import SkyRLGymGenerator  # noqa: E402
from skyrl.train.generators.skyrl_vlm_generator import SkyRLVLMGymGenerator  # noqa: E402
from skyrl.train.utils.utils import validate_cfg  # noqa: E402

# It imports a part of megatron-core that 0.19.2 no longer has, and sets up what is on GPUs.
STRATEGY = "skyrl.backends.skyrl_train.distributed.megatron.megatron_strategy"
sys.modules[STRATEGY] = stand_ins.Module(STRATEGY)
megatron_worker = importlib.import_module("skyrl.backends.skyrl_train.workers.megatron.megatron_worker")
megatron_optimizer = importlib.import_module("skyrl.backends.skyrl_train.distributed.megatron.optimizer")
PROGRAMS = {"skyrl.train.entrypoints.main_base": "", "examples.train.async.main_async": "async", "examples.train.fully_async.main_fully_async": "fully_async"}


def launch(text):
    """Its extra, how it generates, and its overrides."""
    found = [words for words in shell.commands(text) if words[0] == "uv"]
    if len(found) != 1 or found[0][1:4] != ["run", "--isolated", "--extra"] or found[0][5] != "-m":
        raise ValueError(f"{len(found)} commands start SkyRL by uv run --isolated --extra … -m, not 1")
    words = found[0]
    if words[6] not in PROGRAMS:
        raise ValueError(f"{words[6]} is no program of SkyRL")
    return words[4], PROGRAMS[words[6]], words[7:]


def fits(value, kind):
    """Whether a value is of a field's type; what is no plain one holds anything."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        return any(fits(value, part) for part in parts)
    if origin is list:
        return isinstance(value, list) and all(fits(one, parts[0]) for one in value)
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind) if kind in (bool, str, type(None)) else True


def typed(config, prefix=""):
    """Values of another type than their fields'. Modules of adapters are a word or a list of names (`peft.LoraConfig`)."""
    for field in dataclasses.fields(config):
        value, path = getattr(config, field.name), prefix + field.name
        if dataclasses.is_dataclass(value):
            yield from typed(value, f"{path}.")
        elif not fits(value, field.type) and not (path.endswith("lora.target_modules") and isinstance(value, list)):
            yield f"{path}: {value!r} is no {getattr(field.type, '__name__', field.type)}"


def changed(config, words):
    """What SkyRL has in the place of a value that was stated."""
    for word in words:
        key, _, _ = word.partition("=")
        wanted, node = OmegaConf.to_container(OmegaConf.from_cli([word])), config
        for part in key.split("."):
            wanted = wanted[part]
            node = node.get(part) if isinstance(node, dict) else getattr(node, part)
        if node != wanted:
            yield f"{key}: {wanted!r} was stated, and {node!r} is there"


class Worker(megatron_worker.MegatronWorker):
    """One of Megatron's, before it makes its model."""

    def __init__(self, config):
        self.cfg, self.strategy, self._rank, self._local_rank = config.trainer, types.SimpleNamespace(), 0, 0


# SkyRL adds bridges of its own for models that the catalog has not: each stands beside the family that it derives from.
families = megatron_bridge.subclasses
megatron_bridge.subclasses = lambda cls: (own for own in families(cls) if not own.__module__.startswith("skyrl."))


class Described(megatron_bridge.Described):
    """Its provider, whose weights would be read once the model is made. A text may name a copy of the checkpoint, or its chat model."""

    def __init__(self, name):
        super().__init__(megatron_bridge.ASKED["hf_repo"])

    def to_megatron_provider(self):
        return super().to_megatron_provider(load_weights=False)


megatron_worker.AutoBridge = types.SimpleNamespace(from_hf_pretrained=lambda name, **_: Described(name))
megatron_worker.get_tokenizer = lambda *_, **__: types.SimpleNamespace(bos_token_id=0, eos_token_id=1, pad_token_id=2)
megatron_worker.AutoConfig = types.SimpleNamespace(from_pretrained=lambda *_, **__: megatron_bridge.configs.Config(megatron_bridge.ASKED))
megatron_worker.update_model_config = lambda config, override_config_kwargs: config


def provided(config, role, kwargs):
    """MegatronPolicyWorkerBase.init_model and MegatronRefWorkerBase.init_model, up to the model."""
    own = getattr(config.trainer, role)
    worker = Worker(config)
    worker.init_configs(own.model.path, own.megatron_config, own.megatron_config.model_config_kwargs, kwargs, bf16=config.trainer.bf16, flash_attn=config.trainer.flash_attn)
    return worker


def on_megatron(config):
    """The providers of policy and reference, and what steps the policy."""
    own = config.trainer.policy.megatron_config

    def policy():
        worker = provided(config, "policy", own.transformer_config_kwargs)
        if config.trainer.policy.model.lora.rank > 0:
            worker.configure_lora(config.trainer.policy.model.lora, own.lora_config.lora_type)
        ddp = DistributedDataParallelConfig()
        ddp.use_distributed_optimizer = True
        for key, value in get_config_as_dict(own.ddp_config).items():
            setattr(ddp, key, value)
        ddp.__post_init__()
        megatron_optimizer.init_megatron_optim_config(config.trainer.policy.optimizer_config, own.optimizer_config_kwargs)

    errors = megatron_bridge.guarded("policy", policy)[1]
    if rules.has_reference(config) and not errors:
        ref = config.trainer.ref.megatron_config
        errors = megatron_bridge.guarded("ref", lambda: provided(config, "ref", ref.transformer_config_kwargs))[1]
    return errors


class Tokenizer:
    """What a generator asks of one before it generates."""

    eos_token_id = 1

    def apply_chat_template(self, *_, **__):
        return [0, 1, 2]


def generates(config):
    """The generator of `BasePPOExp.get_generator`, and the environment that it makes for a row of the data that names none."""
    generator = SkyRLVLMGymGenerator if config.generator.vision_language_generator else SkyRLGymGenerator
    generator(config.generator, config.environment.skyrl_gym, None, Tokenizer())
    try:
        skyrl_gym.spec(config.environment.env_class)
    except skyrl_gym.error.Error as error:
        raise ValueError(str(error)) from error


def check(item):
    megatron_bridge.ASKED.clear()
    megatron_bridge.ASKED.update(item["facts"]["entry"])
    extra, ahead, words = launch(item["snippets"][0]["text"])
    words = protocol.altered(words, item)
    errors = protocol.twice(words) + [f"{word} is no setting" for word in words if "=" not in word]
    if errors:
        return errors
    config, errors = megatron_bridge.guarded("parsed", lambda: SkyRLTrainConfig.from_cli_overrides(words))
    if errors:
        return errors
    errors = list(typed(config))
    if errors:
        return errors
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        errors = megatron_bridge.guarded("validate_cfg", lambda: validate_cfg(config))[1]
    errors += [str(one.message) for one in said if issubclass(one.category, DeprecationWarning)]
    if errors:
        return errors
    with contextlib.redirect_stdout(sys.stderr):
        errors = megatron_bridge.guarded("generator", lambda: generates(config))[1]
        errors += list(changed(config, words)) + rules.of(config, extra, ahead, item["facts"])
        if config.trainer.strategy == "megatron" and not errors:
            errors += on_megatron(config)
    return errors


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    protocol.serve(check)
