"""Checks Megatron-Bridge commands with Megatron-Bridge's and megatron-core's own code; see README.md.

The recipe is called, hydra applies the overrides as `scripts/training/run_recipe.py` does (`process_config_with_overrides`), and
`runtime_config_update` resolves precision, finalizes every part and runs `ConfigContainer.validate`. What a checkpoint's config.json
would say of the model comes from Shardwise's catalog, through Megatron-Bridge's own bridge of that family.
"""

import contextlib
import dataclasses
import math
import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
os.environ.update(HF_HUB_OFFLINE="1", CUDA_DEVICE_MAX_CONNECTIONS="1")

import megatron_core  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402

torch = megatron_core.install()

import megatron.bridge.recipes as recipes  # noqa: E402
from megatron.bridge.data.packing import PackedSequenceSpecs  # noqa: E402
from megatron.bridge.models.conversion.auto_bridge import AutoBridge  # noqa: E402
from megatron.bridge.models.conversion.model_bridge import MegatronModelBridge  # noqa: E402
from megatron.bridge.training.config import runtime_config_update  # noqa: E402
from megatron.bridge.training.utils import checkpoint_utils  # noqa: E402
from megatron.bridge.training.utils.omegaconf_utils import OverridesError, process_config_with_overrides  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

import configs  # noqa: E402

SCRIPT = "scripts/training/run_recipe.py"
ASKED = {}


class Described:
    """What AutoBridge.from_hf_pretrained gives, from the catalog rather than a download."""

    def __init__(self, name, **_):
        self.name = name
        if not configs.same(name, ASKED["hf_repo"]):
            raise ValueError(f"the recipe is of {name}, the question of {ASKED['hf_repo']}")

    def to_megatron_provider(self, load_weights=True, **_):
        if load_weights:
            raise ValueError("weights would be loaded")
        wanted = configs.kind(ASKED)
        kinds = [cls for cls in subclasses(MegatronModelBridge) if wanted in (cls.MODEL_TYPE, cls.__module__.rpartition(".")[2].removesuffix("_bridge"))]
        if len(kinds) != 1:
            raise RuntimeError(f"{len(kinds)} bridges of {configs.kind(ASKED)}")
        config = configs.Config(ASKED)
        return kinds[0]().provider_bridge(types.SimpleNamespace(config=config, generation_config=None, _model_name_or_path=self.name))


def subclasses(cls):
    for one in cls.__subclasses__():
        yield one
        yield from subclasses(one)


# The checkpoint that a text names lies nowhere yet.
checkpoint_utils.file_exists = lambda path: True
AutoBridge.from_hf_pretrained = classmethod(lambda cls, name, **words: Described(name, **words))


def launch(text):
    """The recipe, its overrides and torchrun's world size."""
    found = [words for words in shell.commands(text) if SCRIPT in words]
    if len(found) != 1:
        raise ValueError(f"{len(found)} commands start {SCRIPT}, not 1")
    words = found[0]
    at = words.index(SCRIPT)
    sizes = dict(match.groups() for word in words[:at] if (match := re.match(r"--(nnodes|nproc-per-node)=(\d+)$", word)))
    if words[at + 1] != "--recipe":
        raise ValueError("no --recipe")
    return words[at + 2], words[at + 3:], int(sizes["nnodes"]) * int(sizes["nproc-per-node"])


