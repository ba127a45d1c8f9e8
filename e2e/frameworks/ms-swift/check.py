"""Checks ms-swift's command with its own arguments; see README.md.

Its launcher's `get_torchrun_args` reads the variables of the command, HfArgumentParser builds `SftArguments`,
`PretrainArguments` or `RLHFArguments` from the words, and their `__post_init__` runs as on one of the GPUs: model type and
template by its own registers, packing, sequence parallelism, DeepSpeed's or FSDP's file, and the `TrainingArguments` or TRL
configuration that it makes of all. The real DeepSpeed reads what comes of its file. Stood in for: torch, peft and what
else computes; a download is a folder with the catalog's `config.json`. What only a trainer asserts is in rules.py.
"""

import contextlib
import io
import json
import os
import sys
import types
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", LOG_LEVEL="ERROR")
warnings.filterwarnings("ignore")

import configured  # noqa: E402
import hugging_face  # noqa: E402
import protocol  # noqa: E402
import rules  # noqa: E402
import shell  # noqa: E402
import stand_ins  # noqa: E402

# The folders here are named as packages are.
sys.path = [path for path in sys.path if os.path.abspath(path) not in (HERE, os.path.dirname(HERE))]
VERSIONS = {"peft": "0.19.1", "datasets": "4.8.4", "torch": "2.9.0", "deepspeed": "0.19.8", "liger_kernel": "0.7.0", "bitsandbytes": "0.49.0"}
stand_ins.install(packages="""torch peft datasets torchao deepspeed liger_kernel bitsandbytes modelscope urllib3 requests PIL pandas scipy einops
json_repair transformers_stream_generator fastapi uvicorn openai aiohttp charset_normalizer nltk rouge addict oss2 sentencepiece tiktoken attrdict
binpacking dacite simplejson zstandard jinja2 matplotlib pydantic importlib_metadata hf_xet pyarrow dill multiprocess xxhash shellingham typer click rich flash_attn""".split(), versions=VERSIONS)

import modelscope.hub.utils.utils  # noqa: E402
import torch  # noqa: E402

modelscope.hub.utils.utils.get_cache_dir = lambda *words: "/nonexistent"



class Dtype:
    """`torch.dtype`: transformers asks for instances of it."""


torch.dtype = Dtype
for name in ("float32", "float16", "bfloat16", "uint8"):
    setattr(torch, name, Dtype())

from swift.arguments import PretrainArguments, RLHFArguments, SftArguments  # noqa: E402
from swift.cli import main as launcher  # noqa: E402
from swift.model import model_meta  # noqa: E402
from swift.pipelines.base import SwiftPipeline  # noqa: E402
from swift.template import TEMPLATE_MAPPING  # noqa: E402
from transformers import training_args as trainer  # noqa: E402
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL  # noqa: E402
from transformers.training_args import ParallelMode, TrainingArguments  # noqa: E402
import swift.utils  # noqa: E402

