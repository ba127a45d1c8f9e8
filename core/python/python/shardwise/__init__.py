"""Does it fit, how fast does it go, what does it cost: estimates for fine-tuning and RL-training language models.

A question is a dictionary (`shardwise.types.Question`) or its JSON, and is answered with the command line's document. Every
function that takes a question takes a list of them, too, and answers it on all cores.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core
from ._options import written
from ._unread import Unread, without_collector
from .documents import (
    Answer,
    Diagnosis,
    Offered,
    Offers,
    Plans,
    ReadText,
    Rows,
    Sensitivity,
    Snippets,
    to_pandas,
)
from .errors import QuestionError, ShardwiseError, TextError, UnsupportedError

if TYPE_CHECKING:
    from . import types
    from .types import Question

    # No iterable, as a dictionary is one of texts.
    Many = Sequence[Question | str] | Iterator[Question | str]

__all__ = [
    "Answer",
    "Diagnosis",
    "Offered",
    "Offers",
    "Plans",
    "QuestionError",
    "ReadText",
    "Rows",
    "Sensitivity",
    "ShardwiseError",
    "Snippets",
    "TextError",
    "UnsupportedError",
    "__version__",
    "build",
    "calibrate",
    "catalog",
    "check",
    "doctor",
    "estimate",
    "explain",
    "flags",
    "link",
    "read",
    "search",
    "sensitivity",
    "to_pandas",
]

__version__ = _core.VERSION

build: dict[str, str | None] = {
    "version": _core.VERSION,
    "commit": _core.COMMIT,
    "data": _core.DATA,
    "data_date": _core.DATA_DATE,
    "prices_date": _core.PRICES_DATE,
}
"""Which build this is: its version, the commit where it is known, the version of the data and the dates of their newest figure
and price."""


def _found(line: str, document: Callable[[Any], Any], index: int | None) -> Any:
    """The document of a line, or what it is refused with."""
    own = json.loads(line)
    error = own.get("error")
    if error is not None:
        if "field" in error:
            return QuestionError(error["field"], error["message"], index)
        return TextError(error["line"], error["message"])
    if "unsupported" in own:
        return UnsupportedError("plan.backend", own["unsupported"], index)
    return document(own)


def _one(line: str, document: Callable[[Any], Any]) -> Any:
    found = _found(line, document, None)
    if isinstance(found, ShardwiseError):
        raise found
    return found


def _asked(
    ask: Callable[[list[Any], str], list[str]],
    questions: Any,
    options: Mapping[str, Any],
    document: Callable[[Any], Any],
    return_exceptions: bool,
) -> Any:
    if isinstance(questions, (str, Mapping)):
        return _one(ask([questions], written(options))[0], document)
    lines = ask(list(questions), written(options))
    with without_collector():
        found = Rows(_found(line, document, index) for index, line in enumerate(lines))
    if not return_exceptions:
        for own in found:
            if isinstance(own, ShardwiseError):
                raise own
    return found


def _listed(value: Any) -> Any:
    """What may be one or several, as several."""
    return value if value is None else [value] if isinstance(value, (str, int)) else list(value)


def _plans_or_offers(document: Any) -> Plans | Offers:
    return Plans(document) if "plans" in document else Offers(document)


def _explanations(document: Any) -> Rows[types.Explanation]:
    return Rows(document["explanations"])


def _calibrated(document: Any) -> Any:
    return document


@overload
def estimate(
    question: Question | str,
    *,
    advice: bool = True,
    lang: types.Language | None = None,
) -> Answer: ...
@overload
def estimate(
    question: Many,
    *,
    advice: bool = True,
    lang: types.Language | None = None,
    return_exceptions: Literal[False] = False,
) -> Rows[Answer]: ...
@overload
def estimate(
    question: Many,
    *,
    advice: bool = True,
    lang: types.Language | None = None,
    return_exceptions: Literal[True],
) -> Rows[Answer | QuestionError]: ...
def estimate(
    question: Any,
    *,
    advice: bool = True,
    lang: types.Language | None = None,
    return_exceptions: bool = False,
) -> Any:
    """Answers a question: whether it fits, how fast it is, what it costs, and where memory and time go.

    `advice=False` leaves out what would help, which takes longer than all the rest.

    Of a list the first question that is refused is raised, with its `index`; with `return_exceptions=True` errors stand in the
    list, each in the place of its answer.
    """
    options = {"advice": None if advice else False, "lang": lang}
    if isinstance(question, (str, Mapping)):
        return _asked(_core.estimate, question, options, Answer, return_exceptions)
    found, refused = _core.estimate_many(list(question), written(options))
    for place, line in refused:
        error = _found(line, Answer, place)
        if not return_exceptions:
            raise error
        found[place] = error
    return Unread(found)


@overload
def search(
    question: Question | str,
    *,
    by: types.By | None = None,
    gpu: str | Iterable[str] | None = None,
    gpus: int | Iterable[int] | None = None,
    within_hours: float | None = None,
    within_usd: float | None = None,
    framework: str | None = None,
    limit: int | None = None,
    lang: types.Language | None = None,
) -> Plans | Offers: ...
@overload
def search(
    question: Many,
    *,
    by: types.By | None = None,
    gpu: str | Iterable[str] | None = None,
    gpus: int | Iterable[int] | None = None,
    within_hours: float | None = None,
    within_usd: float | None = None,
    framework: str | None = None,
    limit: int | None = None,
    lang: types.Language | None = None,
    return_exceptions: Literal[False] = False,
) -> Rows[Plans | Offers]: ...
@overload
def search(
    question: Many,
    *,
    by: types.By | None = None,
    gpu: str | Iterable[str] | None = None,
    gpus: int | Iterable[int] | None = None,
    within_hours: float | None = None,
    within_usd: float | None = None,
    framework: str | None = None,
    limit: int | None = None,
    lang: types.Language | None = None,
    return_exceptions: Literal[True],
) -> Rows[Plans | Offers | QuestionError]: ...
def search(
    question: Any,
    *,
    by: types.By | None = None,
    gpu: str | Iterable[str] | None = None,
    gpus: int | Iterable[int] | None = None,
    within_hours: float | None = None,
    within_usd: float | None = None,
    framework: str | None = None,
    limit: int | None = None,
    lang: types.Language | None = None,
    return_exceptions: bool = False,
) -> Any:
    """Searches the best plans of a question; the best offers, where GPU types, numbers of GPUs or a limit are named.

    `gpu="all"` compares every type. `within_hours` finds the cheapest that ends in time, `within_usd` the fastest that can be paid,
    `framework` only plans that it runs. A list of questions is answered as by `estimate`.
    """
    options = {"by": by, "gpu": _listed(gpu), "gpus": _listed(gpus), "within_hours": within_hours, "within_usd": within_usd, "framework": framework, "limit": limit, "lang": lang}
    return _asked(_core.search, question, options, _plans_or_offers, return_exceptions)


@overload
def flags(
    question: Question | str,
    framework: str,
    *,
    version: str | None = None,
    page: str | None = None,
    lang: types.Language | None = None,
) -> Snippets: ...
@overload
def flags(
    question: Many,
    framework: str,
    *,
    version: str | None = None,
    page: str | None = None,
    lang: types.Language | None = None,
    return_exceptions: Literal[False] = False,
) -> Rows[Snippets]: ...
@overload
def flags(
    question: Many,
    framework: str,
    *,
    version: str | None = None,
    page: str | None = None,
    lang: types.Language | None = None,
    return_exceptions: Literal[True],
) -> Rows[Snippets | QuestionError]: ...
def flags(
    question: Any,
    framework: str,
    *,
    version: str | None = None,
    page: str | None = None,
    lang: types.Language | None = None,
    return_exceptions: bool = False,
) -> Any:
    """Writes what to paste into a framework: verl, deepspeed, trl and others, of the newest version or of the one named.

    `print(shardwise.flags(question, "verl").text)`. A framework that cannot run the plan raises `UnsupportedError`. `page` is the
    calculator's address, for the link in the text's head. A list of questions is answered as by `estimate`.
    """
    options = {"framework": framework, "version": version, "page": page, "lang": lang}
    return _asked(_core.flags, question, options, Snippets, return_exceptions)


@overload
def link(question: Question | str, *, page: str = "") -> str: ...
@overload
def link(question: Many, *, page: str = "", return_exceptions: Literal[False] = False) -> Rows[str]: ...
@overload
def link(question: Many, *, page: str = "", return_exceptions: Literal[True]) -> Rows[str | QuestionError]: ...
def link(question: Any, *, page: str = "", return_exceptions: bool = False) -> Any:
    """Writes the link that opens a question in the calculator: its part from `#` on, behind the address of `page`.

    A copied link is a question, too. A list of questions is answered as by `estimate`.
    """

    def ask(questions: list[Any], _: str) -> list[str]:
        return _core.link(questions, False)

    return _asked(ask, question, {}, lambda own: f"{page}#{own['link']}", return_exceptions)


@overload
def sensitivity(
    question: Question | str,
    *,
    lang: types.Language | None = None,
) -> Sensitivity: ...
@overload
def sensitivity(
    question: Many,
    *,
    lang: types.Language | None = None,
    return_exceptions: Literal[False] = False,
) -> Rows[Sensitivity]: ...
@overload
def sensitivity(
    question: Many,
    *,
    lang: types.Language | None = None,
    return_exceptions: Literal[True],
) -> Rows[Sensitivity | QuestionError]: ...
def sensitivity(
    question: Any,
    *,
    lang: types.Language | None = None,
    return_exceptions: bool = False,
) -> Any:
    """Says what each single change of a question's plan is worth, and what makes a plan fit that does not.

    A list of questions is answered as by `estimate`.
    """
    options = {"lang": lang}
    return _asked(_core.sensitivity, question, options, Sensitivity, return_exceptions)


@overload
def explain(
    question: Question | str,
    *,
    figure: str | Iterable[str] | None = None,
    lang: types.Language | None = None,
) -> Rows[types.Explanation]: ...
@overload
def explain(
    question: Many,
    *,
    figure: str | Iterable[str] | None = None,
    lang: types.Language | None = None,
    return_exceptions: Literal[False] = False,
) -> Rows[Rows[types.Explanation]]: ...
@overload
def explain(
    question: Many,
    *,
    figure: str | Iterable[str] | None = None,
    lang: types.Language | None = None,
    return_exceptions: Literal[True],
) -> Rows[Rows[types.Explanation] | QuestionError]: ...
def explain(
    question: Any,
    *,
    figure: str | Iterable[str] | None = None,
    lang: types.Language | None = None,
    return_exceptions: bool = False,
) -> Any:
    """Says how figures of a question's answer come about: the formula with its numbers put in, its sources, its measured error.

    A figure is `mfu`, `usd_per_mtok`, `memory`, `time.rollout.decode` and so on; all of them where none is named. A list of questions
    is answered as by `estimate`.
    """
    options = {"figure": _listed(figure), "lang": lang}
    return _asked(_core.explain, question, options, _explanations, return_exceptions)


@overload
def calibrate(
    question: Question | str,
    *,
    forward_s: float | None = None,
    backward_s: float | None = None,
    step_time_s: float | None = None,
    peak_gib: float | None = None,
    log: str | None = None,
    lang: types.Language | None = None,
) -> types.CalibratedRun: ...
@overload
def calibrate(
    question: Many,
    *,
    forward_s: float | None = None,
    backward_s: float | None = None,
    step_time_s: float | None = None,
    peak_gib: float | None = None,
    log: str | None = None,
    lang: types.Language | None = None,
    return_exceptions: Literal[False] = False,
) -> Rows[types.CalibratedRun]: ...
@overload
def calibrate(
    question: Many,
    *,
    forward_s: float | None = None,
    backward_s: float | None = None,
    step_time_s: float | None = None,
    peak_gib: float | None = None,
    log: str | None = None,
    lang: types.Language | None = None,
    return_exceptions: Literal[True],
) -> Rows[types.CalibratedRun | QuestionError]: ...
def calibrate(
    question: Any,
    *,
    forward_s: float | None = None,
    backward_s: float | None = None,
    step_time_s: float | None = None,
    peak_gib: float | None = None,
    log: str | None = None,
    lang: types.Language | None = None,
    return_exceptions: bool = False,
) -> Any:
    """Lays a run beside its estimate: MFU, by how much the estimate is off, and the question calibrated with it.

    What was measured are seconds, `peak_gib` of `torch.cuda.max_memory_allocated`, or the text of a `log` of veRL, Hugging Face's
    Trainer or Megatron-LM. Estimates of the result's `question` follow the run. A log that cannot be read raises `TextError`. A list
    of questions is answered as by `estimate`.
    """
    options = {"forward_s": forward_s, "backward_s": backward_s, "step_time_s": step_time_s, "peak_gib": peak_gib, "log": log, "lang": lang}
    return _asked(_core.calibrate, question, options, _calibrated, return_exceptions)


def read(
    texts: str | Iterable[str],
    *,
    gpu: str | None = None,
    model: str | None = None,
    lang: types.Language | None = None,
) -> ReadText:
    """Reads the texts of one run, a script or a configuration with its command, back into a question.

    No text names the GPU: `gpu` does, h100-sxm unless it is named. A text that is no framework's raises `TextError`.
    """
    options = written({"gpu": gpu, "model": model, "lang": lang})
    found: ReadText = _one(_core.read([texts] if isinstance(texts, str) else list(texts), options), ReadText)
    return found


def doctor(
    texts: str | Iterable[str],
    *,
    gpu: str | None = None,
    model: str | None = None,
    lang: types.Language | None = None,
) -> Diagnosis:
    """Says where memory ran out and what would help, by a traceback, a log or a message of the kernel, and the script of the run.

    A text in which no memory ran out raises `TextError`.
    """
    options = written({"gpu": gpu, "model": model, "lang": lang})
    found: Diagnosis = _one(_core.doctor([texts] if isinstance(texts, str) else list(texts), options), Diagnosis)
    return found


def check(
    texts: str | Iterable[str],
    *,
    gpu: str | None = None,
    gpus: int | None = None,
    model: str | None = None,
    confidence: float | None = None,
    steps: int | None = None,
    deadline_h: float | None = None,
    budget_usd: float | None = None,
    usd_per_gpu_hour: float | None = None,
    offer: str | None = None,
    lang: types.Language | None = None,
) -> types.Checked:
    """Decides, before it runs, whether a script or configuration fits, ends in time and is paid for.

    `verdict` is fits, tight, unknown or unfit; `says` tells why, `findings` where. The GPU is h100-sxm unless it is named. A text that is
    no framework's is unknown; an option that is wrong raises `QuestionError`.
    """
    options = written(
        {
            "gpu": gpu,
            "gpus": gpus,
            "model": model,
            "confidence": confidence,
            "steps": steps,
            "deadline_h": deadline_h,
            "budget_usd": budget_usd,
            "usd_per_gpu_hour": usd_per_gpu_hour,
            "offer": offer,
            "lang": lang,
        }
    )
    found: types.Checked = _one(_core.check([texts] if isinstance(texts, str) else list(texts), options), dict)
    return found


@overload
def catalog(table: Literal["gpus"]) -> Rows[types.GpuRow]: ...
@overload
def catalog(table: Literal["models"]) -> Rows[types.ModelRow]: ...
@overload
def catalog(table: Literal["nodes"]) -> Rows[types.NodeRow]: ...
@overload
def catalog(table: Literal["prices"]) -> Rows[types.PriceRow]: ...
@overload
def catalog(table: Literal["offers"]) -> Rows[types.OfferRow]: ...
def catalog(table: str) -> Any:
    """The rows of a table of the catalog, each with its source: gpus, models, nodes, prices or offers."""
    return Rows(_one(line, dict) for line in _core.catalog(table).split("\n"))
