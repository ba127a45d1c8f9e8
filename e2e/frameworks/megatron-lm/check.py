"""Checks Megatron-LM commands with its own parser, `validate_args` and megatron-core's dataclasses; see README.md.

megatron-core's wheel ships `megatron/training`: its argparse reads the text, `validate_args` settles it, and then `TransformerConfig`,
`GPTModelConfig` and `PretrainConfigContainer`, with all that it holds, are made as pretrain_gpt.py makes them.
"""

import argparse
import contextlib
import os
import re
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import megatron_core  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402

torch = megatron_core.install()

from megatron.training.argument_utils import core_transformer_config_from_args, gpt_config_from_args, pretrain_cfg_container_from_args  # noqa: E402
from megatron.training.arguments import add_megatron_arguments, validate_args  # noqa: E402

import rules  # noqa: E402

ORDER = "CUDA_DEVICE_MAX_CONNECTIONS"
REFUSALS = (AssertionError, ValueError, RuntimeError, TypeError)


class Refused(Exception):
    """What argparse says before it would exit."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(message)


def parser():
    """The one of `parse_args`."""
    made = Parser(allow_abbrev=False, add_help=False)
    add_megatron_arguments(made)
    return made


PARSER = parser()


def launch(text):
    """The arguments of pretrain_gpt.py, and torchrun's world size; `validate_args` asks for the text's own environment."""
    os.environ.pop(ORDER, None)
    os.environ.update(re.findall(rf"^export ({ORDER})=(\d+)", text, re.MULTILINE))
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


def reason(error):
    """What an error says; of an assertion without words, the line that asserts it."""
    return " ".join(str(error).split())[:400] or traceback.extract_tb(error.__traceback__)[-1].line


def settled(args, world):
    """`validate_args` on what `parse_args` would give it, on the processes of the text; what it refuses."""
    args.rank, args.world_size = 0, world
    args._is_global_batch_size_explicitly_specified = args.global_batch_size is not None
    try:
        rules.unsaid(args)
        # pretrain_gpt.py's own default.
        validate_args(args, {"tokenizer_type": "GPT2BPETokenizer"})
    except REFUSALS as error:
        return [f"validate_args: {reason(error)}"]
    except SystemExit:
        return ["validate_args: it prints what is no longer valid, and exits"]
    return []


def built(args):
    """What megatron-core refuses of the objects that pretrain_gpt.py and training.py make."""
    errors = []

    def build(name, make):
        try:
            return make()
        except REFUSALS as error:
            errors.append(f"{name}: {type(error).__name__}: {reason(error)}")

    transformer = build("TransformerConfig", lambda: core_transformer_config_from_args(args))
    model = transformer and build("GPTModelConfig", lambda: gpt_config_from_args(args, transformer))
    if model:
        build("GPTModelConfig", model.finalize)
    # Of the optimizer, data parallelism, checkpoints and the run.
    build("PretrainConfigContainer", lambda: pretrain_cfg_container_from_args(args, model))
    return errors


def check(item):
    words, world = launch(item["snippets"][0]["text"])
    settings = protocol.altered(grouped(words), item)
    errors = protocol.twice(settings)
    try:
        args = PARSER.parse_args(list(split(settings)))
    except (Refused, KeyError) as error:  # a word that no member of an enumeration has
        return [*errors, f"argparse: {error}"]
    with contextlib.redirect_stdout(sys.stderr):
        refused = settled(args, world) or built(args)
    return errors + (refused or rules.facts(args, item["facts"]))


if __name__ == "__main__":
    protocol.serve(check)
