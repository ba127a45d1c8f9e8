"""Checks torchtitan's configuration with its own `ConfigManager`, models and parallelisms; see README.md.

ConfigManager imports the file as a person's command names it, calls its function, and tyro makes the dataclasses anew, with their
`__post_init__`. Then what the trainer does with them, in its order and with torchtitan's code: `ParallelDims` and its meshes, the
flavor with its converters and `update_from_config`, the pipeline's stages and `parallelize_fn` on a model whose layers are
stand-ins. Restated: what torch itself asserts of a pipeline schedule and of a mask that is split, and what stands in the middle
of the trainer.
"""

import ast
import contextlib
import dataclasses
import math
import os
import re
import sys
import tempfile
import types
import typing
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [os.path.dirname(HERE)] + [path for path in sys.path if path != HERE]

from hints import accepts  # noqa: E402
import programs  # noqa: E402
import protocol  # noqa: E402
import shell  # noqa: E402
import stand_ins  # noqa: E402

stand_ins.install(packages="""torch torchdata torchao datasets tokenizers tensorboard numpy fsspec einops PIL requests wandb triton
    torch_checkpointing safetensors spmd_types""".split())
os.environ.update(CUDA_VISIBLE_DEVICES="")
warnings.filterwarnings("ignore")



def subclassed(cls, **given):
    """torchtitan's modules are told of their subclasses by the base behind torch's."""
    cls.__new__ = lambda own, *_, **__: object.__new__(own)
    super(stand_ins.StandIn, cls).__init_subclass__(**given)


stand_ins.StandIn.__init_subclass__ = classmethod(subclassed)

import torch  # noqa: E402


class Operator:
    """What `torch.library.custom_op` makes of a function: it is given kernels by decorators, and never called here."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *_, **__):
        return self

    def __getattr__(self, name):
        if stand_ins.dunder(name):
            raise AttributeError(name)
        return lambda *given, **_: given[0] if given and callable(given[0]) else None


torch.library.custom_op = Operator
torch._dynamo.config.recompile_limit = 8  # its default, which gpt-oss raises

from torchtitan.components import quantization  # noqa: E402
from torchtitan.components.loss import ChunkedLossWrapper  # noqa: E402
from torchtitan.components.optimizer import OptimizersContainer  # noqa: E402
from torchtitan.config import ConfigManager  # noqa: E402
from torchtitan.distributed import parallel_dims, pipeline_parallel  # noqa: E402
from torchtitan.hf_datasets import text_datasets  # noqa: E402
from torchtitan.tools.logging import logger  # noqa: E402
from torchtitan.trainer import Trainer  # noqa: E402

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


def split(model, mesh, schedule, device, names, get_mesh=None):
    """The stages of one rank, each a model of its own."""
    ranks = model.pipeline_ranks
    own = len(names) // ranks
    stage = lambda i: types.SimpleNamespace(is_first=i == 0, is_last=i == own - 1, count=len(names), submod=model)  # noqa: E731
    if [name for part in names for name in part if name.startswith("layers.")] != [f"layers.{i}" for i in range(len(model.layers))]:
        raise ValueError(f"the stages do not hold the layers in order: {names}")
    return [stage(i) for i in range(own)], [model] * own


pipeline_parallel.PipelineScheduleSingle, pipeline_parallel.PipelineScheduleMulti = Single, Multi
pipeline_parallel._PipelineScheduleRuntime = type("Other", (), {})
pipeline_parallel.ScheduleZBVZeroBubble, pipeline_parallel.ScheduleDualPipeV = Zbv, DualPipeV
pipeline_parallel.get_schedule_class = schedule_class
pipeline_parallel._pipeline_module_split = split


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
    """A model of stand-ins with as many layers as the flavor says, and its attention's class."""

    def __init__(self, config, pipeline_ranks):
        self.pipeline_ranks, self.compiled = pipeline_ranks, False
        self.layers = Layers((str(i), torch.nn.Module()) for i in range(len(config.layers)))
        self.attention = [object.__new__(layer.attention.inner_attention._owner) for layer in config.layers]

    def modules(self):
        return iter(self.attention)

    def get_submodule(self, name):
        return getattr(self, name)


def stated(tree):
    """Keywords of the program's calls, as CALL.KEYWORD."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {f"{ast.unparse(call.func)}.{keyword.arg}" for call in calls for keyword in call.keywords}


def parsed(program, words):
    """torchtitan's own reading of the file, by the words of the command."""
    module = words[words.index("--module") + 1] if "--module" in words else "torchtitan_config"
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "torchtitan_config.py"), "w") as file:
            file.write(program)
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        try:
            return ConfigManager().parse_args(words)
        finally:
            sys.path.remove(folder)
            sys.modules.pop(module, None)
            sys.path_importer_cache.pop(folder, None)


def fits(value, hint):
    """Whether a value is of a type, classes of configurations and those that tyro chooses among included."""
    if typing.get_origin(hint) is typing.Annotated:
        return fits(value, typing.get_args(hint)[0])
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in typing.get_args(hint))
    return isinstance(value, hint) if dataclasses.is_dataclass(hint) else accepts(value, hint)


def of_types(config, path=""):
    """tyro takes what the function says as defaults and never looks at their types."""
    for field in dataclasses.fields(config):
        value, name = getattr(config, field.name), path + field.name
        if field.name in ("model_spec", "param_groups"):
            continue
        if not fits(value, field.type):
            yield f"{name}: {value!r} is no {field.type}"
        elif dataclasses.is_dataclass(value):
            yield from of_types(value, f"{name}.")


