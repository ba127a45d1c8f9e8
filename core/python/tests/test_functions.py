"""Dictionaries in, dictionaries out."""

from __future__ import annotations

import copy
import json
import pickle
import signal
import threading
import time
from typing import Any

import pytest
import shardwise
from conftest import Run, program
from shardwise import lines

VERL = "python3 -m verl.trainer.main_ppo data.train_batch_size=512 actor_rollout_ref.model.path=Qwen/Qwen3-8B trainer.n_gpus_per_node=8"


def test_an_answer_is_the_lines_document(question: dict[str, Any]) -> None:
    answer = shardwise.estimate(question)
    assert answer == json.loads(lines.estimate(json.dumps(question)))
    assert answer == shardwise.estimate(json.dumps(question))
    assert isinstance(answer, shardwise.Answer)
    assert answer["fits"] is True


def test_documents_can_be_copied_and_sent(question: dict[str, Any]) -> None:
    for document in (shardwise.estimate(question), shardwise.search(question, limit=2), shardwise.search(question, gpus=[8])):
        for other in (pickle.loads(pickle.dumps(document)), copy.deepcopy(document)):
            assert other == document and type(other) is type(document)


def test_a_list_has_the_answers_in_order(runs: list[Run], questions: list[str]) -> None:
    found = shardwise.estimate(questions, return_exceptions=True)
    for index, (own, line) in enumerate(zip(found, runs[0].lines)):
        told = json.loads(line)
        if "error" in told:
            assert isinstance(own, shardwise.QuestionError)
            assert (own.field, own.message, own.index) == (told["error"]["field"], told["error"]["message"], index)
        else:
            assert own == told


def test_a_refused_question_is_raised(question: dict[str, Any], broken: dict[str, Any]) -> None:
    with pytest.raises(shardwise.QuestionError) as caught:
        shardwise.estimate(broken)
    told = json.loads(program("estimate", text=json.dumps(broken)).stdout)["error"]
    assert isinstance(caught.value, ValueError)
    assert (caught.value.field, caught.value.message, caught.value.index) == (told["field"], told["message"], None)
    assert str(caught.value) == f"{told['field']}: {told['message']}"
    with pytest.raises(shardwise.QuestionError, match="^question 1: ") as caught:
        shardwise.estimate([question, broken])
    assert caught.value.index == 1
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.index) == (str(caught.value), 1)


@pytest.mark.parametrize(
    ("message", "remedy"),
    [
        ("32 heads do not split in 3. Give 2 or 4.", "Give 2 or 4."),
        ("32 个注意力头不能分成 3 份。请填 2 或 4。", "请填 2 或 4。"),
        ('"a" is not in the catalog. Did you mean "b"? For another give an object.', 'Did you mean "b"? For another give an object.'),
        ('"qwen3.5" is at 0.5 of it, e.g. half. Give 1.5 or more.', "Give 1.5 or more."),
        ("Must be at least 1.", "Must be at least 1."),
    ],
)
def test_what_to_do_is_what_follows_the_first_sentence(message: str, remedy: str) -> None:
    assert shardwise.QuestionError("plan", message).remedy == remedy


def test_a_wrong_option_names_itself(question: dict[str, Any]) -> None:
    with pytest.raises(shardwise.QuestionError) as caught:
        shardwise.search(question, limit="many")
    assert caught.value.field == "limit"
    with pytest.raises(shardwise.QuestionError) as caught:
        shardwise.search(question, within_hours=1.0, within_usd=1.0)
    assert caught.value.field == "within_usd"
    with pytest.raises(TypeError):
        shardwise.search(question, best=3)


def test_one_gpu_type_or_number_needs_no_list(question: dict[str, Any]) -> None:
    found = shardwise.search(question, gpu="h200-sxm", gpus=16, limit=1)
    assert isinstance(found, shardwise.Offers)
    assert [(own["gpu"], own["gpus"]) for own in found["offers"]] == [("h200-sxm", 16)]
    assert isinstance(found["offers"][0]["answer"], shardwise.Answer)
    assert found == shardwise.search(question, gpu=["h200-sxm"], gpus=(16,), limit=1)


def test_plans_are_answers(question: dict[str, Any]) -> None:
    found = shardwise.search(question, limit=3)
    assert isinstance(found, shardwise.Plans)
    assert 1 <= len(found["plans"]) <= 3
    assert all(isinstance(plan, shardwise.Answer) for plan in found["plans"])


def test_flags_are_the_text_that_is_printed(question: dict[str, Any]) -> None:
    found = shardwise.flags(question, "verl")
    assert found.text + "\n" == program("flags", "--for", "verl", text=json.dumps(question)).stdout


def test_a_framework_that_cannot_run_it_is_an_error_of_its_own(runs: list[Run]) -> None:
    unsupported = 0
    for call, options, inputs, own in runs:
        if call == "flags":
            for text, line in zip(inputs, own):
                told = json.loads(line)
                if "unsupported" in told:
                    with pytest.raises(shardwise.UnsupportedError) as caught:
                        shardwise.flags(text, **options)
                    assert caught.value.message == told["unsupported"]
                    unsupported += 1
    assert unsupported > 3


