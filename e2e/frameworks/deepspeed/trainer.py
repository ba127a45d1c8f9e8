"""Hugging Face's Trainer as far as it touches a DeepSpeed configuration: transformers' and accelerate's own code for it.

Both packages want a newer torch than Debian's when imported as a whole. The two files that fill in `auto` and compare
the rest with the arguments need none of that: they are loaded by themselves, from the environment beside this one.
"""

import functools
import glob
import importlib.machinery
import importlib.util
import os
import sys
import types

SITE = glob.glob(os.path.join(os.path.dirname(sys.prefix), "transformers", "lib", "python3*", "site-packages"))


def package(name, **content):
    made = types.ModuleType(name)
    made.__path__ = []
    made.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    vars(made).update(content)
    sys.modules[name] = made


def load(name):
    path = os.path.join(SITE[0], *name.split(".")) + ".py"
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def code():
    """`HfTrainerDeepSpeedConfig` of transformers 5.23.0 over accelerate 1.15.0."""
    if not SITE:
        raise RuntimeError("transformers is missing: run e2e/frameworks/setup")
    nothing = type("Nothing", (), {})
    package("accelerate")
    package("accelerate.utils")
    package("accelerate.optimizer", AcceleratedOptimizer=nothing)
    package("accelerate.scheduler", AcceleratedScheduler=nothing)
    package("accelerate.utils.dataclasses", DistributedType=nothing)
    package("accelerate.utils.imports", is_bnb_available=lambda: False)
    package("accelerate.utils.versions", compare_versions=lambda *words: True)
    load("accelerate.utils.deepspeed")
    package("transformers")
    package("transformers.integrations")
    package("transformers.dependency_versions_check", dep_version_check=lambda name: None)
    package("transformers.utils", is_accelerate_available=lambda: True, is_torch_available=lambda: True,
            logging=types.SimpleNamespace(get_logger=lambda name: None))
    return load("transformers.integrations.deepspeed").HfTrainerDeepSpeedConfig


def argument(words, name, default):
    """The value of an option in a command's words, of the default's type."""
    if f"--{name}" not in words:
        return default
    value = words[words.index(f"--{name}") + 1]
    return value == "True" if isinstance(default, bool) else type(default)(value)


def filled(config, words, facts):
    """The configuration that reaches DeepSpeed. Raises ValueError where the Trainer refuses it.

    Defaults are those of `TrainingArguments` (transformers 5.23.0, training_args.py).
    """
    defaults = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1, "max_grad_norm": 1.0, "learning_rate": 5e-5,
                "adam_beta1": 0.9, "adam_beta2": 0.999, "adam_epsilon": 1e-8, "weight_decay": 0.0, "fp16": False, "bf16": False}
    arguments = types.SimpleNamespace(**{name: argument(words, name, default) for name, default in defaults.items()}, world_size=facts["gpus"],
                                      save_on_each_node=False, fp16_full_eval=False, bf16_full_eval=False, get_warmup_steps=lambda steps: 0)
    made = code()(config)
    made.trainer_config_process(arguments)
    model = types.SimpleNamespace(config=types.SimpleNamespace(hidden_size=facts["hidden"]))
    made.trainer_config_finalize(arguments, model, 1000)
    return made.config
