"""Checks ds_config.json with DeepSpeed's own `DeepSpeedConfig`, on the CPU; see README.md.

A key that DeepSpeed never looks at is an error: it would be ignored without a word. Then the
optimizer's and scheduler's parameters, and combinations that it asserts only when training starts.
"""

import inspect
import json
import logging
import os
import sys
import types
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
os.environ.update(DS_ACCELERATOR="cpu", DS_BUILD_OPS="0", TRANSFORMERS_VERBOSITY="error")
warnings.filterwarnings("ignore")

import contextlib  # noqa: E402

import protocol  # noqa: E402
import trainer as fill  # noqa: E402
import shell  # noqa: E402

with contextlib.redirect_stdout(sys.stderr):  # older versions greet, and what is printed here is a verdict
    from deepspeed.runtime import config as ds  # noqa: E402
    from deepspeed.runtime import lr_schedules  # noqa: E402

logging.getLogger("DeepSpeed").handlers = [logging.NullHandler()]
logging.getLogger("DeepSpeed").propagate = False

# Read by the engine rather than by DeepSpeedConfig.
ENGINE = {"vocabulary_size", "sequence_parallel_size"}
# Sections that refuse unknown keys themselves, and sections read elsewhere.
STRICT = {"zero_optimization", "comms_logger", "tensorboard", "wandb", "csv_monitor", "comet", "hybrid_engine",
          "compile", "tensor_parallel", "weight_quantization", "timers"}
# Plain dictionaries before 0.17, whose keys are looked up one by one.
STRICT |= {"bf16", "fp16"} if hasattr(ds, "get_float16_config") else set()
FREE = {"optimizer", "scheduler", "pipeline", "autotuning", "data_efficiency", "expert_parallel", "checkpoint", "flops_profiler"}


