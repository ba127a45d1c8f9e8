"""Checks Megatron-LM commands: its own arguments (options.json), its dataclasses for real; see README.md.

argparse parses the text as `megatron/training/arguments.py` does, rules.py restates `validate_args`, and then megatron-core's
`TransformerConfig`, `OptimizerConfig` and `DistributedDataParallelConfig` are built from the arguments as Megatron-LM builds them.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import megatron_core  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402

torch = megatron_core.install()

import torch.nn.functional as F  # noqa: E402
from megatron.core.distributed import DistributedDataParallelConfig  # noqa: E402
from megatron.core.optimizer import OptimizerConfig  # noqa: E402
from megatron.core.transformer import MLATransformerConfig, TransformerConfig  # noqa: E402
from megatron.core.transformer.enums import AttnBackend  # noqa: E402

import rules  # noqa: E402

with open(os.path.join(HERE, "options.json")) as file:
    OPTIONS = json.load(file)["options"]
NUMBERS = {"int": int, "float": float, "str": str, "bool": bool}


class Refused(Exception):
    """What argparse says before it would exit."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(message)


def pattern(text):
    """`moe_freq_type` and its kin: a number, or an expression of Python that gives a list of 0 and 1."""
    if "[" not in text:
        return int(text)
    if not re.fullmatch(r"[\[\]()*+,\d ]+", text):
        raise ValueError(f"{text}: not allowed in a pattern")
    return eval(text)  # noqa: S307


def kind(option):
    if option["type"] == "enum":
        return lambda word: AttnBackend[word] if word in AttnBackend.__members__ else word
    if option["type"].endswith("freq_type"):
        return pattern
    return NUMBERS.get(option["type"], str)


def parser(options):
    made = Parser(allow_abbrev=False, add_help=False)
    for option in options:
        action = {"on": "store_true", "off": "store_false", "either": argparse.BooleanOptionalAction}.get(option["kind"])
        if action:
            made.add_argument(*[name for name in option["names"] if option["kind"] != "either" or not name.startswith("--no-")], dest=option["dest"], action=action)
            continue
        choices = option.get("choices")
        if option["type"] == "enum":
            choices = list(AttnBackend) if option["dest"] == "attention_backend" else None
        default = AttnBackend[option["default"]] if option["dest"] == "attention_backend" else option["default"]
        made.add_argument(*option["names"], dest=option["dest"], type=kind(option), choices=choices, nargs=option.get("nargs"),
                          default=default, required=option.get("required", False))
    return made


PARSER = parser(OPTIONS)


def launch(text):
    """The arguments of pretrain_gpt.py, and torchrun's world size."""
    found = [words for words in shell.commands(text) if any(word.endswith("pretrain_gpt.py") for word in words)]
    if len(found) != 1:
        raise ValueError(f"{len(found)} commands start Megatron-LM, not 1")
    words = found[0]
    at = next(i for i, word in enumerate(words) if word.endswith("pretrain_gpt.py"))
    sizes = dict(match.groups() for word in words[:at] if (match := re.match(r"--(nnodes|nproc-per-node)=(\d+)$", word)))
    return words[at + 1:], int(sizes["nnodes"]) * int(sizes["nproc-per-node"])


def grouped(words):
    """`--name value …` as one word per argument, `--name=value …`, so that cases alter it by name."""
    out = []
    for word in words:
        if word.startswith("--"):
            out.append(word)
        elif not out:
            raise ValueError(f"{word} stands before any argument")
        else:
            out[-1] += ("\0" if "=" in out[-1] else "=") + word
    return out


def split(settings):
    """The words of the command line again."""
    for setting in settings:
        name, _, value = setting.partition("=")
        yield name
        if value:
            yield from value.split("\0")


def built(args):
    """megatron-core's objects, as core_transformer_config_from_args, get_megatron_optimizer_config and training.py make them."""
    cls = MLATransformerConfig if args.multi_latent_attention else TransformerConfig
    words = {field.name: getattr(args, field.name) for field in dataclasses.fields(cls) if hasattr(args, field.name)}
    words.update(persist_layer_norm=not args.no_persist_layer_norm, deallocate_pipeline_outputs=True, pipeline_dtype=args.params_dtype, params_dtype=args.params_dtype,
                 batch_p2p_comm=not args.overlap_p2p_comm, num_moe_experts=args.num_experts, num_layers_in_first_pipeline_stage=args.decoder_first_pipeline_num_layers,
                 num_layers_in_last_pipeline_stage=args.decoder_last_pipeline_num_layers, fp8_param=args.fp8_param_gather,
                 virtual_pipeline_model_parallel_size=args.virtual_pipeline_model_parallel_size, num_query_groups=args.num_query_groups if args.group_query_attention else None,
                 bias_activation_fusion=args.bias_swiglu_fusion if args.swiglu else args.bias_gelu_fusion, cp_comm_type=args.cp_comm_type[0])
    if args.swiglu:
        words.update(activation_func=F.silu, gated_linear_unit=True)
    if words.get("rope_type") is None:
        words.pop("rope_type", None)
    yield "TransformerConfig", lambda: cls(**words)
    words = {field.name: getattr(args, field.name) for field in dataclasses.fields(OptimizerConfig) if hasattr(args, field.name)}
    yield "OptimizerConfig", lambda: OptimizerConfig(**words)
    words = {field.name: getattr(args, field.name) for field in dataclasses.fields(DistributedDataParallelConfig) if hasattr(args, field.name)}
    words.update(grad_reduce_in_fp32=args.accumulate_allreduce_grads_in_fp32, check_for_nan_in_grad=args.check_for_nan_in_loss_and_grad)
    yield "DistributedDataParallelConfig", lambda: DistributedDataParallelConfig(**words)


def check(item):
    words, world = launch(item["snippets"][0]["text"])
    settings = protocol.altered(grouped(words), item)
    errors = protocol.twice(settings)
    try:
        args = PARSER.parse_args(list(split(settings)))
    except Refused as error:
        return [*errors, f"argparse: {error}"]
    args.world_size = world
    with contextlib.redirect_stdout(sys.stderr):
        try:
            rules.validate(args)
        except AssertionError as error:
            return [*errors, f"validate_args: {error}"]
        for name, build in built(args):
            try:
                build()
            except (AssertionError, ValueError, RuntimeError, TypeError) as error:
                errors.append(f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:400]}")
    return errors + rules.facts(args, item["facts"])


if __name__ == "__main__":
    protocol.serve(check)
