"""Lists of answers whose lines are read as they are looked at: of thousands, reading all takes longer than answering them."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

from .documents import Answer, Rows

_AT_ONCE = 64
"""Answers that a loop reads at once."""


class Unread(Rows[Any]):
    """Answers, each of which stands there as its line until it is looked at: a text, which no answer is.

    Its length, an element and a loop leave the others as lines. For whatever else a list does all are read first, and it is one of
    `Rows` from then on.
    """

    def __init__(self, lines: list[str], errors: Mapping[int, Exception]) -> None:
        super().__init__(lines)
        for place, error in errors.items():
            list.__setitem__(self, place, error)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return read(self)[place]
        found = list.__getitem__(self, place)
        if isinstance(found, str):
            found = Answer(json.loads(found))
            list.__setitem__(self, place, found)
        return found

    def __iter__(self) -> Iterator[Any]:
        place = 0
        while place < len(self):
            with without_collector():
                found = [self[own] for own in range(place, min(place + _AT_ONCE, len(self)))]
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


def read(rows: Any) -> Any:
    """Reads all lines of a list that has some; whatever else it is given it leaves as it is."""
    if type(rows) is Unread:
        with without_collector():
            for place in range(len(rows)):
                rows[place]
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