PROGRAMS = {"sft": SftArguments, "pt": PretrainArguments, "rlhf": RLHFArguments}
MADE = ("NPROC_PER_NODE", "NNODES", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT", "CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
# Cards of a node where the command hides none.
NODE = 8
WORLD = {"size": 1, "cards": NODE}
CONFIG = "config.json"
# Names that the catalog has for a file's `model_type`, where the file has another.
KINDS = {"moonlight": "deepseek_v3"}


def prepare():
    """What asks for a GPU or a hub."""
    trainer.is_torch_bf16_gpu_available = lambda: True
    TrainingArguments._setup_devices = property(lambda self: "cuda:0")
    TrainingArguments.device = property(lambda self: "cuda:0")
    TrainingArguments.parallel_mode = property(lambda self: ParallelMode.DISTRIBUTED)
    TrainingArguments.world_size = property(lambda self: WORLD["size"])
    TrainingArguments.process_index = TrainingArguments.local_process_index = property(lambda self: 0)
    swift.utils.get_device_count = lambda: WORLD["cards"]
    model_meta.safe_snapshot_download = lambda name, **words: os.getcwd()


def config(entry):
    """The catalog's entry as the `config.json` of a download."""
    kind = KINDS.get(entry["model_type"], entry["model_type"])
    known = CAUSAL.get(kind)
    return {**{key: value for key, value in entry.items() if isinstance(value, (int, float, str))}, "model_type": kind, "torch_dtype": "bfloat16",
            "architectures": [known if isinstance(known, str) else "OfNoRegister"]}


@contextlib.contextmanager
def environment(given):
    before = dict(os.environ)
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def launched(text):
    """The words of `swift`, and the variables before it."""
    commands = [words for words in shell.commands(text) if words[0] == "swift"]
    if len(commands) != 1 or commands[0][1] not in PROGRAMS:
        raise ValueError("no program of ms-swift is started")
    line = next(line for line in text.splitlines() if line.endswith('"${args[@]}"'))
    given = dict(word.split("=", 1) for word in line.split(" swift ")[0].split())
    if unknown := set(given) - set(MADE):
        raise ValueError(f"{sorted(unknown)}: nothing reads them")
    return commands[0][1], commands[0][2:], {name: shell.ENVIRONMENT.get(value.strip('"$'), value) for name, value in given.items()}


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


def check(item):
    files = {snippet["file"]: snippet["text"] for snippet in item["snippets"]}
    program, words, given = launched(files["train.sh"])
    words, errors = shell.altered(words, item)
    given = {name: value for name, value in given.items() if name not in item.get("unset", [])}
    files |= {name: changed(files[name], item) for name in files if name.endswith(".json")}
    files[CONFIG] = json.dumps(config(item["facts"]["entry"]))
    with hugging_face.folder(files), environment(given):
        torchrun = launcher.get_torchrun_args() or []
        value = dict(zip(torchrun[::2], torchrun[1::2]))
        each, nodes = int(value.get("--nproc_per_node", 1)), int(value.get("--nnodes", 1))
        WORLD["size"] = each * nodes
        if WORLD["size"] != item["facts"]["gpus"]:
            errors.append(f"it starts {WORLD['size']} processes, not {item['facts']['gpus']}")
        if nodes > 1 and not (value.get("--master_addr") and value.get("--node_rank")):
            errors.append("the nodes do not find each other")
        seen = given.get("CUDA_VISIBLE_DEVICES", given.get("ASCEND_RT_VISIBLE_DEVICES"))
        WORLD["cards"] = len(seen.split(",")) if seen else NODE
        os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE=str(WORLD["size"]), LOCAL_WORLD_SIZE=str(each))
        pipeline = types.SimpleNamespace(args_class=PROGRAMS[program])
        args, refused = said(lambda: SwiftPipeline._parse_args(pipeline, words))
        errors += refused
        if args is None:
            return errors
        errors += rules.used(program, args, given, TEMPLATE_MAPPING, item["facts"], WORLD["size"])
        return errors + zero(args.training_args, item["facts"])


def changed(text, item):
    """A JSON file with the item's dotted changes."""
    content = json.loads(text)
    for path, value in item.get("set", {}).items():
        *parents, last = path.split(".")
        node = content
        for parent in parents:
            node = node.setdefault(parent, {})
        if not path.startswith("-"):
            node[last] = value
    return json.dumps(content)


def zero(training, facts):
    """DeepSpeed's file, as the Trainer fills it in and compares it, read by the real DeepSpeed."""
    if not training.deepspeed:
        return []
    made = training.hf_deepspeed_config
    model = types.SimpleNamespace(config=types.SimpleNamespace(hidden_size=facts["hidden"], get_text_config=lambda: None))
    training.get_warmup_steps = lambda steps: 0
    _, errors = said(lambda: made.trainer_config_finalize(training, model, 1000))
    return errors or [f"ds_config.json: {error}" for error in configured.refused(made.config, WORLD["size"])]


if __name__ == "__main__":
    prepare()
    protocol.serve(check)
