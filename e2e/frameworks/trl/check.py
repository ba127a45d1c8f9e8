"""Checks TRL's texts with Accelerate's launcher and TRL's own arguments; see README.md.

Accelerate parses its command line, reads accelerate_config.yaml, and sets the processes' environment, from which its
plugins are built. TRL's parser builds the dataclasses from the script's arguments. torch is an inert stand-in, and the
real DeepSpeed reads its configuration. What only a trainer asserts, with a model in hand, is in rules.py.
"""

import contextlib
import importlib.metadata
import io
import os
import sys
import tempfile
import types
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
os.environ.update(CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", ACCELERATE_LOG_LEVEL="ERROR")
warnings.filterwarnings("ignore")

import configured  # noqa: E402
import protocol  # noqa: E402
import rules  # noqa: E402
import shell  # noqa: E402
import stand_ins  # noqa: E402

# The folders here are named as packages are.
sys.path = [path for path in sys.path if os.path.abspath(path) not in (HERE, os.path.dirname(HERE))]
stand_ins.install(("deepspeed", "bitsandbytes", "vllm"))
# transformers and Accelerate look for DeepSpeed's metadata too.
metadata = importlib.metadata.metadata
importlib.metadata.metadata = lambda name: {"Name": name} if name == "deepspeed" else metadata(name)

import torch.distributed.fsdp  # noqa: E402
import yaml  # noqa: E402
from accelerate import DistributedType  # noqa: E402
from accelerate.commands import launch  # noqa: E402
from accelerate.parallelism_config import ParallelismConfig  # noqa: E402
from accelerate.utils import DeepSpeedPlugin, FullyShardedDataParallelPlugin  # noqa: E402
from accelerate.utils import launch as environments  # noqa: E402
from transformers import training_args  # noqa: E402
from trl import get_peft_config, get_quantization_config  # noqa: E402
from trl.scripts import distillation, dpo, grpo, kto, reward, rloo, sft, vllm_serve  # noqa: E402

SCRIPTS = {"trl.scripts.sft": sft, "trl.scripts.dpo": dpo, "trl.scripts.kto": kto, "trl.scripts.reward": reward, "trl.scripts.grpo": grpo, "trl.scripts.rloo": rloo, "trl.scripts.distillation": distillation}
# Where a key of a section becomes an option of the launcher (accelerate/commands/launch.py, _validate_launch_command).
SECTIONS = {"fsdp_config": "fsdp_", "deepspeed_config": "", "parallelism_config": ""}
WORLD = {"size": 1}


class Dtype:
    """`torch.dtype`: transformers asks for instances of it."""


def prepare():
    """What asks for a GPU, or for a free port of this machine."""
    torch.dtype = Dtype
    for name in ("float32", "float16", "bfloat16", "uint8"):
        setattr(torch, name, Dtype())
    offload = type("OffloadPolicy", (), {})
    torch.distributed.fsdp.OffloadPolicy = offload
    torch.distributed.fsdp.CPUOffloadPolicy = type("CPUOffloadPolicy", (offload,), {})
    training_args.is_torch_bf16_gpu_available = lambda: True
    training_args.TrainingArguments.world_size = property(lambda self: WORLD["size"])
    environments.is_port_in_use = lambda port: False
    launch.is_deepspeed_available = lambda: True


def said(run):
    """What `run` returns, and what it refuses in one line."""
    err = io.StringIO()
    try:
        with contextlib.redirect_stderr(err):
            return run(), []
    except SystemExit:
        return None, [shell.refusal(err.getvalue())]
    except Exception as error:
        return None, [f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"]


def configuration(text, item):
    """The YAML with the item's dotted changes."""
    config = yaml.safe_load(text)
    changes = {key: value for key, value in item.get("set", {}).items() if not key.startswith("-")}
    for path in [*changes, *(key for key in item.get("unset", []) if not key.startswith("-"))]:
        *parents, last = path.split(".")
        node = config
        for parent in parents:
            node = node.setdefault(parent, {})
        if path in changes:
            node[last] = changes[path]
        else:
            del node[last]
    return config


def ignored(config, parser):
    """Keys of a section that become no option of the launcher: it takes them and nothing reads them."""
    known = {action.dest for action in parser._actions}
    for section, prefix in SECTIONS.items():
        for key in config.get(section) or {}:
            if (key if key.startswith(prefix) else prefix + key) not in known:
                yield f"{section}.{key}: Accelerate never reads it"
    kind = {"FSDP": "fsdp_config", "DEEPSPEED": "deepspeed_config"}.get(config.get("distributed_type"))
    for section in ("fsdp_config", "deepspeed_config"):
        if section in config and section != kind:
            yield f"{section}: {config.get('distributed_type')} never reads it"


def alone(args):
    """The environment of the one process that Accelerate starts where nothing is distributed, whatever their number is said to be."""
    if int(args.num_processes) != 1:
        raise ValueError("Accelerate starts a single process")
    return environments.prepare_simple_launcher_cmd_env(args)[1]


def launched(words, config):
    """The environment that Accelerate's launcher gives the processes, and its arguments."""
    parser = launch.launch_command_parser()
    found = {}

    def started(prepare):
        def run(args):
            found["env"] = prepare(args)
            found["args"] = args
        return run

    launch.multi_gpu_launcher = started(environments.prepare_multi_gpu_env)
    launch.deepspeed_launcher = started(lambda args: environments.prepare_deepspeed_cmd_env(args)[1])
    launch.simple_launcher = started(alone)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(config, file)
        file.flush()
        words = [file.name if word == "accelerate_config.yaml" else word for word in words]
        _, errors = said(lambda: launch.launch_command(parser.parse_args(words)))
    return found, list(ignored(config, parser)) + errors


@contextlib.contextmanager
def environment(env):
    """The process's environment, for as long as its classes are built."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def plugins(env, args):
    """Accelerate's own classes, built from the environment."""
    found, errors = {}, []
    if env.get("ACCELERATE_USE_FSDP") == "true":
        found["fsdp"], refused = said(FullyShardedDataParallelPlugin)
        errors += refused
    if env.get("ACCELERATE_USE_DEEPSPEED") == "true":
        found["deepspeed"], refused = said(DeepSpeedPlugin)
        errors += refused
    if env.get("ACCELERATE_USE_PARALLELISM_CONFIG") == "true":
        found["parallel"], refused = said(ParallelismConfig)
        errors += refused
        if not refused:
            kind = DistributedType.FSDP if "fsdp" in found else DistributedType.DEEPSPEED
            accelerator = types.SimpleNamespace(
                multi_device=False, num_processes=int(args.num_processes), is_main_process=False,
                is_fsdp2=kind == DistributedType.FSDP, distributed_type=kind)
            errors += said(lambda: found["parallel"]._validate_accelerator(accelerator))[1]
    return found, errors


def zero(plugin, training, split):
    """The plugin's configuration as Accelerate fills it (accelerator.py, _prepare_deepspeed), read by the real DeepSpeed."""
    ranks = WORLD["size"] // split
    batch = training.per_device_train_batch_size * training.gradient_accumulation_steps * ranks
    config = {**plugin.deepspeed_config, "train_micro_batch_size_per_gpu": training.per_device_train_batch_size,
              "gradient_accumulation_steps": plugin.gradient_accumulation_steps, "train_batch_size": batch, "steps_per_print": 100}
    return configured.refused({key: value for key, value in config.items() if value != "auto"}, ranks)


def check(item):
    files = {snippet["file"]: snippet["text"] for snippet in item["snippets"]}
    commands = [words for words in shell.commands(files["train.sh"]) if words[:2] == ["accelerate", "launch"]]
    if len(commands) != 1:
        return [f"{len(commands)} commands start Accelerate, not 1"]
    words, errors = shell.altered(commands[0][2:], item)
    start = next((at for at, word in enumerate(words) if word in SCRIPTS), None)
    if start is None:
        return ["no script of TRL is started"]
    config = configuration(files["accelerate_config.yaml"], item)
    settings = words[start + 1:]
    found, refused = launched(words, config)
    errors += refused
    if "env" not in found:
        return errors
    WORLD["size"] = int(found["args"].num_processes)
    script = SCRIPTS[words[start]]
    with environment(found["env"]):
        made, refused = plugins(found["env"], found["args"])
        errors += refused
        parsed, refused = said(lambda: script.make_parser().parse_args_and_config(settings))
        errors += refused
        if parsed is not None and not errors:
            script_args, training, model, _ = parsed
            errors += said(lambda: (get_quantization_config(model), get_peft_config(model)))[1]
            if "deepspeed" in made:
                split = made["parallel"].non_data_parallel_size if "parallel" in made else 1
                errors += zero(made["deepspeed"], training, split)
            errors += rules.combined(words[start], script_args, training, model, made, found["args"], item["facts"])
    if "vllm_server.sh" in files and parsed is not None:
        errors += server(files["vllm_server.sh"], parsed[1], item["facts"])
    return errors


def server(text, training, facts):
    """The server's arguments by TRL's own parser, and that both texts mean the same server."""
    commands = [words for words in shell.commands(text) if words[:2] == ["trl", "vllm-serve"]]
    if len(commands) != 1:
        return [f"{len(commands)} commands start the server, not 1"]
    parsed, errors = said(lambda: vllm_serve.make_parser().parse_args_and_config(commands[0][2:]))
    return errors if errors else rules.served(parsed[0], training, facts)


if __name__ == "__main__":
    prepare()
    protocol.serve(check)
