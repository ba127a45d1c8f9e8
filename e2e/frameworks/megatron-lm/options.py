"""Writes options.json: the arguments of Megatron-LM's own parser, from a checkout of it.

    .tools/frameworks/megatron/bin/python e2e/frameworks/megatron-lm/options.py CHECKOUT COMMIT > options.json

Names, types, choices and defaults alone: what argparse needs to parse as `megatron/training/arguments.py` does. The wheel of
megatron-core does not ship that file. Its own dataclasses give many of the arguments; they run here and in the checker.
"""

import argparse
import enum
import json
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import megatron_core  # noqa: E402
import stand_ins  # noqa: E402


def plain(value):
    """A default as JSON: numbers' types and members of enumerations by their names."""
    if isinstance(value, megatron_core.Number):
        return str(value)
    if isinstance(value, enum.Enum):
        return value.name
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None


def described(action):
    """What argparse was told of one argument."""
    kinds = {argparse._StoreTrueAction: "on", argparse._StoreFalseAction: "off", argparse.BooleanOptionalAction: "either"}
    kind = kinds.get(type(action), "value")
    name = getattr(action.type, "__qualname__", None) or "str"
    out = {"names": action.option_strings, "dest": action.dest, "kind": kind}
    if kind == "value":
        if action.choices is not None:
            out["choices"] = [plain(choice) for choice in action.choices]
        # A choice of an enumeration is named; functions that read patterns keep their names.
        out["type"] = "enum" if "enum_type_handler" in name else name
        if action.nargs is not None:
            out["nargs"] = action.nargs
        out["default"] = plain(action.default)
        if action.required:
            out["required"] = True
    return out


def main(checkout, commit):
    megatron_core.install()
    import megatron  # a namespace: the wheel's core, the checkout's training

    megatron.__path__.append(os.path.join(checkout, "megatron"))
    # The package itself and its tools import the whole trainer; only its arguments are wanted.
    package, tools = types.ModuleType("megatron.training"), stand_ins.Module("megatron.training.utils")
    package.__path__ = [os.path.join(checkout, "megatron", "training")]
    sys.modules.update({"megatron.training": package, "megatron.training.utils": tools})
    parser = argparse.ArgumentParser(allow_abbrev=False)
    from megatron.training.arguments import add_megatron_arguments

    add_megatron_arguments(parser)
    options = [described(action) for action in parser._actions if action.option_strings and action.dest != "help"]
    lines = ",\n".join(json.dumps(one) for one in sorted(options, key=lambda one: one["names"]))
    print(f'{{"source": "https://github.com/NVIDIA/Megatron-LM/blob/{commit}/megatron/training/arguments.py", "options": [\n{lines}\n]}}')


if __name__ == "__main__":
    main(*sys.argv[1:])
