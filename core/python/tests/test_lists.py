"""Lists of questions as dictionaries, and of answers, which are read as they are looked at and else are lists like any."""

from __future__ import annotations

import copy
import gc
import json
import pickle
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import shardwise
from conftest import Run
from shardwise import _core, _unread, lines
from shardwise._core import Estimated

# What every object has, or a list does without its elements, or by those methods that read them.
HARMLESS = (
    "__class__ __class_getitem__ __delattr__ __dir__ __doc__ __format__ __getattribute__ __getstate__ __hash__ __init__ __init_subclass__"
    " __len__ __new__ __reduce__ __setattr__ __sizeof__ __str__ __subclasshook__"
).split()


@pytest.fixture
def asked(question: dict[str, Any]) -> list[dict[str, Any]]:
    lengths = range(1024, 1024 + 150)
    return [{**question, "workload": {**question["workload"], "sequence_length": length}} for length in lengths]


@pytest.fixture
def plain(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers, read by another way."""
    return [json.loads(line) for line in lines.estimate([json.dumps(own) for own in asked], advice=False)]


def is_read(rows: Any) -> list[bool]:
    """Which elements were looked at."""
    return [not isinstance(own, Estimated) for own in list.__iter__(rows)]


def test_every_method_of_a_list_is_decided_on() -> None:
    own = {"__getitem__", "__iter__", *_unread.READING, *HARMLESS}
    assert set(dir(list)) <= own, set(dir(list)) - own


def test_only_what_is_looked_at_is_read(asked: list[dict[str, Any]], plain: list[dict[str, Any]]) -> None:
    rows = shardwise.estimate(asked, advice=False)
    assert isinstance(rows, shardwise.Rows) and isinstance(rows, list) and len(rows) == len(plain)
    assert not any(is_read(rows))
    assert rows[3] == plain[3] and rows[-1] == plain[-1] and rows[3] is rows[3]
    assert isinstance(rows[3], shardwise.Answer)
    assert sum(is_read(rows)) == 2
    rows[3]["note"] = "kept"
    assert [own["step_time_s"] for own in rows] == [own["step_time_s"] for own in plain]
    assert rows[3]["note"] == "kept"
    with pytest.raises(IndexError):
        rows[len(plain)]


@pytest.mark.parametrize(
    "use",
    [
        list,
        tuple,
        copy.copy,
        copy.deepcopy,
        json.dumps,
        lambda rows: json.dumps(rows, indent=1),
        lambda rows: pickle.loads(pickle.dumps(rows)),
        lambda rows: [*rows],
        lambda rows: (lambda *all: all)(*rows),
        lambda rows: rows[5:80],
        lambda rows: rows[::-1],
        lambda rows: rows + [1],
        lambda rows: [1] + rows,
        lambda rows: rows * 2,
        lambda rows: 2 * rows,
        lambda rows: list(reversed(rows)),
        lambda rows: sorted(rows, key=lambda own: -own["step_time_s"]),
        lambda rows: rows.sort(key=lambda own: -own["step_time_s"]) or rows,
        lambda rows: rows.reverse() or rows,
        lambda rows: rows.pop(),
        lambda rows: rows.copy(),
        lambda rows: rows.append("text") or rows,
        lambda rows: rows.extend(rows[:2]) or rows,
        lambda rows: rows.insert(0, {}) or rows,
        lambda rows: rows.remove(rows[4]) or rows,
        lambda rows: rows.index(rows[7]),
        lambda rows: rows.count(rows[7]),
        lambda rows: rows[7] in rows,
        lambda rows: rows.__setitem__(0, 1) or rows,
        lambda rows: rows.__delitem__(0) or rows,
        lambda rows: max(rows, key=lambda own: own["step_time_s"]),
        lambda rows: dict(enumerate(rows)),
        lambda rows: rows == rows.copy(),
        repr,
        str,
        bool,
        len,
    ],
)
def test_it_is_a_list_like_any(
    use: Callable[[Any], Any], asked: list[dict[str, Any]], plain: list[dict[str, Any]]
) -> None:
    assert use(shardwise.estimate(asked, advice=False)) == use(plain)


def test_two_that_are_not_read_are_compared_and_joined(asked: list[dict[str, Any]], plain: list[dict[str, Any]]) -> None:
    def rows() -> shardwise.Rows[shardwise.Answer]:
        return shardwise.estimate(asked, advice=False)

    assert rows() == rows() and rows() == plain and plain == rows()
    assert not rows() != rows()
    assert rows() + rows() == plain + plain
    joined: list[Any] = []
    joined += rows()
    joined[0:0] = rows()
    joined.extend(rows())
    assert joined == plain * 3


def test_the_collector_is_left_as_it_was(asked: list[dict[str, Any]]) -> None:
    for enabled in (False, True):
        (gc.enable if enabled else gc.disable)()
        for _ in shardwise.estimate(asked, advice=False):
            assert gc.isenabled() == enabled
    gc.enable()


def test_a_hundred_dictionaries_are_answered_as_the_command_line_does(runs: list[Run], questions: list[str]) -> None:
    compared = 0
    documents = []
    for text, line in zip(questions, runs[0].lines):
        try:
            own = json.loads(text)
        except ValueError:
            continue
        # One that has a key twice is a question of one dictionary alone.
        if isinstance(own, dict) and "twice" not in line:
            documents.append((own, line))
    found = shardwise.estimate([own for own, _ in documents], return_exceptions=True)
    kept = [own for own in list.__iter__(found) if isinstance(own, Estimated)]
    written = iter(_core.written(kept))
    for own, (_, line) in zip(list.__iter__(found), documents):
        told = json.loads(line)
        if "error" in told:
            assert (own.field, own.message) == (told["error"]["field"], told["error"]["message"])
        else:
            assert next(written) == line
            compared += 1
    assert compared > 60


@pytest.mark.parametrize("options", [{}, {"advice": False}, {"lang": "zh"}])
def test_stated_plans_and_searched_ones_are_written_alike(question: dict[str, Any], options: dict[str, Any]) -> None:
    plan = shardwise.estimate(question)["plan"]
    asked = [question, {**question, "plan": plan}, {**question, "plan": {"backend": "fsdp"}}, {**question, "plan": {**plan, "micro_batch": 64}}]
    told = lines.estimate([json.dumps(own) for own in asked], **options)
    assert _core.written(list(list.__iter__(shardwise.estimate(asked, **options)))) == told
    assert shardwise.estimate(asked, **options) == [json.loads(line) for line in told]
    assert [shardwise.estimate(own, **options) for own in asked] == [json.loads(line) for line in told]


def test_threads_see_the_same_answers(asked: list[dict[str, Any]], plain: list[dict[str, Any]]) -> None:
    rows = shardwise.estimate(asked, advice=False)
    uses: list[Callable[[int], Any]] = [lambda _: list(iter(rows)), lambda place: [rows[place]], lambda _: rows.copy()]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda place: uses[place % 3](place), range(30)))
    assert found == [[plain[place]] if place % 3 == 1 else plain for place in range(30)]
    assert type(rows) is shardwise.Rows and all(is_read(rows))


class Text(str):
    """A text of a type of one's own."""


class Number(int):
    """A number likewise."""


def test_whatever_json_writes_is_asked(question: dict[str, Any]) -> None:
    answer = shardwise.estimate(question)
    workload = {Text("kind"): Text("sft"), "sequence_length": Number(4096), "global_batch": 64.0, "tokens": 10**9, "packing": None}
    for own in (
        OrderedDict(question),
        {Text(key): value for key, value in question.items()},
        {**question, "workload": {**question["workload"], **workload}},
        {**question, "model": Text("qwen3-8b")},
    ):
        assert shardwise.estimate([own])[0] == answer == shardwise.estimate(own)
    config = {"architectures": ("Qwen3ForCausalLM",), "名": "模型 \u2028 \"\\\n\x00", "deep": {"list": [[], {}, [None, True, False]]}}
    with_config = {**question, "model": {**config, "hidden_size": 10**30, "num_hidden_layers": float("nan")}}
    found, by_json = (shardwise.estimate(own, return_exceptions=True) for own in ([with_config], [json.dumps(with_config)]))
    assert (found[0].field, found[0].message) == (by_json[0].field, by_json[0].message)


def test_what_holds_itself_is_refused(question: dict[str, Any]) -> None:
    question["model"] = question
    with pytest.raises((ValueError, RecursionError)):
        shardwise.estimate([question])


def test_the_first_that_is_refused_is_raised(question: dict[str, Any], broken: dict[str, Any]) -> None:
    with pytest.raises(shardwise.QuestionError) as caught:
        shardwise.estimate(own for own in (question, broken, {}))
    assert caught.value.index == 1
    found = shardwise.estimate([broken, question], return_exceptions=True, lang="zh")
    assert isinstance(found[0], shardwise.QuestionError) and found[0].index == 0
    assert isinstance(found[1], shardwise.Answer)
