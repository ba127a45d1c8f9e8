"""Inert stand-ins for the packages that frameworks import beside their configuration.

Configuration code never computes with torch, ray or transformers: any attribute, call, base
class or decorator of a stand-in is another stand-in, or hands back what it decorates.
"""

import abc
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
import types
import typing

PACKAGES = """torch ray tensordict transformers datasets pandas peft torchdata accelerate codetiming dill pyarrow
pylatexenc wandb tensorboard psutil requests tqdm PIL aiohttp fastapi uvicorn cachetools regex transfer_queue
cloudpickle pydantic msgspec zmq qwen_vl_utils tokenizers huggingface_hub safetensors jinja2 openai starlette httpx
pybind11 math_verify sympy filelock orjson numba networkx aiofiles nvtx yarl""".split()


def dunder(name):
    return name.startswith("__") and name.endswith("__")


class Meta(abc.ABCMeta):
    def __getattr__(cls, name):
        if dunder(name):
            raise AttributeError(name)
        return stand_in(f"{cls.__module__}.{cls.__name__}.{name}")

    def __bool__(cls):
        return True

    def __or__(cls, other):
        return typing.Any

    __ror__ = __or__

    def __getitem__(cls, item):
        return cls

    def __iter__(cls):
        return iter(())

    def register(cls, *args, **kwargs):
        """Not that of abstract classes alone: transformers' Auto classes have one of their own (`AutoConfig.register(name, config)`)."""
        return super().register(*args) if len(args) == 1 and isinstance(args[0], type) and not kwargs else StandIn()


def new(cls, *args, **kwargs):
    """As a bare decorator (`@ray.remote`) it hands back what it decorates."""
    plain = len(args) == 1 and not kwargs
    if plain and (isinstance(args[0], types.FunctionType) or (isinstance(args[0], type) and not isinstance(args[0], Meta))):
        return args[0]
    return object.__new__(cls)


class StandIn(metaclass=Meta):
    __new__ = new

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        cls.__new__ = lambda c, *args, **kw: object.__new__(c)

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]
        return StandIn()

    def __getattr__(self, name):
        if dunder(name):
            raise AttributeError(name)
        return StandIn()

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False

    def __getitem__(self, key):
        return StandIn()

    def __setitem__(self, key, value):
        pass

    def __or__(self, other):
        return typing.Any

    __ror__ = __or__

    def __lt__(self, other):
        return False

    __le__ = __gt__ = __ge__ = __lt__


MADE = {}


def stand_in(path):
    if path not in MADE:
        module, _, name = path.rpartition(".")
        made = abc.ABCMeta.__new__(Meta, name or path, (StandIn,), {"__module__": module, "__new__": new})
        made.__new__ = staticmethod(new)
        MADE[path] = made
    return MADE[path]


class Module(types.ModuleType):
    __path__ = []
    __version__ = "999.0.0"
    __all__ = []

    def __getattr__(self, name):
        if dunder(name) or name in ("npu", "xpu", "musa", "mlu"):
            raise AttributeError(name)
        path = f"{self.__name__}.{name}"
        return sys.modules.get(path) or stand_in(path)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, packages):
        self.packages = set(packages)

    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if parts[0] in self.packages or ".".join(parts[:2]) in self.packages:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


def install(more=(), packages=PACKAGES, versions=()):
    """Stands in for every package of the list, and of `more`, that is not installed. `versions`: what some say they are."""
    missing = [name for name in (*packages, *more) if importlib.util.find_spec(name) is None]
    sys.meta_path.append(Finder(missing))

    def told(known, answer):
        def ask(name):
            plain = name.replace("-", "_").split("[")[0]
            try:
                return known(name)
            except importlib.metadata.PackageNotFoundError:
                if plain in missing:
                    return answer(plain)
                raise

        return ask

    importlib.metadata.version = told(importlib.metadata.version, lambda name: dict(versions).get(name, "999.0.0"))
    importlib.metadata.metadata = told(importlib.metadata.metadata, lambda name: {"Name": name})
