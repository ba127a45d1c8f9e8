"""Checks NeMo-RL's commands: OmegaConf and hydra as it applies overrides, Megatron-Bridge's and megatron-core's own code; see README.md.

The overrides go on the configuration that the command names (`options.json`), in struct mode, as `nemo_rl/utils/config.py` does it;
every value has to be of the type that the classes of `MasterConfig` state. `rules.py` restates what its programs and workers assert.
Where Megatron trains, its model's configuration is made and set as `nemo_rl/models/megatron/setup.py` does, and validated.
"""

import contextlib
import copy
import json
import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "megatron-bridge")]

import check as megatron_bridge  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402
import rules  # noqa: E402

from hydra._internal.config_loader_impl import ConfigLoaderImpl  # noqa: E402
from hydra.core.override_parser.overrides_parser import OverridesParser  # noqa: E402
from megatron.bridge.peft.lora import LoRA  # noqa: E402
from megatron.bridge.training import config as bridge  # noqa: E402
from megatron.bridge.training.tokenizers.config import TokenizerConfig  # noqa: E402
from megatron.core.transformer.enums import AttnBackend  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402

torch = megatron_bridge.torch
PARSER = OverridesParser.create()

with open(os.path.join(HERE, "options.json")) as file:
    KNOWN = json.load(file)
PLAIN = {"bool": bool, "str": str, "list": list, "dict": dict, "null": type(None)}
# nemo_rl/utils/config.py, register_omegaconf_resolvers.
for name, run in {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "max": max}.items():
    OmegaConf.register_new_resolver(name, run)


def launch(text):
    """The program, its overrides and what the shell is told."""
    found = [words for words in shell.commands(text) if words[0] == "uv"]
    if len(found) != 1 or found[0][1] != "run":
        raise ValueError(f"{len(found)} commands start NeMo-RL by uv run, not 1")
    words = found[0]
    program = re.fullmatch(r"examples/run_(\w+)\.py", words[2])
    if not program or program[1] not in KNOWN["programs"] or words[3] != "--config":
        raise ValueError(f"{words[2:5]} is no program with its configuration")
    if words[4] != f"examples/configs/{KNOWN['programs'][program[1]]['file']}.yaml":
        raise ValueError(f"{words[4]} is no configuration of {program[1]}")
    return program[1], words[5:]


def composed(program, settings):
    """The configuration as the program has it, and what hydra refuses."""
    config = OmegaConf.create(copy.deepcopy(KNOWN["programs"][program]["config"]))
    OmegaConf.set_struct(config, True)
    errors = []
    for word in settings:
        try:
            parsed = PARSER.parse_overrides([word])
            ConfigLoaderImpl._apply_overrides_to_config(parsed, config)
        except Exception as error:
            errors.append(f"{word}: {str(error).splitlines()[0]}")
    try:
        return OmegaConf.to_container(config, resolve=True), errors
    except Exception as error:
        return None, [*errors, str(error).splitlines()[0]]


def accepts(value, kinds):
    """Whether a value is of one of these types: `int`, or a literal behind an equals sign."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    for kind in kinds:
        if kind == "any" or kind.startswith("=") and json.loads(kind[1:]) == value and isinstance(value, (str, bool)):
            return True
        if kind == "int" and number and value == int(value) or kind == "float" and number:
            return True
        if kind in PLAIN and isinstance(value, PLAIN[kind]):
            return True
    return False


def typed(config, prefix=""):
    """Values of another type than `MasterConfig`'s classes state."""
    for key, value in config.items():
        path = prefix + key
        kinds = KNOWN["types"].get(path)
        if kinds and not accepts(value, kinds):
            yield f"{path}: {value!r} is none of {', '.join(kinds)}"
        if isinstance(value, dict):
            yield from typed(value, f"{path}.")


