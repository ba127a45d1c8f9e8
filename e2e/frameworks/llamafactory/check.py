"""Checks LLaMA-Factory's YAML with its own `get_train_args`; see README.md.

OmegaConf reads the file, transformers' HfArgumentParser builds LLaMA-Factory's dataclasses, and `get_train_args` runs as
on one of the GPUs. accelerate's file goes through accelerate's own reader, ds_config.json is compared as the Trainer
compares it. Restated: what the Trainer looks up on a GPU.
"""

import os
import re
import sys
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [os.path.dirname(HERE)] + [path for path in sys.path if path != HERE]

from hints import accepts  # noqa: E402
import documents  # noqa: E402
import hugging_face  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402
import stand_ins  # noqa: E402

sys.path.pop(0)  # its folders have the names of packages
VERSIONS = {"peft": "0.18.1", "datasets": "4.0.0", "trl": "0.24.0", "tokenizers": "0.22.2", "huggingface_hub": "1.17.0", "regex": "2025.11.3",
            "torch": "2.9.0", "numpy": "2.2.0"}
stand_ins.install(packages="""torch numpy peft datasets trl tokenizers safetensors huggingface_hub regex httpx requests psutil tiktoken deepspeed
liger_kernel bitsandbytes""".split(), versions=VERSIONS)
os.environ.update(WORLD_SIZE="8", HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

import huggingface_hub.constants  # noqa: E402

huggingface_hub.constants.HF_HOME = huggingface_hub.constants.HF_HUB_CACHE = "/nonexistent"

from accelerate.commands.config.config_args import load_config_from_file  # noqa: E402
from accelerate.commands.launch import launch_command_parser  # noqa: E402
from llamafactory.extras import logging  # noqa: E402
from llamafactory.hparams import parser  # noqa: E402
from transformers import training_args as trainer  # noqa: E402
from transformers.training_args import ParallelMode, TrainingArguments  # noqa: E402

# One GPU of a torchrun: what torch and accelerate would find.
trainer.is_torch_bf16_gpu_available = parser.is_torch_bf16_gpu_available = lambda: True
TrainingArguments._setup_devices = property(lambda self: "cuda:0")
TrainingArguments.device = property(lambda self: "cuda:0")
TrainingArguments.parallel_mode = property(lambda self: ParallelMode.DISTRIBUTED)
TrainingArguments.world_size = property(lambda self: self.gpus)
TrainingArguments.process_index = TrainingArguments.local_process_index = property(lambda self: 0)




def launched(text, files, gpus):
    """What the head starts, and on how many GPUs."""
    command = hugging_face.start(text)
    words = shell.commands(command)[0]
    if words[:2] == ["accelerate", "launch"]:
        arguments = launch_command_parser().parse_args(words[2:])
        if (arguments.config_file, arguments.module, arguments.training_script, arguments.training_script_args) != \
                ("fsdp.yaml", True, "llamafactory.launcher", ["llamafactory.yaml"]):
            return ["accelerate starts something else"]
        return sharded(files, arguments, gpus)
    given = dict(re.findall(r"\b([A-Z_]+)=(\d+)", command))
    errors = [] if words == ["llamafactory-cli", "train", "llamafactory.yaml"] else ["the command starts something else"]
    if given.get("FORCE_TORCHRUN") != "1":
        errors.append("without FORCE_TORCHRUN one process starts on one GPU")
    if int(given.get("NNODES", 1)) * int(given["NPROC_PER_NODE"]) != gpus:
        errors.append(f"it starts other than {gpus} processes")
    return errors


def sharded(files, arguments, gpus):
    """accelerate's file: its reader refuses unknown keys, and what is below fsdp_config becomes options of `launch`."""
    documents.read(files["fsdp.yaml"])
    config = load_config_from_file("fsdp.yaml")
    errors = [f"fsdp.yaml: {key}: accelerate launch has no such option" for key in config.fsdp_config if not hasattr(arguments, key)]
    errors += [f"fsdp.yaml: {key}: {value!r} is of another type than {getattr(arguments, key)!r}" for key, value in config.fsdp_config.items()
               if not errors and getattr(arguments, key) in ("true", "false") and not isinstance(value, bool)]
    if str(config.distributed_type.value) != "FSDP" or config.num_processes != gpus:
        errors.append(f"fsdp.yaml: not {gpus} processes of FSDP")
    settings = documents.read(files["llamafactory.yaml"])
    if config.mixed_precision not in settings:
        errors.append(f"fsdp.yaml: mixed_precision: {config.mixed_precision} is not what llamafactory.yaml says")
    # accelerate/utils/dataclasses.py, FullyShardedDataParallelPlugin of FSDP2.
    if settings.get("quantization_bit") and config.fsdp_config.get("fsdp_cpu_ram_efficient_loading"):
        errors.append("fsdp.yaml: fsdp_cpu_ram_efficient_loading: 4-bit weights are made on every rank")
    return errors


def check(item):
    files, gpus = documents.altered(item), item["facts"]["gpus"]
    text = files["llamafactory.yaml"]
    TrainingArguments.gpus = gpus
    with hugging_face.folder(files):
        errors = launched(text, files, gpus) + of_types(documents.read(text))
        if errors:
            return errors
        sys.argv = ["llamafactory", "llamafactory.yaml"]
        try:
            model, data, training, finetuning, _ = parser.get_train_args()
        except (ValueError, TypeError, AssertionError, ImportError, FileNotFoundError) as error:
            return errors + [" ".join(str(error).split())[:400]]
    if training.deepspeed:
        errors += [f"ds_config.json: {line}" for line in training.hf_deepspeed_config.mismatches]
    return errors + used(model, data, training, finetuning, gpus, item["facts"])


def of_types(content):
    """HfArgumentParser hands a file's values to the dataclasses as they are."""
    hints = {key: hint for each in parser._TRAIN_ARGS for key, hint in typing.get_type_hints(each).items()}
    return [f"{key}: {value!r} is no {hints[key]}" for key, value in content.items() if key in hints and not accepts(value, hints[key])]


def used(model, data, training, finetuning, gpus, facts):
    """What is looked at only while it trains."""
    errors = []
    if model.flash_attn not in ("auto", "disabled", "sdpa", "fa2"):  # model/model_utils/attention.py
        errors.append(f"flash_attn: {model.flash_attn} is for gpt-oss alone")
    if model.quantization_bit not in (None, 4, 8):  # model/model_utils/quantization.py
        errors.append("quantization_bit: bitsandbytes only accepts 4-bit or 8-bit quantization")
    if data.cutoff_len + bool(data.packing) > facts["max_pos"] > 0:
        errors.append(f"cutoff_len: more than the {facts['max_pos']} positions of the model")
    if finetuning.finetuning_type != "lora" and finetuning.lora_target != ["all"]:
        errors.append("lora_target: has no effect without LoRA")
    if training.per_device_train_batch_size < 1 or training.gradient_accumulation_steps < 1:
        errors.append("a pass has a sequence, and a step a pass")
    return errors


if __name__ == "__main__":
    logging.get_logger("llamafactory").setLevel("ERROR")
    protocol.serve(check)
