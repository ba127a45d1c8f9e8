"""Checks veRL commands with verl's own configuration code; see README.md.

hydra composes verl's packaged configuration with the text's overrides, verl's dataclasses are built
from it, `validate_config` runs, and then the rules that verl asserts only on GPU workers (rules.py).
"""

import ast
import contextlib
import copy
import dataclasses
import importlib
import importlib.util
import os
import re
import sys
import types
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
os.environ.update(VERL_LOGGING_LEVEL="ERROR", VERL_USE_EXTERNAL_PLUGINS="none", CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1")

from hints import accepts  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402
import stand_ins  # noqa: E402

VERL = os.path.dirname(importlib.util.find_spec("verl").origin)
CONFIG = os.path.join(VERL, "trainer", "config")
stand_ins.install()

from hydra import compose, initialize_config_dir  # noqa: E402
from hydra._internal.config_loader_impl import ConfigLoaderImpl  # noqa: E402
from hydra.core.global_hydra import GlobalHydra  # noqa: E402
from hydra.core.override_parser.overrides_parser import OverridesParser  # noqa: E402
from hydra.core.override_parser.types import QuotedString  # noqa: E402
from omegaconf import DictConfig, OmegaConf, open_dict  # noqa: E402

import rules  # noqa: E402

STREAMED = "verl.experimental.fully_async_policy.fully_async_main"
ENTRY_POINTS = {"verl.trainer.main_ppo": "ppo_trainer", "verl.trainer.sft_trainer": "sft_trainer_engine",
                "verl.trainer.fsdp_sft_trainer": "sft_trainer", STREAMED: "fully_async_ppo_trainer"}
# Where an entry point has its configuration; it finds that of the trainers by itself.
FOLDERS = {"fully_async_ppo_trainer": os.path.join(VERL, "experimental", "fully_async_policy", "config")}
PARSER = OverridesParser.create()
BASES = {}


def launch(text):
    """The entry point, the configuration it names, its overrides and torchrun's world size (None without torchrun)."""
    found = [words for words in shell.commands(text) if any(word in ENTRY_POINTS for word in words)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} commands start veRL, not 1")
    words = found[0]
    at = next(i for i, word in enumerate(words) if word in ENTRY_POINTS)
    world = None
    if words[0] == "torchrun":
        sizes = dict(re.match(r"--(nnodes|nproc-per-node)=(\d+)$", word).groups() for word in words[:at]
                     if re.match(r"--(nnodes|nproc-per-node)=\d+$", word))
        world = int(sizes["nnodes"]) * int(sizes["nproc-per-node"])
    options = dict(re.match(r"--(config-path|config-name)=(.*)$", word).groups() for word in words[at + 1:] if word.startswith("--"))
    name = options.get("config-name", ENTRY_POINTS[words[at]]).removesuffix(".yaml")
    return words[at], name, [word for word in words[at + 1:] if not word.startswith("--")], world


def base(name, groups):
    """verl's packaged configuration with some groups chosen, composed once."""
    key = (name, tuple(groups))
    if key not in BASES:
        GlobalHydra.instance().clear()
        with initialize_config_dir(config_dir=FOLDERS.get(name, CONFIG), version_base=None):
            BASES[key] = compose(name, overrides=list(groups))
    return BASES[key]


def composed(name, settings):
    """The configuration with the overrides applied by hydra's own routine, and what it refuses."""
    parsed, groups, errors = [], [], []
    for word in settings:
        try:
            override = PARSER.parse_override(word)
        except Exception as error:
            errors.append(f"{word}: hydra cannot parse it: {str(error).splitlines()[0]}")
            continue
        if override.is_sweep_override():
            errors.append(f"{word}: hydra reads a sweep: quote or bracket it")
        elif os.path.isdir(os.path.join(CONFIG, override.key_or_group)):
            groups.append(word)
        else:
            parsed.append(override)
    try:
        packaged = base(name, groups)
    except Exception as error:
        return None, None, parsed, errors + [f"{groups}: {str(error).splitlines()[0]}"]
    config = copy.deepcopy(packaged)
    OmegaConf.set_struct(config, True)
    for override in parsed:
        try:
            ConfigLoaderImpl._apply_overrides_to_config([override], config)
        except Exception as error:
            errors.append(f"{override.input_line}: {str(error).splitlines()[0]}")
    return config, packaged, parsed, errors


def hint_of(config, key):
    """Type hint of the field of verl's dataclass that holds this key; None where there is none."""
    parts = key.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        node = OmegaConf.select(config, ".".join(parts[:cut]), throw_on_missing=False)
        if not (isinstance(node, DictConfig) and "_target_" in node):
            continue
        module, _, name = str(node["_target_"]).rpartition(".")
        try:
            hint = getattr(importlib.import_module(module), name, None)
        except ModuleNotFoundError:  # 0.7.1 names a class that its wheel does not have
            return None
        for part in parts[cut:]:
            options = [h for h in typing.get_args(hint) if h is not type(None)]
            if typing.get_origin(hint) in (typing.Union, types.UnionType) and len(options) == 1:
                hint = options[0]
            if not (isinstance(hint, type) and dataclasses.is_dataclass(hint)):
                return None
            hint = typing.get_type_hints(hint).get(part)
            if hint is None:
                return None
        return hint
    return None


def plain(value):
    if isinstance(value, QuotedString):
        return value.text
    return OmegaConf.to_container(value, resolve=False) if OmegaConf.is_config(value) else value


# Numbers that may be null: fully_async_rollouter.py:406.
NULLABLE = ("rollout.total_rollout_steps",)


def types_of(config, packaged, parsed):
    """Values of another type than the field of verl's dataclass, or than the packaged default."""
    for override in parsed:
        key = override.key_or_group
        select = lambda where: plain(OmegaConf.select(where, key, throw_on_missing=False, throw_on_resolution_failure=False))  # noqa: E731
        value, default, hint = select(config), select(packaged), hint_of(config, key)
        if hint is None and isinstance(default, (bool, int, float, str, list, dict)):
            hint = type(default)
        null = value is None and (default is None or key in NULLABLE)
        if hint is not None and not accepts(value, hint) and not null:
            yield f"{key}: {value!r} is no {getattr(hint, '__name__', hint)} (packaged: {default!r})"


def guarded(name, run):
    """What verl raises, as an error that names the part."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            run()
    except ModuleNotFoundError:
        raise
    except Exception as error:
        yield f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:400]}"


class Asserted(Exception):
    """Everything is asserted, and work would begin."""


def streamed(config):
    """What `fully_async_main` asserts before its first work: its pools, its trainer and what generates for it."""
    from verl.experimental.fully_async_policy import fully_async_main, fully_async_rollouter, fully_async_trainer

    def work(*_, **__):
        raise Asserted

    config = copy.deepcopy(config)
    config.actor_rollout_ref.rollout.nnodes = config.rollout.nnodes  # as its main program
    config.actor_rollout_ref.rollout.n_gpus_per_node = config.rollout.n_gpus_per_node
    roles, _ = fully_async_main.create_role_worker_mapping(config)
    errors = list(guarded("fully_async_main", lambda: fully_async_main.create_resource_pool_manager(config, roles=[*roles, fully_async_main.Role.Rollout])))
    fully_async_rollouter.ValidationGenerationsLogger = fully_async_trainer.Tracking = lambda *_, **__: None
    fully_async_rollouter.FullyAsyncRollouter._init_dump_executor = fully_async_trainer.FullyAsyncTrainer._init_dump_executor = lambda _: None
    fully_async_rollouter.FullyAsyncRollouter._create_dataloader = work

    def rollouter():
        with contextlib.suppress(Asserted):
            fully_async_rollouter.FullyAsyncRollouter(config, None)

    def trainer():
        own = fully_async_trainer.FullyAsyncTrainer(config, None, roles, types.SimpleNamespace(get_resource_pool=lambda _: None), None)
        own.resource_pool_to_cls = {None: {}}
        own._create_critic_class()

    return errors + list(guarded("fully_async_rollouter", rollouter)) + list(guarded("fully_async_trainer", trainer))


def reinforcement(config, module):
    """verl's `validate_config`, or what the asynchronous trainer has in its place, and the dataclasses that its workers build first."""
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import omega_conf_to_dataclass, validate_config

    missing = [key for key in ("actor_rollout_ref.rollout.name", "actor_rollout_ref.actor.strategy") if OmegaConf.is_missing(
        OmegaConf.select(config, key.rpartition(".")[0]), key.rpartition(".")[2])]
    if missing:
        return [f"{key}: must be set" for key in missing]
    critic, reference = need_critic(config), need_reference_policy(config)
    if module == STREAMED:
        errors = streamed(config)
    else:
        errors = list(guarded("validate_config", lambda: validate_config(copy.deepcopy(config), reference, critic)))

    def build(node):
        return lambda: omega_conf_to_dataclass(copy.deepcopy(node))

    errors += guarded("actor_rollout_ref.rollout", build(config.actor_rollout_ref.rollout))
    errors += guarded("actor_rollout_ref.actor", build(config.actor_rollout_ref.actor))
    errors += guarded("algorithm", build(config.algorithm))
    if config.reward.reward_model.enable:
        errors += guarded("reward.reward_model", build(config.reward.reward_model))
    if OmegaConf.select(config, "distillation.enabled"):
        errors += guarded("distillation", build(config.distillation))
    if reference:
        ref = copy.deepcopy(config.actor_rollout_ref)
        with open_dict(ref):  # as ActorRolloutRefWorker.init_model of workers/engine_workers.py
            ref.ref.ppo_mini_batch_size = ref.actor.ppo_mini_batch_size
            ref.ref.ppo_micro_batch_size = ref.ref.pop("log_prob_micro_batch_size", None)
            ref.ref.ppo_micro_batch_size_per_gpu = ref.ref.pop("log_prob_micro_batch_size_per_gpu", None)
            ref.ref.use_dynamic_bsz = ref.ref.pop("log_prob_use_dynamic_bsz", False)
            ref.ref.ppo_max_token_len_per_gpu = ref.ref.pop("log_prob_max_token_len_per_gpu", None)
        errors += guarded("actor_rollout_ref.ref", lambda: omega_conf_to_dataclass(ref.ref))
    return errors


def fine_tuning(config):
    from verl.utils.config import omega_conf_to_dataclass

    return [error for key in ("engine", "optim", "checkpoint")
            for error in guarded(key, lambda key=key: omega_conf_to_dataclass(copy.deepcopy(config[key])))]


# Accepted and never read by main_ppo of 0.9.1.
IGNORED = re.compile(r"^(reward_model|custom_reward_function|sandbox_fusion)\b|^critic\.ulysses_sequence_parallel_size$")


def check(item):
    module, name, settings, world = launch(item["snippets"][0]["text"])
    settings = protocol.altered(settings, item)
    errors = protocol.twice(settings)
    config, packaged, parsed, refused = composed(name, settings)
    errors += refused
    errors += [f"{o.key_or_group}: verl accepts it and never reads it" for o in parsed if IGNORED.match(o.key_or_group)]
    if config is None:
        return errors
    errors += types_of(config, packaged, parsed)
    if not errors:
        ppo = module in ("verl.trainer.main_ppo", STREAMED)
        errors += reinforcement(config, module) if ppo else fine_tuning(config)
        facts = item["facts"]
        # A mandatory value that is missing, or a word for a number, is an error already.
        if not any("must be set" in error for error in errors):
            errors += rules.reinforcement(config, facts) if ppo else rules.fine_tuning(config, world, facts)
    return errors


def prepare():
    """Parts of verl that need vllm or a checkpoint on disk, from verl's own source."""
    name = "verl.workers.rollout.vllm_rollout.utils"
    source = os.path.join(VERL, "workers/rollout/vllm_rollout/utils.py")
    with open(source) as file:
        tree = ast.parse(file.read())
    wanted = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "get_vllm_max_lora_rank"]
    module, package = types.ModuleType(name), types.ModuleType(name.rpartition(".")[0])
    module.__dict__.update(Literal=typing.Literal, get_args=typing.get_args)
    exec(compile(ast.Module(wanted, []), source, "exec"), module.__dict__)
    package.__path__, package.utils = [], module
    sys.modules.update({name: module, package.__name__: package})

    from verl.workers.config import HFModelConfig

    def without_files(self):
        targets = self.target_modules
        if targets is not None and not isinstance(targets, str) and not all(isinstance(t, str) for t in targets):
            raise TypeError(f"target_modules must be a string or a list of strings, but got {targets!r}")

    HFModelConfig.__post_init__ = without_files  # it reads the tokenizer and config.json of the checkpoint


if __name__ == "__main__":
    prepare()
    protocol.serve(check)