def test_a_script_is_read_and_what_is_none_is_refused() -> None:
    found = shardwise.read(VERL, gpu="h200-sxm")
    assert found["framework"] == "verl"
    assert found["question"]["hardware"]["gpu"] == "h200-sxm"
    assert isinstance(found["answer"], shardwise.Answer)
    assert found["answer"] == shardwise.estimate(found["question"])
    assert shardwise.read([VERL], gpu="h200-sxm") == found
    with pytest.raises(shardwise.TextError) as caught:
        shardwise.read("ls")
    assert caught.value.message and str(caught.value).startswith(("line ", caught.value.message[:10]))
    with pytest.raises(shardwise.QuestionError) as wrong:
        shardwise.read(VERL, lang="eo")
    assert wrong.value.field == "lang"


def test_a_script_is_checked_before_it_runs() -> None:
    script = VERL + " trainer.total_training_steps=100"
    found = shardwise.check(script, gpu="h200-sxm")
    assert found["verdict"] == "fits" and found["answer"] is not None
    late = shardwise.check([script], gpu="h200-sxm", deadline_h=0.001)
    assert late["verdict"] == "unfit" and late["findings"][0]["rule"] == "deadline"
    assert shardwise.check("ls")["verdict"] == "unknown"
    with pytest.raises(shardwise.QuestionError) as wrong:
        shardwise.check(script, gpu="h1000")
    assert wrong.value.field == "gpu"


def test_a_traceback_is_diagnosed() -> None:
    found = shardwise.doctor("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB.")
    assert found["place"] == "device" and found["mends"]
    with pytest.raises(shardwise.TextError):
        shardwise.doctor("all is well")


def test_a_run_calibrates_its_question(question: dict[str, Any]) -> None:
    before = shardwise.estimate(question)
    run = shardwise.calibrate(question, step_time_s=2 * before["step_time_s"])
    after = shardwise.estimate(run["question"])
    assert after["step_time_s"] == pytest.approx(2 * before["step_time_s"])
    with pytest.raises(shardwise.TextError):
        shardwise.calibrate(question, log="nothing of the kind")


def test_sensitivity_and_explanations(question: dict[str, Any]) -> None:
    found = shardwise.sensitivity(question)
    assert found["changes"] and found["now"]["fits"]
    (mfu,) = shardwise.explain(question, figure="mfu")
    assert mfu["figure"] == "mfu"
    assert mfu["value"] == pytest.approx(shardwise.estimate(question)["mfu"])
    assert len(shardwise.explain(question)) > 5
    with pytest.raises(shardwise.QuestionError) as caught:
        shardwise.explain(question, figure="luck")
    assert caught.value.field == "figure"


def test_tables_of_the_catalog() -> None:
    assert any(row["id"] == "h100-sxm" for row in shardwise.catalog("gpus"))
    for table in ("models", "nodes", "prices", "offers"):
        assert shardwise.catalog(table)
    with pytest.raises(shardwise.QuestionError) as caught:
        shardwise.catalog("cards")
    assert caught.value.field == "table"


def test_it_speaks_chinese(broken: dict[str, Any]) -> None:
    with pytest.raises(shardwise.QuestionError) as caught:
        shardwise.estimate(broken, lang="zh")
    assert any("\u4e00" <= letter <= "\u9fff" for letter in caught.value.message)


class Element:
    """As NumPy's numbers are: no number of Python's."""

    def __init__(self, value: int) -> None:
        self.value = value

    def item(self) -> int:
        return self.value


def test_numbers_of_other_libraries_are_numbers(question: dict[str, Any]) -> None:
    own = {**question, "hardware": {"gpu": "h100-sxm", "gpus": Element(8)}}
    assert shardwise.estimate(own) == shardwise.estimate(question)
    with pytest.raises(TypeError, match="A question holds no set"):
        shardwise.estimate({**question, "model": {1}})


def test_a_question_without_numbers_is_refused(question: dict[str, Any]) -> None:
    for value in (float("nan"), float("inf"), "\ud800"):
        with pytest.raises((shardwise.QuestionError, UnicodeEncodeError)):
            shardwise.estimate({**question, "workload": {"kind": "sft", "sequence_length": value}})


def test_other_threads_run_while_it_computes(question: dict[str, Any]) -> None:
    counted: list[float] = []
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            counted.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    lines.search(json.dumps(question), gpu=["all"], gpus=[8, 16])
    end = time.perf_counter()
    done.set()
    thread.join()
    during = [at for at in counted if start < at < end]
    # Of a thread that waits for the lock until the search has ended there would be none.
    assert len(during) > 5, (end - start, len(during))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such timer")
def test_ctrl_c_ends_many_questions(question: dict[str, Any]) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, pressed)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            lines.search([json.dumps(question)] * 100_000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
