"""What Unsloth's wheel says of itself, read without importing it, as that asks for a GPU: names, signatures, plain functions."""

import ast
import importlib.metadata
import inspect
import re

WHEEL = importlib.metadata.distribution("unsloth")


def module(path):
    return ast.parse(WHEEL.locate_file(f"unsloth/{path}").read_text())


LOADER, LLAMA = module("models/loader.py"), module("models/llama.py")


def function(tree, name, within=None):
    """A function of a module, or of a class of it."""
    body = tree.body if within is None else next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == within).body
    return next(node for node in body if isinstance(node, ast.FunctionDef) and node.name == name)


def signature(node):
    """Its parameters; beside those with a name, what it takes out of `**kwargs` by one."""
    plain = inspect.Parameter
    given = node.args
    defaults = [plain.empty] * (len(given.args) - len(given.defaults)) + given.defaults
    own = [plain(arg.arg, plain.POSITIONAL_OR_KEYWORD, default=default) for arg, default in zip(given.args, defaults)]
    names = {arg.arg for arg in (*given.args, *given.kwonlyargs)}
    asked = (re.findall(r"kwargs\.(?:get|pop)\(\s*['\"](\w+)['\"]", ast.unparse(node)))
    own += [plain(arg.arg, plain.KEYWORD_ONLY, default=default) for arg, default in zip(given.kwonlyargs, given.kw_defaults)]
    own += [plain(name, plain.KEYWORD_ONLY, default=None) for name in sorted(set(asked) - names)]
    return inspect.Signature(own)


def run(node, **names):
    """The function itself, with what it calls."""
    scope = dict(names)
    exec(compile(ast.Module([node], []), "unsloth", "exec"), scope)
    return scope[node.name]


def constant(tree, name):
    """What a module's own name stands for, where that is written out."""
    return next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name)


def written(tree, name):
    """The first text that a function of a module gives a name: code that it puts into the classes of TRL's which it makes."""
    named = (node.value for node in ast.walk(tree) if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name)
    return next(node.value for node in named if isinstance(node, ast.Constant) and node.value)


def taking(own, *names):
    """The same parameters, and `names` beside them: what a function hands on."""
    plain = inspect.Parameter
    return own.replace(parameters=[*own.parameters.values(), *(plain(name, plain.KEYWORD_ONLY, default=None) for name in names)])


# What the loader hands on to its engine alone (`models/llama.py:4279`).
ENGINE = constant(LOADER, "_VLLM_ENGINE_KWARGS")
# `FastLanguageModel.get_peft_model` hands all on (`models/loader.py:1205`).
SIGNATURES = {"from_pretrained": taking(signature(function(LOADER, "from_pretrained", "FastLanguageModel")), *ENGINE),
              "get_peft_model": signature(function(LLAMA, "get_peft_model", "FastLlamaModel"))}
EXPORTED = {alias.asname or alias.name for node in ast.walk(module("models/__init__.py")) if isinstance(node, ast.ImportFrom) for alias in node.names}
conflicting = run(function(LOADER, "_precision_flags_conflict"))
checkpointing = run(function(module("models/_utils.py"), "apply_unsloth_gradient_checkpointing"),
                    patch_unsloth_smart_gradient_checkpointing=lambda dtype: None, unpatch_unsloth_smart_gradient_checkpointing=lambda: None)
# What `GRPOConfig.__init__` runs before TRL's own (`models/rl.py:3547` and `3594`).
CHANGES = [compile(written(module("models/rl.py"), name), name, "exec") for name in ("check_dr_grpo", "check_num_generations")]