def provided(config):
    """The model as Megatron-Bridge describes it, with what `setup_model_config` sets."""
    own = config["policy"]["megatron_cfg"]
    model = megatron_bridge.Described(megatron_bridge.ASKED["hf_repo"]).to_megatron_provider(load_weights=False)
    same = ("tensor_model_parallel_size", "pipeline_model_parallel_size", "num_layers_in_first_pipeline_stage", "num_layers_in_last_pipeline_stage", "sequence_parallel",
            "context_parallel_size", "expert_tensor_parallel_size", "expert_model_parallel_size", "moe_router_dtype", "moe_router_load_balancing_type", "moe_router_bias_update_rate",
            "moe_enable_deepep", "moe_token_dispatcher_type", "moe_shared_expert_overlap", "moe_permute_fusion", "apply_rope_fusion", "bias_activation_fusion", "gradient_accumulation_fusion")
    for name in same:
        setattr(model, name, own[name])
    model.bf16, model.fp16, model.params_dtype, model.pipeline_dtype = True, False, torch.bfloat16, torch.bfloat16
    model.parallel_output, model.calculate_per_token_loss, model.perform_initialization = True, True, True
    if own["activation_checkpointing"]:
        model.recompute_granularity = own["recompute_granularity"]
        if own["recompute_granularity"] == "full":
            model.recompute_method, model.recompute_num_layers = "uniform", 1
        elif own["recompute_granularity"] != "selective":
            raise ValueError(f"Invalid recompute_granularity: {own['recompute_granularity']!r}.")
        elif own["recompute_modules"] is not None:
            model.recompute_modules = own["recompute_modules"]
    if own.get("attention_backend") is not None:
        model.attention_backend = AttnBackend[own["attention_backend"]]
    if own["fp8_cfg"]["enabled"]:
        model.fp8, model.fp8_recipe, model.fp8_param = (own["fp8_cfg"][name] for name in ("fp8", "fp8_recipe", "fp8_param"))
    return model


def container(config):
    """`_create_megatron_config`."""
    policy = config["policy"]
    own = policy["megatron_cfg"]
    ddp = own["distributed_data_parallel_config"]
    peft = None
    if own["peft"]["enabled"]:
        peft = LoRA(**{name: own["peft"][name] for name in ("target_modules", "exclude_modules", "dim", "alpha", "dropout", "dropout_position", "lora_A_init_method", "lora_B_init_method")})
    return bridge.ConfigContainer(
        model=provided(config),
        checkpoint=bridge.CheckpointConfig(save_interval=100, save="checkpoints", load="checkpoints", load_optim=True, pretrained_checkpoint="converted"),
        logger=bridge.LoggerConfig(logging_level=0),
        train=bridge.TrainingConfig(micro_batch_size=1, global_batch_size=policy["train_global_batch_size"], train_iters=1000),
        optimizer=bridge.OptimizerConfig(**{**own["optimizer"], "params_dtype": torch.float32, "overlap_param_gather": ddp["overlap_param_gather"]}),
        ddp=bridge.DistributedDataParallelConfig(
            check_for_nan_in_grad=True, grad_reduce_in_fp32=ddp["grad_reduce_in_fp32"], overlap_grad_reduce=ddp["overlap_grad_reduce"], overlap_param_gather=ddp["overlap_param_gather"],
            average_in_collective=False, use_distributed_optimizer=own["optimizer"]["use_distributed_optimizer"], data_parallel_sharding_strategy=ddp["data_parallel_sharding_strategy"]),
        scheduler=bridge.SchedulerConfig(**own["scheduler"]),
        dataset=types.SimpleNamespace(seq_length=policy["max_total_sequence_length"], sequence_length=policy["max_total_sequence_length"]),
        tokenizer=TokenizerConfig(tokenizer_type="HuggingFaceTokenizer", tokenizer_model=policy["model_name"]),
        peft=peft,
    )


def validated(config, world):
    """`ConfigContainer.validate` of megatron_policy_worker.py, and what it makes megatron-core assert."""
    os.environ["WORLD_SIZE"] = str(world)
    config, errors = megatron_bridge.guarded("setup", lambda: container(config))
    if errors:
        return errors
    return megatron_bridge.guarded("validate", config.validate)[1]


def check(item):
    megatron_bridge.ASKED.clear()
    megatron_bridge.ASKED.update(item["facts"]["entry"])
    program, words = launch(item["snippets"][0]["text"])
    settings = protocol.altered(words, item)
    errors = protocol.twice(settings)
    config, refused = composed(program, settings)
    errors += refused
    if config is not None:
        errors += typed(config)
    if errors:
        return errors
    with contextlib.redirect_stdout(sys.stderr):
        errors = rules.of(program, config, item["facts"])
        if config["policy"]["megatron_cfg"]["enabled"] is True and not errors:
            errors += validated(config, rules.trained(program, config))
    return errors


if __name__ == "__main__":
    protocol.serve(check)
