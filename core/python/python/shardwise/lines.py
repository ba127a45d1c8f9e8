"""The same functions with texts for documents: a question as JSON in, the command line's line out, byte by byte.

For those who keep answers as they are, and for many of them: nothing is made into dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, overload

from . import _core
from ._options import written

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types

_Ask = Callable[[list[str], str], list[str]]


def _asked(ask: _Ask, questions: str | Iterable[str], options: dict[str, Any]) -> Any:
    if isinstance(questions, str):
        return ask([questions], written(options))[0]
    return ask(list(questions), written(options))


@overload
def estimate(questions: str, **options: Unpack[types.EstimateOptions]) -> str: ...
@overload
def estimate(questions: Sequence[str], **options: Unpack[types.EstimateOptions]) -> list[str]: ...
def estimate(questions: Any, **options: Any) -> Any:
    """Answers questions."""
    return _asked(_core.estimate, questions, options)


@overload
def search(questions: str, **options: Unpack[types.SearchOptions]) -> str: ...
@overload
def search(questions: Sequence[str], **options: Unpack[types.SearchOptions]) -> list[str]: ...
def search(questions: Any, **options: Any) -> Any:
    """Searches the best plans of questions, or the best offers."""
    return _asked(_core.search, questions, options)


@overload
def flags(questions: str, **options: Unpack[types.FlagsOptions]) -> str: ...
@overload
def flags(questions: Sequence[str], **options: Unpack[types.FlagsOptions]) -> list[str]: ...
def flags(questions: Any, **options: Any) -> Any:
    """Writes what to paste into a framework."""
    return _asked(_core.flags, questions, options)


@overload
def sensitivity(questions: str, **options: Unpack[types.SensitivityOptions]) -> str: ...
@overload
def sensitivity(questions: Sequence[str], **options: Unpack[types.SensitivityOptions]) -> list[str]: ...
def sensitivity(questions: Any, **options: Any) -> Any:
    """Says what each single change of the questions' plans is worth."""
    return _asked(_core.sensitivity, questions, options)


@overload
def explain(questions: str, **options: Unpack[types.ExplainOptions]) -> str: ...
@overload
def explain(questions: Sequence[str], **options: Unpack[types.ExplainOptions]) -> list[str]: ...
def explain(questions: Any, **options: Any) -> Any:
    """Says how figures of the questions' answers come about."""
    return _asked(_core.explain, questions, options)


@overload
def calibrate(questions: str, **options: Unpack[types.CalibrateOptions]) -> str: ...
@overload
def calibrate(questions: Sequence[str], **options: Unpack[types.CalibrateOptions]) -> list[str]: ...
def calibrate(questions: Any, **options: Any) -> Any:
    """Lays a run beside its estimate."""
    return _asked(_core.calibrate, questions, options)


def read(texts: str | Iterable[str], **options: Unpack[types.ReadOptions]) -> str:
    """Reads the texts of one run back into a question."""
    return _core.read([texts] if isinstance(texts, str) else list(texts), written(options))


def doctor(texts: str | Iterable[str], **options: Unpack[types.ReadOptions]) -> str:
    """Says where memory ran out, and what would help."""
    return _core.doctor([texts] if isinstance(texts, str) else list(texts), written(options))


def check(texts: str | Iterable[str], **options: Unpack[types.CheckOptions]) -> str:
    """Decides whether the texts of one run fit, end in time and are paid for."""
    return _core.check([texts] if isinstance(texts, str) else list(texts), written(options))


def catalog(table: types.Table) -> list[str]:
    """The rows of a table of the catalog."""
    return _core.catalog(table).split("\n")
