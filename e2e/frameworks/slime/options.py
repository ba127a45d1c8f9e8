"""Writes options.json: slime's own arguments beside Megatron-LM's, and the files of scripts/models as words, from a checkout of it.

    .tools/frameworks/megatron/bin/python e2e/frameworks/slime/options.py CHECKOUT COMMIT > e2e/frameworks/slime/options.json

Names, types, choices and defaults alone, as `slime/utils/arguments.py` gives them to the parser that Megatron-LM made. SGLang's, which it
takes over under a prefix, are those that a text here may have.
"""

import argparse
import enum
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "megatron-lm")]

import check as megatron_lm  # noqa: E402
import megatron_core  # noqa: E402
import stand_ins  # noqa: E402

# SGLang 0.5.6, python/sglang/srt/server_args.py, add_cli_args.
SGLANG = {"mem-fraction-static": "float", "max-running-requests": "int", "dp-size": "int", "ep-size": "int", "enable-dp-attention": None,
          "disable-cuda-graph": None, "kv-cache-dtype": "str"}
KV = ["auto", "fp8_e5m2", "fp8_e4m3", "bf16", "bfloat16", "fp4_e2m1"]


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


def engines():
    """`sglang_utils/arguments.py` puts its prefix before each."""
    for name, kind in SGLANG.items():
        own = {"names": [f"--sglang-{name}"], "dest": f"sglang_{name.replace('-', '_')}", "kind": "value" if kind else "on"}
        if kind:
            own.update(type=kind, default=None)
        if name == "kv-cache-dtype":
            own.update(choices=KV, default="auto")
        yield own


def main(checkout, commit):
    for name in ("slime.backends.sglang_utils.arguments", "slime.backends.sglang_utils.external", "slime.observability.logging_utils",
                 "slime.utils.eval_config"):
        sys.modules[name] = stand_ins.Module(name)
    sys.path.insert(0, checkout)
    from slime.utils.arguments import get_slime_extra_args_provider

    parser = argparse.ArgumentParser(allow_abbrev=False, conflict_handler="resolve")
    for action in megatron_lm.PARSER._actions:
        parser._add_action(action)
    known, before = {id(action) for action in parser._actions}, {action.dest: action.default for action in parser._actions}
    get_slime_extra_args_provider()(parser)
    own = [described(action) for action in parser._actions if id(action) not in known]
    own += [{"dest": action.dest, "default": plain(action.default)} for action in parser._actions
            if id(action) in known and action.default != before[action.dest]]
    files = {}
    for path in sorted(glob.glob(os.path.join(checkout, "scripts", "models", "*.sh"))):
        words = subprocess.run(["bash", "-c", f'source {path} && printf "%s\\n" "${{MODEL_ARGS[@]}}"'], capture_output=True, text=True, check=True)
        files[os.path.basename(path)[:-3]] = words.stdout.splitlines()
    lines = ",\n".join(json.dumps(one) for one in sorted([*own, *engines()], key=lambda one: one.get("names", [one["dest"]])))
    models = ",\n".join(f"{json.dumps(name)}: {json.dumps(words)}" for name, words in files.items() if "--spec" not in words)
    print(f'{{"source": "https://github.com/THUDM/slime/blob/{commit}/slime/utils/arguments.py", "options": [\n{lines}\n], "models": {{\n{models}\n}}}}')


if __name__ == "__main__":
    main(*sys.argv[1:])
