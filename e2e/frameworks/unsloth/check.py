"""Checks Unsloth's programs: they run, with its loader's parameters as its source has them and TRL's own configurations; see README.md.

Nothing is loaded or trained: torch is a stand-in, and what Unsloth's classes would give is what they were called with. What they and the
trainers assert with a model in hand is in `refused`, with the lines of unsloth 2026.10.9 and trl 1.15.0.
"""

import ast
import inspect
import os
import re
import sys
import types
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
os.environ.update(CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", ACCELERATE_LOG_LEVEL="ERROR")
warnings.filterwarnings("ignore")

import hugging_face  # noqa: E402
import programs  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402
import source  # noqa: E402
import stand_ins  # noqa: E402

# The folders here are named as packages are.
sys.path = [path for path in sys.path if os.path.abspath(path) != os.path.dirname(HERE)]
stand_ins.install(("deepspeed", "bitsandbytes", "vllm", "urllib3", "latex2sympy2_extended"))

import torch  # noqa: E402
import transformers.training_args  # noqa: E402
import trl  # noqa: E402
import trl.rewards  # noqa: E402

import reinforcement  # noqa: E402


class Dtype:
    """`torch.dtype`: transformers asks for instances of it."""


torch.dtype = Dtype
DTYPES = {name: Dtype() for name in ("float16", "bfloat16", "float32")}
for NAME, OWN in (*DTYPES.items(), ("float64", Dtype()), ("uint8", Dtype())):
    setattr(torch, NAME, OWN)
transformers.training_args.is_torch_bf16_gpu_available = lambda: True
RANKS = [1]
transformers.training_args.TrainingArguments.world_size = property(lambda self: RANKS[0])
TRAINERS = {name: inspect.signature(getattr(trl, name)) for name in ("SFTTrainer", "DPOTrainer", "KTOTrainer", "GRPOTrainer")}
LOSSES = set(re.findall(r'\bloss_type == "(\w+)"', inspect.getsource(sys.modules[trl.DPOTrainer.__module__])))


def bound(name, signature, args, kwargs):
    """What a call is given, defaults and all. A keyword that none of the parameters takes, Unsloth hands on and nothing of its own reads."""
    if unread := [key for key in kwargs if key not in signature.parameters]:
        raise TypeError(f"{name}: {unread[0]}: Unsloth never reads it")
    given = signature.bind(*args, **kwargs).arguments
    plain = {key: ast.literal_eval(own.default) for key, own in signature.parameters.items() if isinstance(own.default, ast.Constant)}
    return {**plain, **given}


def modules(made):
    """Unsloth and TRL as the program imports them, which note what they are called with."""
    class FastLanguageModel:
        @staticmethod
        def from_pretrained(*args, **kwargs):
            made["loaded"] = bound("from_pretrained", source.SIGNATURES["from_pretrained"], args, kwargs)
            made["named"] = "model_name" in kwargs or bool(args)
            return "a model", "a tokenizer"

        @staticmethod
        def get_peft_model(*args, **kwargs):
            made["adapters"] = bound("get_peft_model", source.SIGNATURES["get_peft_model"], args, kwargs)
            return "a model with adapters"

    def trainer(name):
        class Trainer:
            def __init__(self, *args, **kwargs):
                made["trainer"], made["given"] = name, TRAINERS[name].bind(*args, **kwargs).arguments

            def train(self):
                made["trains"] = True
        return Trainer

    def config(own):
        def make(*args, **kwargs):
            made["said"] = kwargs
            return own(*args, **kwargs)
        return make

    unsloth, own = types.ModuleType("unsloth"), types.ModuleType("trl")
    if "FastLanguageModel" in source.EXPORTED:
        unsloth.FastLanguageModel = FastLanguageModel
    for name in TRAINERS:
        setattr(own, name, trainer(name))
        setattr(own, name.replace("Trainer", "Config"), config(getattr(trl, name.replace("Trainer", "Config"))))
    return {"unsloth": unsloth, "trl": own}


def run(tree, ranks):
    """What the program calls, and why it stops."""
    made, before, environment = {}, sys.modules.get("trl"), dict(os.environ)
    RANKS[0] = ranks
    try:
        sys.modules.update(modules(made))
        exec(compile(tree, "train_unsloth.py", "exec"), {"__name__": "__main__"})
    except Exception as error:
        return made, [f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"]
    finally:
        made["environment"] = {key: value for key, value in os.environ.items() if environment.get(key) != value}
        os.environ.clear()
        os.environ.update(environment)
        sys.modules["trl"] = before
        del sys.modules["unsloth"]
    return made, []


def processes(text):
    """How many processes the command in the head starts, of the program that this is."""
    (words, *others) = shell.commands(hugging_face.start(text))
    options = dict(word.lstrip("-").split("=", 1) for word in words[1:-1] if "=" in word)
    if others or words[-1] != "train_unsloth.py" or words[0] not in ("python", "torchrun"):
        raise ValueError(f"the head starts {words}")
    return int(options["nnodes"]) * int(options["nproc-per-node"]) if words[0] == "torchrun" else 1


def refused(made, ranks, facts):
    loaded, adapters, args = made["loaded"], made.get("adapters"), made["given"]["args"]
    full = loaded["full_finetuning"]

    def unless(holds, message):
        if not holds:
            yield message

    yield from unless(made["named"], "model_name: Unsloth loads a model of its own choice")
    yield from unless(loaded["dtype"] in (None, *DTYPES.values()), "dtype: none that from_pretrained takes")  # loader.py:1371
    # loader.py:2309 and 2349
    yield from unless(not full or not loaded["load_in_4bit"], "full finetuning is selected, but 4bit / 8bit is enabled")
    conflict = source.conflicting(*(loaded[f"load_in_{bits}"] for bits in ("4bit", "8bit", "16bit", "fp8")))
    yield from unless(not conflict, "Can only load in 4bit or 8bit or 16bit, not a combination!")
    yield from unless(not (full and adapters), "Full finetuning is enabled, so .get_peft_model has no effect")  # llama.py:4642
    yield from unless(full or adapters, "neither every weight nor adapters are trained")
    asked = (adapters or loaded)["use_gradient_checkpointing"]
    effective = source.checkpointing(asked, loaded["max_seq_length"], loaded["dtype"])
    yield from unless(effective in ("unsloth", True, False), f"use_gradient_checkpointing: {asked} is none of unsloth, True and False")
    yield from unless(effective == asked, "use_gradient_checkpointing: inputs so short stay on the GPU")
    if adapters:
        yield from unless(type(adapters["r"]) is int, f"Rank of {adapters['r']} must be an integer.")  # llama.py:4657
        yield from unless(not isinstance(adapters["r"], int) or adapters["r"] > 0, f"Rank of {adapters['r']} must be larger than 0.")
    # models/rl.py:2657, before the trainer's own
    half = loaded["dtype"]
    yield from unless(half is not DTYPES["float16"] or not args.bf16, "Model is in float16 precision but you want to use bfloat16 precision.")
    yield from unless(half is not DTYPES["bfloat16"] or not args.fp16, "Model is in bfloat16 precision but you want to use float16 precision.")
    yield from unless(made.get("trains"), "nothing is trained")
    yield from unless(made["given"].get("processing_class") == "a tokenizer", "processing_class: not what was loaded")
    yield from unless(made["given"]["model"] == ("a model with adapters" if adapters else "a model"), "model: not what was made")
    batch = args.per_device_train_batch_size * args.gradient_accumulation_steps * ranks
    yield from unless(ranks == facts["train_gpus"], f"{ranks} processes are not the {facts['train_gpus']} GPUs that train")
    yield from unless(batch == facts["sequences"], f"the batch is {batch} sequences, not the question's {facts['sequences']}")
    yield from reinforcement.refused(made, args, facts, ranks) if made["trainer"] == "GRPOTrainer" else preferred(made, args, loaded)


def preferred(made, args, loaded):
    own = made["trainer"]
    if not isinstance(args, getattr(trl, own.replace("Trainer", "Config"))):
        yield f"{own} takes no {type(args).__name__}"
    elif own == "SFTTrainer" and args.padding_free and args.packing:
        yield "padding_free: packing brings it"
    elif own != "SFTTrainer" and (args.max_length or 0) > loaded["max_seq_length"]:  # models/rl.py:3119
        yield f"max_length: exceeds the model max_seq_length of {loaded['max_seq_length']}"
    elif own == "DPOTrainer" and not set(args.loss_type) <= LOSSES:  # dpo_trainer.py:1363
        yield f"loss_type: {args.loss_type} is unknown"
    elif own == "KTOTrainer" and args.per_device_train_batch_size <= 1:  # kto_trainer.py:823
        yield "Actual (not effective) batch size must be > 1."


def order(tree):
    """Unsloth is imported before what it changes (`_gpu_init.py:20`), and behind what its environment says."""
    names = [node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    changed = [name for name in names[:names.index("unsloth") if "unsloth" in names else None] if name.split(".")[0] in ("trl", "transformers", "peft")]
    first = next((node.lineno for node in tree.body if getattr(node, "module", "") == "unsloth"), 0)
    late = [node for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("os.environ") and node.lineno > first]
    return ["Unsloth should be imported before what it changes"] * bool(changed) + ["os.environ: set behind the import of Unsloth"] * bool(late)


def check(item):
    text = item["snippets"][0]["text"]
    for old, new in item.get("file", {}).items():
        if old not in text:
            raise RuntimeError(f"{item['id']}: the text has no {old}")
        text = text.replace(old, new)
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        return [f"SyntaxError: {error}"]
    ranks = processes(text)
    errors = order(tree)
    made, stopped = run(programs.altered(tree, item, lambda called: called.rsplit(".", 1)[-1]), ranks)
    if stopped or "given" not in made:
        return errors + (stopped or ["no trainer is made"])
    return [*errors, *refused(made, ranks, item["facts"])]


if __name__ == "__main__":
    protocol.serve(check)
