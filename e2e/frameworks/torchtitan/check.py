"""Checks torchtitan's TOML with its own `ConfigManager`, models and parallelisms; see README.md.

ConfigManager reads the file and tyro builds the dataclasses. Then what the trainer does with them, in its order and
with torchtitan's code: `ParallelDims`, the model's flavor, the converters, the pipeline's stages and
`parallelize_fn` on a model whose layers are stand-ins. Restated: what torch itself asserts of a pipeline schedule, and
three assertions in the middle of the trainer.
"""

import contextlib
import dataclasses
import math
import os
import re
import sys
import tempfile
import tomllib
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [os.path.dirname(HERE)] + [path for path in sys.path if path != HERE]

from hints import accepts  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402
import stand_ins  # noqa: E402

stand_ins.install(packages="torch torchdata torchao datasets tokenizers tensorboard numpy fsspec einops PIL requests torchft wandb triton".split())
os.environ.update(CUDA_VISIBLE_DEVICES="")

import torch  # noqa: E402
from torchtitan.config import ConfigManager  # noqa: E402
from torchtitan.config import manager  # noqa: E402
from torchtitan.distributed import parallel_dims, pipeline_parallel  # noqa: E402
from torchtitan.protocols import model_converter, train_spec  # noqa: E402
import torchtitan.components.quantization as quantization  # noqa: E402

# The rules of the core keep 8 bits to the GPUs that have them; here the GPU is the newest.
for part in (quantization.float8, quantization.mx):
    part.has_cuda_capability = lambda *_: True


class Single:
    """torch/distributed/pipelining/schedules.py, PipelineScheduleSingle of torch 2.10."""

    def __init__(self, stage, n_microbatches, **_):
        if n_microbatches < stage.count:
            raise ValueError(f"Number of microbatches ({n_microbatches}) must be greater than or equal to the number of stages ({stage.count}).")