def guarded(name, run):
    """What Megatron-Bridge raises, as an error that names the part."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return run(), []
    except (AssertionError, ValueError, TypeError, RuntimeError, AttributeError, KeyError, OverridesError) as error:
        return None, [f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:400]}"]


def stated(settings, config):
    """Values that were not taken over as they were stated, and values of another type than before."""
    for setting in settings:
        key, _, value = setting.lstrip("+").partition("=")
        node = config
        for part in key.split("."):
            node = node.get(part) if isinstance(node, dict) else getattr(node, part, None)
        wanted = OmegaConf.to_container(OmegaConf.from_dotlist([f"value={value}"]))["value"]
        if isinstance(node, megatron_core.Number):
            node = repr(node)
        if not (dataclasses.is_dataclass(node) or node == wanted or isinstance(node, tuple) and list(node) == wanted):
            yield f"{key}: {wanted!r} was stated, and {node!r} is there"


def synced(config, name):
    """What run_recipe.py sets after the overrides: `recipe_runner.py`, lines 350-458 at 51885cf, of its checkout alone."""
    dataset, model = config.dataset, config.model
    if "_pretrain_" not in name and model.context_parallel_size > 1:
        model.calculate_per_token_loss, config.ddp.average_in_collective = True, False
    if getattr(dataset, "enable_offline_packing", False):
        dataset.offline_packing_specs = dataset.offline_packing_specs or PackedSequenceSpecs()
        specs, tp, cp = dataset.offline_packing_specs, model.tensor_model_parallel_size, model.context_parallel_size
        specs.packed_sequence_size = dataset.seq_length
        specs.pad_seq_to_mult = math.lcm(specs.pad_seq_to_mult or 1, 2 * cp if cp > 1 else 1, cp * tp if model.sequence_parallel and tp > 1 else 1)
    model.seq_length = dataset.seq_length
    return config


def check(item):
    ASKED.clear()
    ASKED.update(item["facts"]["entry"])
    name, settings, world = launch(item["snippets"][0]["text"])
    name = item.get("recipe", name)
    settings = protocol.altered(settings, item)
    errors = protocol.twice(settings)
    os.environ["WORLD_SIZE"] = str(world)
    if not hasattr(recipes, name):
        return [*errors, f"Recipe '{name}' not found in megatron.bridge.recipes."]
    config, refused = guarded(name, getattr(recipes, name))
    if refused:
        return errors + refused
    keys = [setting.lstrip("+").partition("=")[0] for setting in settings]
    before = {key: kind_of(config, key) for key in keys}
    config, refused = guarded("overrides", lambda: synced(process_config_with_overrides(config, cli_overrides=settings), name))
    if refused:
        return errors + refused
    errors += stated(settings, config)
    errors += [f"{key}: {kind_of(config, key).__name__} where the recipe has {kind.__name__}" for key, kind in before.items() if not fits(kind_of(config, key), kind)]
    errors += guarded("validate", lambda: runtime_config_update(config))[1]
    return errors if errors else facts(config, item["facts"], world)


def kind_of(config, key):
    node = config
    for part in key.split("."):
        node = node.get(part) if isinstance(node, dict) else getattr(node, part, None)
    return type(node)


def fits(now, before):
    none = type(None)
    return now == before or none in (now, before) or (before, now) == (float, int) or dataclasses.is_dataclass(before) or {now, before} <= {list, tuple}


def facts(config, known, world):
    """What the run asserts: process groups and micro-batches; and whether the recipe is of the model that was asked for."""
    errors = []

    def require(holds, message):
        if not holds:
            errors.append(message)

    model, train = config.model, config.train
    pp, ranks = model.pipeline_model_parallel_size, config.data_parallel_size
    groups = (model.expert_tensor_parallel_size or model.tensor_model_parallel_size) * model.expert_model_parallel_size * pp
    require(world == known["gpus"], f"{world} processes for {known['gpus']} GPUs")
    require(world % groups == 0, f"world size {world} % (ETP * EP * PP = {groups}) != 0 [megatron/core/parallel_state.py]")
    step = train.micro_batch_size * ranks
    require(train.global_batch_size % step == 0, f"global batch size ({train.global_batch_size}) is not divisible by micro batch size times data parallel size ({step}) [megatron/core/num_microbatches_calculator.py]")
    passes = train.global_batch_size // step
    require(model.virtual_pipeline_model_parallel_size is None or passes % pp == 0, f"{passes} micro-batches % PP {pp} != 0 [megatron/core/pipeline_parallel/schedules.py]")
    chunks = pp * (model.virtual_pipeline_model_parallel_size or 1)
    own = model.num_layers_in_first_pipeline_stage or model.num_layers_in_last_pipeline_stage
    require(own or model.num_layers % chunks == 0, f"{model.num_layers} layers % {chunks} stages and chunks != 0 [megatron/core/transformer/transformer_block.py get_num_layers_to_build]")
    require(not model.tp_comm_overlap or model.sequence_parallel, "tensor-parallel overlap needs sequence parallelism [megatron/bridge/training/comm_overlap.py]")
    require(not config.ddp.overlap_param_gather or config.ddp.use_distributed_optimizer and config.ddp.overlap_grad_reduce, "overlap_param_gather needs the distributed optimizer and overlap_grad_reduce [megatron/core/distributed]")
    require(model.num_layers == known["layers"] and model.num_attention_heads == known["heads"], f"another model: {model.num_layers} layers, {model.num_attention_heads} heads")
    require((model.num_moe_experts or 0) == known["experts"], "another model's experts")
    require(config.peft is None or config.checkpoint.pretrained_checkpoint, "adapters of no model")
    return errors


if __name__ == "__main__":
    protocol.serve(check)
