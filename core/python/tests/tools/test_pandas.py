"""Results as DataFrames."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
import shardwise


def test_an_answer_is_a_row_of_figures_by_their_place(question: dict[str, Any]) -> None:
    questions = [{**question, "hardware": {"gpu": "h100-sxm", "gpus": gpus}} for gpus in (4, 8, 16)]
    answers = shardwise.estimate(questions)
    frame = answers.to_pandas()
    assert list(frame.index) == [0, 1, 2]
    for place, answer in enumerate(answers):
        assert frame["fits"][place] == answer["fits"]
        assert frame["memory.reserved_gib"][place] == answer["memory"]["reserved_gib"]
        assert frame["plan.offload.optimizer"][place] == answer["plan"]["offload"]["optimizer"]
    assert not any(column.startswith(("advice", "caveats", "memory.phases")) for column in frame.columns)
    pandas.testing.assert_frame_equal(frame, shardwise.to_pandas(list(answers)))
    assert len(shardwise.to_pandas(answers[0])) == 1


def test_a_refused_question_is_a_row_with_its_error(question: dict[str, Any], broken: dict[str, Any]) -> None:
    frame = shardwise.estimate([question, broken], return_exceptions=True).to_pandas()
    assert pandas.isna(frame["error.field"][0]) and pandas.isna(frame["fits"][1])
    assert frame["error.field"][1] == "plan.tensor_parallel"


def test_searches_and_the_catalog_are_tables(question: dict[str, Any]) -> None:
    offers = shardwise.search(question, gpu=["h100-sxm", "h200-sxm"], gpus=[8])
    assert isinstance(offers, shardwise.Offers)
    frame = offers.to_pandas()
    assert set(frame["gpu"]) == {"h100-sxm", "h200-sxm"}
    assert list(frame["answer.usd_per_mtok"]) == sorted(frame["answer.usd_per_mtok"])
    plans = shardwise.search(question, limit=3)
    assert isinstance(plans, shardwise.Plans)
    assert len(plans.to_pandas()) == len(plans["plans"])
    gpus = shardwise.catalog("gpus").to_pandas().set_index("id")
    assert gpus.loc["h100-sxm", "memory_gib"] == pytest.approx(79.1, abs=0.1)
    assert gpus.loc["h100-sxm", "source.url"].startswith("https://")


def test_questions_may_come_of_a_table(question: dict[str, Any]) -> None:
    table = pandas.DataFrame({"gpus": [4, 8], "sequence_length": [2048, 4096]})
    asked = [
        {**question, "hardware": {"gpu": "h100-sxm", "gpus": row.gpus}, "workload": {**question["workload"], "sequence_length": row.sequence_length}}
        for row in table.itertuples()
    ]
    assert type(asked[0]["hardware"]["gpus"]) is not str
    elements = [{**one, "hardware": {"gpu": "h100-sxm", "gpus": table["gpus"][place]}} for place, one in enumerate(asked)]
    assert shardwise.estimate(asked) == shardwise.estimate(elements)