# Read only where something else is on (trainer.py, parallelize.py, pipeline_parallel.py, compile.py).
def ignored(config, keys):
    parallel = config.parallelism
    idle = {
        "ParallelismConfig.pipeline_": parallel.pipeline_parallel_degree == 1,
        "ParallelismConfig.enable_sequence_parallel": parallel.tensor_parallel_degree == 1,
        "CompileConfig.enable_async_tensor_parallel": parallel.tensor_parallel_degree == 1,
        "CompileConfig.components": not config.compile.enable,
        "ParallelismConfig.fsdp_reshard_after_forward": parallel.data_parallel_shard_degree * parallel.context_parallel_degree == 1 and parallel.data_parallel_replicate_degree > 1,
    }
    for key in sorted(keys):
        for prefix, off in idle.items():
            if off and key.startswith(prefix) and key != "ParallelismConfig.pipeline_parallel_degree":
                yield f"{key}: has no effect here"


def trainer(config, world):
    """What `Trainer.__init__` does before it needs a GPU."""
    own, training, spec = config.parallelism, config.training, config.model_spec
    dims = parallel_dims.ParallelDims.from_config(own, world)
    dims.build_mesh()
    # trainer.py:307
    divisor = (dims.tp if own.enable_sequence_parallel else 1) * (2 * dims.cp if dims.cp > 1 else 1)
    if training.seq_len % divisor:
        raise ValueError(f"Training sequence length ({training.seq_len}) must be divisible by {divisor} for the configured sequence/context parallelism.")
    spec.model.update_from_config(config=config)
    config._validate_cuda_graphs()
    # trainer.py:420
    ranks = dims.dp_replicate * dims.dp_shard
    local, total = training.local_batch_size, training.global_batch_size
    if total % (local * ranks):
        raise ValueError(f"global batch size must be multiple of local batch size times data-parallel degree ({total} % ({local} * {ranks}) != 0)")
    # torch/distributed/tensor/experimental/_context_parallel/_attention.py, _create_cp_block_mask
    if dims.cp > 1 and training.seq_len % (128 * dims.cp):
        raise NotImplementedError(f"Q_LEN {training.seq_len} is not divisible by CP mesh world size {dims.cp} * BLOCK_SIZE 128")
    # components/loss.py:671
    if isinstance(config.loss, ChunkedLossWrapper.Config) and training.seq_len // dims.cp % config.loss.num_chunks:
        raise ValueError("ChunkedLossWrapper sequence length must be divisible by num_chunks")
    for group in config.optimizer.param_groups:
        OptimizersContainer._resolve_optimizer_factory(group.optimizer_name)
    model = Model(spec.model, dims.pp)
    module = sys.modules[spec.parallelize_fn.__module__]
    module.apply_compile = lambda model, **_: setattr(model, "compiled", True)
    shared = dict(parallel_dims=dims, training=training, parallelism=own, compile_config=config.compile, ac_config=config.activation_checkpoint, dump_folder=config.dump_folder)
    if dims.pp > 1:
        if not spec.pipelining_fn:
            raise RuntimeError(f"Pipeline Parallel is enabled but {spec.name} does not support pipelining")
        spec.pipelining_fn(model, **shared, device=None, model_config=spec.model, parallelize_fn=spec.parallelize_fn, loss_fn=None)
    else:
        spec.parallelize_fn(model, **shared)


def start(text, gpus):
    """What the command in the head gives torchtitan, and what is wrong with it."""
    line = re.search(r"^# Start on each node: (.*)$", text, re.M)
    if not line:
        return [], ["the head does not say how to start"]
    words = shell.commands(line.group(1))[0]
    value = lambda name: int(words[words.index(name) + 1])  # noqa: E731
    errors = [] if value("--nnodes") * value("--nproc-per-node") == gpus else [f"torchrun starts other than {gpus} processes"]
    at = words.index("torchtitan.train")
    return words[at + 1:], errors if words[at - 1] == "-m" else errors + ["torchrun starts something else"]


def check(item):
    text = item["snippets"][0]["text"]
    for old, new in item.get("file", {}).items():
        if old not in text:
            raise RuntimeError(f"{item['id']}: the text has no {old}")
        text = text.replace(old, new)
    words, errors = start(text, item["facts"]["gpus"])
    try:
        tree = programs.altered(ast.parse(text), item)
        with contextlib.redirect_stderr(None):
            config = parsed(ast.unparse(tree), words)
    except (SyntaxError, ValueError, TypeError, AssertionError, AttributeError, NotImplementedError, ImportError, NameError, KeyError) as error:
        return errors + [f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"]
    except SystemExit:
        return errors + ["tyro refuses a value"]
    if not isinstance(config, Trainer.Config):
        return errors + ["the function makes no Trainer.Config"]
    errors += list(of_types(config))
    if errors:
        return errors
    errors += list(ignored(config, stated(tree)))
    if config.dataloader.dataset not in text_datasets.DATASETS:
        errors.append(f"dataset: {config.dataloader.dataset} is none of hf_datasets/text_datasets.py")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            trainer(config, item["facts"]["gpus"])
    except (ValueError, AssertionError, RuntimeError, NotImplementedError, KeyError) as error:
        errors.append(f"{type(error).__name__}: {' '.join(str(error).split())[:400]}")
    return errors


if __name__ == "__main__":
    logger.disabled = True
    protocol.serve(check)
