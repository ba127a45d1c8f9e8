"""Lists of answers that are written and read as they are looked at: of thousands, that takes longer than to estimate them."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from operator import index
from typing import Any

from . import _core
from ._core import Estimated
from .documents import Answer, Rows

_AT_ONCE = 1024
"""Answers that a loop writes, on all cores, and reads at once: with fewer, cores wait for each other."""


class Unread(Rows[Any]):
    """Answers, each of which stands there as `Estimated`, which no answer is, until it is looked at.

    Its length, an element and a loop leave the others as they are. For whatever else a list does all are read first, and it is one of
    `Rows` from then on.
    """

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return read(self)[place]
        found = list.__getitem__(self, place)
        if type(found) is Estimated:
            _read(self, index(place) % len(self), 1)
            found = list.__getitem__(self, place)
        return found

    def __iter__(self) -> Iterator[Any]:
        place = 0
        while place < len(self):
            found = _read(self, place, _AT_ONCE)
            yield from found
            place += len(found)

    def __radd__(self, other: list[Any]) -> list[Any]:
        joined: list[Any] = other + read(self)
        return joined


@contextmanager
def without_collector() -> Iterator[None]:
    """While many documents are made, which have no cycles: looking for some would take half as long again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read(rows: Unread, first: int, count: int) -> list[Any]:
    """Reads some answers of a list, and returns them."""
    found = list.__getitem__(rows, slice(first, first + count))
    unread = [(place, own) for place, own in enumerate(found, first) if type(own) is Estimated]
    lines = _core.written([own for _, own in unread])
    with without_collector():
        # As one document, whose objects have their keys in common: two thirds of the memory.
        for (place, own), document in zip(unread, json.loads(f"[{','.join(lines)}]")):
            # Another thread may have read it meanwhile.
            if list.__getitem__(rows, place) is own:
                list.__setitem__(rows, place, Answer(document))
    return list.__getitem__(rows, slice(first, first + count))


def read(rows: Any) -> Any:
    """Reads all lines of a list that has some; whatever else it is given it leaves as it is."""
    if type(rows) is Unread:
        for place in range(0, len(rows), _AT_ONCE):
            _read(rows, place, _AT_ONCE)
        setattr(rows, "__class__", Rows)
    return rows


def _once_read(plain: Callable[..., Any]) -> Callable[..., Any]:
    """A method of lists, for which all lines are read, those of a list that it is given as well."""

    @wraps(plain)
    def method(*arguments: Any, **named: Any) -> Any:
        return plain(*map(read, arguments), **named)

    return method


READING = (
    "__add__ __contains__ __delitem__ __eq__ __ge__ __gt__ __iadd__ __imul__ __le__ __lt__ __mul__ __ne__ __reduce_ex__ __repr__"
    " __reversed__ __rmul__ __setitem__ append clear copy count extend index insert pop remove reverse sort"
).split()
"""What a list does for which all of its lines are read."""

for _name in READING:
    setattr(Unread, _name, _once_read(getattr(list, _name)))