class Watched(dict):
    """A dictionary that remembers which keys were looked at."""

    def __init__(self, content, path="", seen=None):
        self.seen, self.path = set() if seen is None else seen, path
        super().__init__({k: Watched(v, f"{path}{k}.", self.seen) if isinstance(v, dict) else v for k, v in content.items()})

    def __getitem__(self, key):
        self.seen.add(self.path + key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.seen.add(self.path + key)
        return super().get(key, default)

    def __contains__(self, key):
        self.seen.add(self.path + key)
        return super().__contains__(key)

    def __copy__(self):
        made = Watched({}, self.path, self.seen)
        dict.update(made, dict(dict.items(self)))
        return made

    def __deepcopy__(self, memo):
        return self.__copy__()


def read(text):
    def once(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError(f"a key is given twice: {sorted(keys)}")
        return dict(pairs)

    def no(constant):
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, object_pairs_hook=once, parse_constant=no)


def altered(config, item):
    for path, value in {**item.get("set", {}), **dict.fromkeys(item.get("unset", []))}.items():
        *parents, last = path.split(".")
        node = config
        for parent in parents:
            node = node.setdefault(parent, {})
        if path in item.get("unset", []):
            del node[last]
        else:
            node[last] = value
    return config


def autos(node, prefix=""):
    for key, value in node.items():
        if isinstance(value, dict):
            yield from autos(value, f"{prefix}{key}.")
        elif value == "auto":
            yield prefix + key


PLAIN, TRAINER = "ds_config.json", "ds_config_hf.json"


def check(item):
    files = {snippet["file"]: snippet["text"] for snippet in item["snippets"]}
    changed = item.get("file", PLAIN)
    if any(key in item for key in ("set", "unset", "raw", "file")):
        config = altered(read(item.get("raw") or files[changed]), item)
        return raw(config, item["facts"]) if changed == PLAIN else trainer(config, words_of(files), item["facts"])
    plain, hugging_face = read(files[PLAIN]), read(files[TRAINER])
    words = words_of(files)
    errors = raw(plain, item["facts"]) + launcher(words, item["facts"])
    return errors + trainer(hugging_face, words, item["facts"]) + same(plain, hugging_face, words, item["facts"])


def raw(config, facts):
    """What DeepSpeed says of a configuration as it stands."""
    world = facts["gpus"]
    tensor = config.get("tensor_parallel")
    tp = tensor.get("autotp_size", 1) if isinstance(tensor, dict) else 1
    sp = config.get("sequence_parallel_size", 1)
    errors = [f"{key}: auto is for Hugging Face's Trainer alone" for key in autos(config)]
    if world % (tp * sp):
        return errors + [f"{world} GPUs % (TP {tp} * SP {sp}) != 0"]
    ranks = world // (tp * sp)
    watched, real = Watched(config), ds.dist
    ds.dist = types.SimpleNamespace(get_rank=lambda *a, **k: 0, get_world_size=lambda *a, **k: world, is_initialized=lambda: True)
    try:
        ds.DeepSpeedConfig(watched, mpu=types.SimpleNamespace(get_data_parallel_world_size=lambda: ranks))
    except Exception as error:
        return errors + [f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"]
    finally:
        ds.dist = real
    for key, value in dict.items(watched):
        if key not in watched.seen and key not in ENGINE:
            errors.append(f"{key}: DeepSpeed never reads it")
        elif isinstance(value, Watched) and key not in STRICT | FREE:
            errors += [f"{key}.{inner}: DeepSpeed never reads it" for inner in dict.keys(value) if f"{key}.{inner}" not in watched.seen]
    return errors + optimizer(config) + scheduler(config) + combinations(config, world)


def trainer(config, words, facts):
    """What Hugging Face's Trainer says of it, and DeepSpeed of what that makes."""
    errors = []
    if "activation_checkpointing" in config:
        errors.append("activation_checkpointing: the Trainer's models never read it")
    try:
        made = fill.filled(config, words, facts)
    except ValueError as error:
        return errors + [f"the Trainer: {' '.join(str(error).split())}"]
    left = list(autos(made))
    return errors + [f"{key}: no Trainer fills auto in here" for key in left] + ([] if left else raw(made, facts))


def same(plain, hugging_face, words, facts):
    """Both files say the same, once the Trainer has filled its own."""
    made = fill.filled(hugging_face, words, facts)
    plain = {key: value for key, value in plain.items() if key != "activation_checkpointing" and (key != "train_batch_size" or key in made)}
    return [] if plain == made else [f"{TRAINER}: becomes {made}, which is not {plain}"]


def optimizer(config):
    section = config.get("optimizer")
    if not section:
        return []
    errors = [f"optimizer.{key}: DeepSpeed never reads it" for key in section if key not in ("type", "params", "legacy_fusion")]
    name, params = str(section.get("type", "")), section.get("params", {})
    offload = (config.get("zero_optimization", {}).get("offload_optimizer") or {}).get("device") in ("cpu", "nvme")
    import torch

    # runtime/engine.py, _configure_basic_optimizer: what DeepSpeed does not know is PyTorch's, by its own name.
    if name.lower() not in ds.DEEPSPEED_OPTIMIZERS:
        if not hasattr(torch.optim, name):
            return errors + [f"optimizer.type: {name} is unknown"]
        if config.get("zero_optimization", {}).get("stage", 0) and not config.get("zero_allow_untested_optimizer"):
            errors.append(f"optimizer.type: ZeRO with {name} needs zero_allow_untested_optimizer")
        used = getattr(torch.optim, name)
        known = set(inspect.signature(used.__init__).parameters) - {"self", "params"}
        return errors + [f"optimizer.params.{key}: unknown to {name}" for key in params if key not in known]
    if name.lower() == "muon":
        # runtime/engine.py, _MUON_HALF_KEYS and _ADAM_HALF_KEYS.
        known = {"lr", "muon_lr", "adam_lr", "momentum", "betas", "eps", "weight_decay", "ns_method"}
        return errors + [f"optimizer.params.{key}: unknown to Muon" for key in params if key not in known]
    if name.lower() == "lion":
        from deepspeed.ops.lion import DeepSpeedCPULion, FusedLion

        used = DeepSpeedCPULion if offload else FusedLion
        known = set(inspect.signature(used.__init__).parameters) - {"self", "params", "model_params"}
        return errors + [f"optimizer.params.{key}: unknown to {used.__name__}" for key in params if key not in known]
    if name.lower() not in ("adam", "adamw"):
        return errors
    from deepspeed.ops.adam import DeepSpeedCPUAdam, FusedAdam

    used = torch.optim.AdamW if params.get("torch_adam") else DeepSpeedCPUAdam if offload else FusedAdam
    known = set(inspect.signature(used.__init__).parameters) - {"self", "params", "model_params"} | {"torch_adam", "adam_w_mode"}
    return errors + [f"optimizer.params.{key}: unknown to {used.__name__}" for key in params if key not in known]


def scheduler(config):
    section = config.get("scheduler")
    if not section:
        return []
    name = section.get("type")
    if name not in lr_schedules.VALID_LR_SCHEDULES:
        return [f"scheduler.type: {name} is unknown"]
    known = set(inspect.signature(getattr(lr_schedules, name).__init__).parameters)
    return [f"scheduler.params.{key}: unknown to {name}" for key in section.get("params", {}) if key not in known]


def combinations(config, world):
    """What DeepSpeed asserts, or leaves out, only when training starts."""
    zero = config.get("zero_optimization", {})
    stage, errors = zero.get("stage", 0), []
    offload, weights = zero.get("offload_optimizer") or {}, zero.get("offload_param") or {}

    def require(holds, message):
        if not holds:
            errors.append(f"zero_optimization.{message}")

    away = lambda section: section.get("device", "none") != "none"  # noqa: E731
    require(not away(weights) or stage == 3, "offload_param: needs stage 3")
    require(not away(weights) or away(offload), "offload_param: goes with offload_optimizer")
    require(not away(offload) or stage >= 1, "offload_optimizer: needs stage 1 or more")
    for name, section in (("offload_param", weights), ("offload_optimizer", offload)):
        require(section.get("device") != "nvme" or (section.get("nvme_path") and stage == 3), f"{name}: nvme needs nvme_path and stage 3")
    # runtime/swap_tensor/partitioned_optimizer_swapper.py, swap_in_optimizer_state: Adam's states and the gradient.
    require(offload.get("device") != "nvme" or offload.get("buffer_count", 4) >= 4, "offload_optimizer.buffer_count: Adam needs 4")
    require(not offload.get("super_offload") or stage == 3, "offload_optimizer.super_offload: needs stage 3")
    require(zero.get("zenflow") is None or offload.get("device") == "cpu", "zenflow: needs offload_optimizer to the CPU")
    partition = zero.get("zero_hpz_partition_size", 1)
    require(partition == 1 or (stage == 3 and world % min(partition, world) == 0), "zero_hpz_partition_size: needs stage 3 and divides the GPUs")
    # runtime/zero/partition_parameters.py, _partition_param_sec.
    require(partition == 1 or weights.get("device") != "nvme", "zero_hpz_partition_size: no second copy of weights on NVMe")
    quantized = zero.get("zero_quantized_weights") and (config.get("torch_autocast") or {}).get("enabled")
    require(not quantized, "zero_quantized_weights: not with torch_autocast")
    require("aio" not in config or "nvme" in (offload.get("device"), weights.get("device")), "aio: nothing lies on NVMe")
    for key, value in zero.items():
        require(not key.startswith("stage3_") or stage == 3, f"{key}: has no effect without stage 3")
        require(not key.startswith("zero_quantized_") or not value or stage == 3, f"{key}: needs stage 3")
        require(not key.endswith("_bucket_size") or not isinstance(value, str), f"{key}: is a word")
    require(not zero.get("round_robin_gradients") or stage < 3, "round_robin_gradients: has no effect with stage 3")
    return errors


def words_of(files):
    """The words of the command that starts DeepSpeed."""
    found = [words for words in shell.commands(files["run_deepspeed.sh"]) if words[0] == "deepspeed"]
    if len(found) != 1:
        raise ValueError(f"{len(found)} commands start DeepSpeed, not 1")
    return found[0]


def launcher(words, facts):
    """The launch line takes the Trainer's file and every GPU of the question."""
    value = lambda name: words[words.index(name) + 1]  # noqa: E731
    errors = [] if value("--deepspeed") == TRAINER else [f"--deepspeed: not {TRAINER}"]
    if int(value("--num_nodes")) * int(value("--num_gpus")) != facts["gpus"]:
        errors.append(f"--num_gpus: not the {facts['gpus']} GPUs of the question")
    names = [word for word in words if word.startswith("--")]
    return errors + [f"{name} is set twice" for name in set(names) if names.count(name) > 1]


if __name__ == "__main__":
    protocol.serve(check)
