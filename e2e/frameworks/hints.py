"""Types of dataclasses' fields, which most configuration code never compares with the values."""

import dataclasses
import enum
import re
import types
import typing


def accepts(value, hint):
    """Whether a value is of the type that a dataclass states for it."""
    origin = typing.get_origin(hint)
    if hint is typing.Any or isinstance(hint, typing.TypeVar) or isinstance(value, str) and re.fullmatch(r"\$\{.*\}", value):
        return True
    if origin in (typing.Union, types.UnionType):
        return any(accepts(value, h) for h in typing.get_args(hint))
    if origin is typing.Literal:
        return value in typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return value in [member.value for member in hint]
    if hint is type(None):
        return value is None
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint in (bool, str):
        return isinstance(value, hint)
    if (origin or hint) in (list, tuple):
        inner = [h for h in typing.get_args(hint) if h is not ...]
        return isinstance(value, (list, tuple)) and (len(inner) != 1 or all(accepts(item, inner[0]) for item in value))
    if (origin or hint) is dict or dataclasses.is_dataclass(hint):
        return isinstance(value, dict) or value is None
    return True
