"""Texts in, texts out: every answer is the command line's, byte by byte."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import shardwise
from conftest import Run, program
from shardwise import lines


def test_a_hundred_questions_are_of_every_kind(runs: list[Run], questions: list[str]) -> None:
    answers = [json.loads(line) for line in runs[0].lines]
    asked = [json.loads(text) for text, answer in zip(questions, answers) if "error" not in answer]
    assert len(questions) == 100
    assert 15 <= 100 - len(asked) <= 30
    assert len({question["workload"]["kind"] for question in asked}) >= 12


def test_every_line_is_the_command_lines(runs: list[Run]) -> None:
    compared = 0
    for call, options, inputs, own in runs:
        assert len(own) == len(inputs)
        function = getattr(lines, call)
        found = [function(one, **options) for one in inputs] if call == "read" else function(inputs, **options)
        for asked, line, told in zip(inputs, found, own):
            assert line == told, (call, options, asked)
            compared += 1
    assert compared > 200


def test_one_question_is_answered_as_in_a_list(runs: list[Run]) -> None:
    for text, line in zip(runs[0].inputs[:20], runs[0].lines):
        assert lines.estimate(text) == line


def test_what_else_the_command_line_says_of_a_question(question: dict[str, Any]) -> None:
    text = json.dumps(question)

    def told(*arguments: str) -> str:
        return program(*arguments, text=text).stdout.removesuffix("\n")

    assert lines.sensitivity(text) == told("sensitivity")
    assert lines.sensitivity(text, lang="zh") == told("sensitivity", "--lang", "zh")
    assert lines.explain(text) == told("explain", "--json")
    assert lines.explain(text, figure=["mfu", "memory"]) == told("explain", "--json", "--figure", "mfu", "--figure", "memory")
    assert lines.calibrate(text, step_time_s=4.0, peak_gib=50.0) == told("calibrate", "--step-time-s", "4", "--peak-gib", "50")
    assert lines.calibrate(text, step_time_s=-1.0) == told("calibrate", "--step-time-s=-1")
    assert lines.catalog("gpus") == told("catalog", "gpus").split("\n")


def test_without_advice_the_rest_is_as_with_it(runs: list[Run], questions: list[str], tmp_path: Any) -> None:
    # As the command line answers with efficiencies of one's own, here those that it has.
    file = tmp_path / "efficiency.json"
    file.write_text(program("efficiency").stdout, encoding="utf-8")
    told = program("estimate", "--efficiency", str(file), text="\n".join(questions) + "\n").stdout.split("\n")[:-1]
    assert lines.estimate(questions, advice=False) == told
    advised = 0
    for line, plain in zip(runs[0].lines, told):
        document = json.loads(line)
        advised += bool(document.get("advice"))
        assert {**document, "advice": []} == {**json.loads(plain), "advice": []}
    assert advised > 30


def test_a_log_and_a_traceback_are_read_as_by_the_command_line(question: dict[str, Any], tmp_path: Any) -> None:
    log = "\n".join(f"{{'loss': 1.{step}, 'learning_rate': 1e-05, 'epoch': 0.{step}}}" for step in range(9))
    log += "\n{'train_runtime': 400.0, 'train_samples_per_second': 16.0, 'train_steps_per_second': 0.25, 'train_loss': 1.1, 'epoch': 1.0}\n"
    file = tmp_path / "train.log"
    file.write_text(log, encoding="utf-8")
    text = json.dumps(question)
    own = program("calibrate", "--log", str(file), text=text)
    assert own.returncode == 0, own.stderr
    assert lines.calibrate(text, log=log) == own.stdout.removesuffix("\n")
    error = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB."
    assert lines.doctor(error) == program("doctor", "--json", text=error).stdout.removesuffix("\n")


def test_threads_get_equal_answers(runs: list[Run], questions: list[str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lines.estimate, questions * 3))
    assert found == runs[0].lines * 3


def test_lists_asked_in_threads_are_answered_in_order(runs: list[Run], questions: list[str]) -> None:
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: lines.estimate(questions), range(4)):
            assert found == runs[0].lines


def test_an_empty_list_has_no_answers() -> None:
    assert lines.estimate([]) == []
    assert shardwise.estimate([]) == []
