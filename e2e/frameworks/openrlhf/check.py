"""Checks OpenRLHF's commands with its own programs; see README.md.

The whole `__main__` of a program runs: its parser, its asserts, and `train`, in which the groups of Ray actors and the
engines are recorded rather than started. The configuration that its strategy makes is read by the real DeepSpeed.
torch, ray, vllm and transformers are inert stand-ins; what is asserted beyond is in rules.py.
"""

import contextlib
import io
import os
import re
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
warnings.filterwarnings("ignore")

import importlib.util  # noqa: E402

import configured  # noqa: E402
import protocol  # noqa: E402
import rules  # noqa: E402
import shell  # noqa: E402
import stand_ins  # noqa: E402

# The folders here are named as packages are.
sys.path = [path for path in sys.path if os.path.abspath(path) not in (HERE, os.path.dirname(HERE))]
stand_ins.install(("deepspeed", "vllm", "flash_attn", "ring_flash_attn", "optree", "jsonlines", "torchmetrics", "bitsandbytes",
                   "loralib", "einops", "isort", "optimum", "pynvml", "numpy"))

import deepspeed  # noqa: E402
import openrlhf.trainer.ray as trainer_ray  # noqa: E402
from openrlhf.trainer import ppo_trainer, ppo_trainer_async  # noqa: E402
from openrlhf.trainer.ray import launcher  # noqa: E402
from openrlhf.utils.deepspeed import DeepspeedStrategy  # noqa: E402

deepspeed.version = deepspeed.__version__ = "0.19.6"  # the release that OpenRLHF pins
PROGRAMS = {"openrlhf.cli.train_ppo_ray": "ray", "openrlhf.cli.train_sft": "deepspeed", "openrlhf.cli.train_dpo": "deepspeed",
            "openrlhf.cli.train_rm": "deepspeed"}


class Reached(Exception):
    """Training would begin."""


def program(name, words):
    """What a program had made when training would begin, and what it refused."""
    spec = importlib.util.find_spec(name)
    with open(spec.origin) as file:
        source = compile(file.read(), spec.origin, "exec")
    made = {"groups": [], "engines": []}

    class Group:
        """`RayActorGroup`, as far as its size."""

        def __init__(self, nodes, gpus, kind, pg=None, num_gpus_per_actor=1, duplicate_actors=1, **_):
            made["groups"].append((kind.__name__, nodes * gpus, pg is not None, nodes, gpus))

    class Trainer:
        """The controller of the groups and engines, the first thing that would work with them."""

        @staticmethod
        def remote(*_, **__):
            raise Reached

    def engines(count, tensor_parallel, *arguments, **named):
        made["engines"].append((count, tensor_parallel, arguments, named))
        return list(range(count))

    def strategy(args):
        made["args"] = args
        # As openrlhf/utils/utils.py, get_strategy; the distributed parts need GPUs.
        found = DeepspeedStrategy(
            seed=args.train.seed, full_determinism=args.train.full_determinism_enable, max_norm=getattr(args, "max_norm", 1.0),
            micro_train_batch_size=args.train.micro_batch_size, train_batch_size=args.train.batch_size,
            zero_stage=args.ds.zero_stage, args=args)
        made["strategy"] = found
        found.print = lambda *_: None
        found.setup_distributed = lambda *_: (_ for _ in ()).throw(Reached)
        return found

    trainer_ray.create_vllm_engines, launcher.RayActorGroup = engines, Group
    ppo_trainer.PPOTrainer = ppo_trainer_async.PPOTrainerAsync = Trainer
    sys.modules["openrlhf.utils"].get_strategy = strategy
    before, sys.argv = sys.argv, [spec.origin, *words]
    err = io.StringIO()
    try:
        with contextlib.redirect_stdout(err), contextlib.redirect_stderr(err):
            exec(source, {"__name__": "__main__", "__file__": spec.origin})
    except Reached:
        # A warning says that a value is changed or ignored.
        said = [line for line in err.getvalue().splitlines() if re.match(r"\[Warning\]|Set args|Recommend", line)]
        return made, [line for line in said if "Using --colocate_all_models in async" not in line]
    except SystemExit:
        return made, [shell.refusal(err.getvalue())]
    except AssertionError as error:
        return made, [f"AssertionError: {' '.join(str(error).split())[:400]}"]
    except (ValueError, NotImplementedError, AttributeError, TypeError) as error:
        return made, [f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"]
    finally:
        sys.argv = before
    return made, ["the program ends before it trains"]


def check(item):
    text = item["snippets"][0]["text"]
    commands = [words for words in shell.commands(text) if any(word in PROGRAMS for word in words)]
    if len(commands) != 1:
        return [f"{len(commands)} commands start OpenRLHF, not 1"]
    words = commands[0]
    start = next(at for at, word in enumerate(words) if word in PROGRAMS)
    name = words[start]
    if words[0] != PROGRAMS[name]:
        return [f"{name} is started by {words[0]}, not {PROGRAMS[name]}"]
    settings, errors = shell.altered(words[start + 1:], item)
    world = None
    if words[0] == "deepspeed":
        options = dict(zip(words[1:start], words[2:start]))
        world = int(options["--num_nodes"]) * int(options["--num_gpus"])
        if "--module" not in words[1:start]:
            errors.append("--module: DeepSpeed would look for a file")
    elif words[1:3] != ["job", "submit"] or words[start - 3:start] != ["--", "python3", "-m"]:
        errors.append("no job is submitted to Ray")
    made, refused = program(name, settings)
    errors += refused
    if not errors:
        args = made["args"]
        config = made["strategy"].get_ds_train_config()
        errors += configured.refused(config, world or item["facts"]["train_gpus"])
        errors += rules.shared(args, config, facts=item["facts"])
        if world is None:
            errors += rules.reinforcement(args, made, item["facts"])
        else:
            errors += rules.fine_tuning(args, world, item["facts"])
    return errors


if __name__ == "__main__":
    protocol.serve(check)
