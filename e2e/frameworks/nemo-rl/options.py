"""Writes options.json: NeMo-RL's example configurations, and the types of their keys, from a checkout of it.

    .tools/frameworks/megatron/bin/python e2e/frameworks/nemo-rl/options.py CHECKOUT COMMIT > e2e/frameworks/nemo-rl/options.json

The configurations are as OmegaConf loads them, their references unresolved. Types are what the classes state of which pydantic makes the
programs' `MasterConfig`, read from their sources: importing them would take torch, Ray and vLLM.
"""

import ast
import json
import pathlib
import sys

from omegaconf import OmegaConf

# Of each program its configuration.
PROGRAMS = {"grpo": "grpo_math_1B", "sft": "sft", "dpo": "dpo"}
# The texts generate with vLLM, whose configuration is wider.
WIDER = {"GenerationConfig": "VllmConfig"}
PLAIN = {"int": "int", "float": "float", "bool": "bool", "str": "str", "None": "null", "PositiveInt": "int", "NonNegativeInt": "int", "PositiveFloat": "float"}


def classes(checkout):
    """Every class with annotated fields by its name; those called MasterConfig by their module's too."""
    found = {}
    for path in sorted(pathlib.Path(checkout, "nemo_rl").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                name = f"{path.stem}.{node.name}" if node.name == "MasterConfig" else node.name
                found.setdefault(name, node)
    return found


def fields(known, name):
    """A class's fields with their annotations, those of its bases first."""
    out = {}
    for base in known[name].bases:
        if isinstance(base, ast.Name) and base.id in known:
            out |= fields(known, base.id)
    for node in known[name].body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            out[node.target.id] = node.annotation
    return out


def options(known, hint):
    """The types of an annotation: plain words, literals behind an equals sign, and names of classes."""
    if isinstance(hint, ast.BinOp):
        return options(known, hint.left) + options(known, hint.right)
    if isinstance(hint, ast.Constant):
        return ["null"] if hint.value is None else options(known, ast.parse(hint.value, mode="eval").body)
    if isinstance(hint, ast.Subscript):
        outer = hint.value.id
        inner = hint.slice.elts if isinstance(hint.slice, ast.Tuple) else [hint.slice]
        if outer in ("NotRequired", "Required"):
            return options(known, inner[0])
        if outer == "Annotated":
            return options(known, inner[0])
        if outer in ("Union", "Optional"):
            return [one for part in inner for one in options(known, part)] + (["null"] if outer == "Optional" else [])
        if outer == "Literal":
            return [f"={json.dumps(part.value)}" for part in inner]
        return {"list": ["list"], "dict": ["dict"]}.get(outer.lower(), ["any"])
    name = hint.id if isinstance(hint, ast.Name) else hint.attr
    if name in PLAIN:
        return [PLAIN[name]]
    name = WIDER.get(name, name)
    return [f"class {name}"] if name in known else ["any"]


def types(known, name, prefix=""):
    """Paths below a class, each with what it may be; a key of several classes may be what any of them says."""
    out = {}
    for field, hint in fields(known, name).items():
        path = prefix + field
        for one in options(known, hint):
            if one.startswith("class "):
                out.setdefault(path, []).append("dict")
                for below, kinds in types(known, one.removeprefix("class "), f"{path}.").items():
                    out[below] = sorted({*out.get(below, []), *kinds})
            else:
                out.setdefault(path, []).append(one)
    return {path: sorted(set(kinds)) for path, kinds in out.items()}


def main(checkout, commit):
    known = classes(checkout)
    programs, merged = [], {}
    for program, name in PROGRAMS.items():
        config = OmegaConf.to_container(OmegaConf.load(pathlib.Path(checkout, "examples", "configs", f"{name}.yaml")), resolve=False)
        for path, kinds in types(known, f"{program}.MasterConfig").items():
            merged[path] = sorted({*merged.get(path, []), *kinds})
        sections = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in config.items())
        programs.append(f'"{program}": {{"file": "{name}", "config": {{\n{sections}\n}}}}')
    lines = ",\n".join(f"{json.dumps(path)}: {json.dumps(kinds)}" for path, kinds in sorted(merged.items()) if kinds != ["any"])
    print(f'{{"source": "https://github.com/NVIDIA-NeMo/RL/tree/{commit}", "programs": {{\n' + ",\n".join(programs) + f'\n}}, "types": {{\n{lines}\n}}}}')


if __name__ == "__main__":
    main(*sys.argv[1:])