class Multi:
    """The same file, ScheduleInterleaved1F1B and ScheduleInterleavedZeroBubble."""

    def __init__(self, stages, n_microbatches, **_):
        ranks = stages[0].count // len(stages)
        rounds = max(1, n_microbatches // ranks)
        if n_microbatches % rounds:
            raise ValueError(f"Interleaved 1F1B requires the number of microbatches to be a multiple of the number of rounds ({rounds}), but got {n_microbatches}.")


class Single1F1B(Single):
    pass


class Interleaved(Multi):
    pass


class Uncompiled:
    """The same file, _check_torch_compile_compatibility."""

    def __init__(self, stages, n_microbatches, **_):
        if any(stage.submod.compiled for stage in stages):
            raise RuntimeError(f"The {type(self).__name__} schedule is not supported with stage modules that have used torch.compile.")
        super().__init__(stages, n_microbatches)


class ZeroBubble(Uncompiled, Interleaved):
    pass


class Folded(Multi):
    """The same file, ScheduleZBVZeroBubble."""

    def __init__(self, stages, n_microbatches, **_):
        if len(stages) != 2:
            raise ValueError(f"ZBV requires exactly 2 stages per rank, but got {len(stages)}.")


class Zbv(Uncompiled, Folded):
    pass


class DualPipeV(Uncompiled, Folded):
    def __init__(self, stages, n_microbatches, **_):
        super().__init__(stages, n_microbatches)
        if n_microbatches < stages[0].count:
            raise ValueError(f"DualPipeV requires at least as many microbatches as stages, but got {n_microbatches} microbatches and {stages[0].count} stages.")

    def register_custom_function(self, *_):
        """torchtitan's overlap_callback."""


def schedule_class(name):
    known = {"1f1b": Single1F1B, "interleaved1f1b": Interleaved, "interleavedzerobubble": ZeroBubble, "zbvzerobubble": Zbv, "dualpipev": DualPipeV}
    if name.lower() not in known:
        raise ValueError(f"Unknown schedule name: {name}")
    return known[name.lower()]


def split(model, mesh, schedule, device, names):
    """The stages of one rank, each a model of its own."""
    ranks = model.pipeline_ranks
    own = len(names) // ranks
    stage = lambda i: types.SimpleNamespace(is_first=i == 0, is_last=i == own - 1, count=len(names), submod=model)  # noqa: E731
    if [name for part in names for name in part if name.startswith("layers.")] != [f"layers.{i}" for i in range(model.model_args.n_layers)]:
        raise ValueError(f"the stages do not hold the layers in order: {names}")
    return [stage(i) for i in range(own)], [model] * own


pipeline_parallel.PipelineScheduleSingle, pipeline_parallel.PipelineScheduleMulti = Single, Multi
pipeline_parallel._PipelineScheduleRuntime = type("Other", (), {})
pipeline_parallel.ScheduleZBVZeroBubble, pipeline_parallel.ScheduleDualPipeV = Zbv, DualPipeV
pipeline_parallel.get_schedule_class = schedule_class
pipeline_parallel.pipeline_module_split = split


class Mesh:
    """As torch.distributed.device_mesh.DeviceMesh: sizes by name."""

    def __init__(self, sizes, names):
        self.sizes, self.mesh_dim_names, self.ndim = sizes, names, len(sizes)

    def size(self, index=None):
        return math.prod(self.sizes) if index is None else self.sizes[index]

    def _unflatten(self, index, sizes, names, backend_override=None):
        if math.prod(sizes) != self.sizes[index]:
            raise ValueError(f"{self.sizes[index]} ranks are no {' x '.join(f'{name} {size}' for name, size in zip(names, sizes))}")
        return Mesh(sizes, names)

    def _flatten(self, name):
        return Mesh((self.size(),), (name,))

    def __getitem__(self, names):
        names = (names,) if isinstance(names, str) else names
        return Mesh(tuple(self.sizes[self.mesh_dim_names.index(name)] for name in names), names)

    def __getattr__(self, name):
        return stand_ins.StandIn()


parallel_dims.init_device_mesh = lambda device, sizes, mesh_dim_names: Mesh(sizes, mesh_dim_names)


class Layers(dict):
    """As torch.nn.ModuleDict."""

    named_children = dict.items

    def register_module(self, name, module):
        self[name] = module


class Model(torch.nn.Module):
    """A model of stand-ins with as many layers as the flavor says."""

    def __init__(self, args, pipeline_ranks):
        self.model_args, self.pipeline_ranks, self.compiled = args, pipeline_ranks, False
        self.layers = Layers((str(i), torch.nn.Module()) for i in range(args.n_layers))

    def get_submodule(self, name):
        return getattr(self, name)


def parsed(text):
    """torchtitan's own reading of the file."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text)
        file.flush()
        return ConfigManager().parse_args(["--job.config_file", file.name])


def of_types(config, path=""):
    """tyro takes the file's values as defaults and never looks at their types."""
    for field in dataclasses.fields(config):
        value, name = getattr(config, field.name), path + field.name
        if dataclasses.is_dataclass(value):
            yield from of_types(value, f"{name}.")
        elif not accepts(value, field.type):
            yield f"{name}: {value!r} is no {field.type}"


def flat(content, path=""):
    for key, value in content.items():
        if isinstance(value, dict):
            yield from flat(value, f"{path}{key}.")
        else:
            yield path + key


# Read only where something else is on (train.py, parallelize.py, activation_checkpoint.py, float8.py).
def ignored(config, keys):
    parallel = config.parallelism
    idle = {
        "parallelism.pipeline_": parallel.pipeline_parallel_degree == 1,
        "parallelism.pipeline_parallel_expert_parallel_overlap": parallel.expert_parallel_degree == 1 or parallel.pipeline_parallel_schedule != "DualPipeV",
        "parallelism.expert_tensor_parallel_degree": parallel.expert_parallel_degree == 1,
        "parallelism.enable_async_tensor_parallel": parallel.tensor_parallel_degree == 1,
        "parallelism.fsdp_reshard_after_forward": parallel.data_parallel_shard_degree * parallel.context_parallel_degree == 1 and parallel.data_parallel_replicate_degree > 1,
        "activation_checkpoint.selective_ac_option": config.activation_checkpoint.mode != "selective",
        "compile.components": not config.compile.enable,
    }
    for section in ("linear.float8", "linear.mx", "grouped_mm.float8", "grouped_mm.mx"):
        idle[f"quantize.{section}."] = f"quantize.{section}" not in config.model.converters
    for key in keys:
        for prefix, off in idle.items():
            if off and key.startswith(prefix) and key != "parallelism.pipeline_parallel_degree":
                yield f"{key}: has no effect here"


def trainer(config, world):
    """What `Trainer.__init__` does before it needs a GPU."""
    own = config.parallelism
    dims = parallel_dims.ParallelDims(
        dp_shard=own.data_parallel_shard_degree, dp_replicate=own.data_parallel_replicate_degree, cp=own.context_parallel_degree,
        tp=own.tensor_parallel_degree, pp=own.pipeline_parallel_degree, ep=own.expert_parallel_degree, etp=own.expert_tensor_parallel_degree, world_size=world)
    dims.build_mesh()
    ranks = dims.dp_replicate * dims.dp_shard
    spec = train_spec.get_train_spec(config.model.name)
    if config.model.flavor not in spec.model_args:
        raise ValueError(f"model.flavor: {config.model.name} has no {config.model.flavor}")
    sys.modules[spec.parallelize_fn.__module__].apply_compile = lambda model, *_: setattr(model, "compiled", True)  # it swaps methods of the experts
    args = dataclasses.replace(spec.model_args[config.model.flavor])
    args.update_from_config(config)
    # build_model_converters: a converter that is not registered is a KeyError.
    model_converter.build_model_converters(config, dims)
    # train.py, "verify batch sizes".
    local, total = config.training.local_batch_size, config.training.global_batch_size
    if total % (local * ranks):
        raise ValueError(f"global batch size must be multiple of local batch size times data-parallel degree ({total} % ({local} * {ranks}) != 0)")
    for size, name in ((args.n_heads, "heads"), (getattr(args, "n_kv_heads", None) or args.n_heads, "key and value heads")):
        if size % dims.tp:
            raise ValueError(f"tensor_parallel_degree: {size} {name} are no multiple of it")  # DTensor shards them evenly
    model = Model(args, dims.pp)
    if dims.pp > 1:
        if not spec.pipelining_fn:
            raise RuntimeError(f"Pipeline Parallel is enabled but {config.model.name} does not support pipelining")
        spec.pipelining_fn(model, dims, config, None, args, spec.parallelize_fn, None)
    else:
        spec.parallelize_fn(model, dims, config)


def start(text, gpus):
    """The command in the head: what it launches, and on how many GPUs."""
    line = re.search(r"^# Start on each node: (.*)$", text, re.M)
    if not line:
        return ["the head does not say how to start"]
    words = shell.commands(line.group(1))[0]
    value = lambda name: int(words[words.index(name) + 1])  # noqa: E731
    errors = [] if value("--nnodes") * value("--nproc-per-node") == gpus else [f"torchrun starts other than {gpus} processes"]
    return errors if words[-4:] == ["-m", "torchtitan.train", "--job.config_file", "torchtitan.toml"] else errors + ["torchrun starts something else"]


def changed(text, item):
    for key, value in item.get("set", {}).items():
        text, times = re.subn(rf"^{re.escape(key)} = .*$", lambda _: f"{key} = {value}", text, flags=re.M)
        if times != 1:
            raise RuntimeError(f"{item['id']}: {times} lines set {key}")
    for key in item.get("unset", []):
        text, times = re.subn(rf"^{re.escape(key)} = .*\n", "", text, flags=re.M)
        if times != 1:
            raise RuntimeError(f"{item['id']}: {times} lines set {key}")
    return "\n".join([text, *item.get("add", [])])


def check(item):
    text = changed(item["snippets"][0]["text"], item)
    errors = start(text, item["facts"]["gpus"])
    try:
        with contextlib.redirect_stderr(None):
            config = parsed(text)
    except (ValueError, TypeError, AssertionError, AttributeError) as error:
        return errors + [" ".join(str(error).split())[:400] or type(error).__name__]
    except SystemExit:
        return errors + ["tyro refuses a value"]
    errors += list(of_types(config))
    if errors:
        return errors
    errors += list(ignored(config, flat(tomllib.loads(text))))
    if config.training.dataset not in ("c4", "c4_test", "c4_validation"):
        errors.append(f"training.dataset: {config.training.dataset} is none of hf_datasets/text_datasets.py")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            trainer(config, item["facts"]["gpus"])
    except (ValueError, AssertionError, RuntimeError, NotImplementedError, KeyError) as error:
        errors.append(f"{type(error).__name__}: {' '.join(str(error).split())[:400]}")
    return errors


if __name__ == "__main__":
    manager.logger.disabled = True
    protocol.serve(check)
