"""What a notebook shows."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
import shardwise
from conftest import Run
from shardwise import _html


def parsed(html: str) -> ElementTree.Element:
    """Fails where it is not well formed."""
    return ElementTree.fromstring(f"<div>{html}</div>")


def test_every_answer_is_shown_well_formed(runs: list[Run]) -> None:
    shown = 0
    for line in runs[0].lines:
        document = json.loads(line)
        if "error" not in document:
            tree = parsed(shardwise.Answer(document)._repr_html_())
            text = "".join(tree.itertext())
            # Sentences are the core's.
            figures = [own.text or "" for own in tree.iter() if own.tag.endswith(("td", "title"))]
            assert len(figures) > 8 and not [own for own in figures if re.search(r"\b(nan|inf|None)\b", own)]
            assert f"{document['memory']['reserved_gib']:.1f} of {document['memory']['capacity_gib']:.1f} GiB" in text
            assert f"{document['tokens_per_s_per_gpu']:,.0f}" in text
            shown += 1
    assert shown > 70


def test_bars_are_as_long_as_their_parts(question: dict[str, Any]) -> None:
    answer = shardwise.estimate(question)
    svg = parsed(answer._repr_html_()).find(".//{http://www.w3.org/2000/svg}svg")
    assert svg is not None
    bars = {}
    for rect in svg.iter("{http://www.w3.org/2000/svg}rect"):
        title = rect.find("{http://www.w3.org/2000/svg}title")
        if title is not None and title.text:
            bars[title.text.split(":")[0].split(", ")[1]] = float(rect.get("width", ""))
    parts = {name: part for name, part in answer["memory"]["parts"].items() if part}
    assert bars.keys() == parts.keys()
    scale = bars["activations"] / parts["activations"]
    for name, part in parts.items():
        assert bars[name] == pytest.approx(part * scale, abs=0.1)


def test_the_verdict_says_how_sure_it_is(runs: list[Run]) -> None:
    states = set()
    for line in runs[0].lines:
        document = json.loads(line)
        if "fit" in document:
            states.add(document["fit"]["state"])
            assert document["fit"]["phase"]
            assert _html.verdict(document).endswith(" %.")
    assert {"fits", "no"} <= states


def test_texts_are_text(question: dict[str, Any]) -> None:
    answer = shardwise.estimate(question)
    answer["caveats"] = [{"id": "x", "text": "<script>alert(1)</script> & more"}]
    answer["plan"]["backend"] = '"><img src=x>'
    shown = answer._repr_html_()
    assert "<script" not in shown and "<img" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in shown
    parsed(shown)


def test_lists_searches_and_texts_are_shown(question: dict[str, Any], broken: dict[str, Any]) -> None:
    plans = shardwise.search(question, limit=2)
    offers = shardwise.search(question, gpu=["h100-sxm", "h200-sxm"])
    assert isinstance(plans, shardwise.Plans) and isinstance(offers, shardwise.Offers)
    found = shardwise.estimate([question, broken], return_exceptions=True)
    for document, said in (
        (plans, "Memory of a GPU"),
        (offers, "h200-sxm"),
        (offers["offers"][0], "Memory of a GPU"),
        (found, "question 1: "),
        (shardwise.catalog("gpus"), "h100-sxm"),
        (shardwise.catalog("models"), " more."),
        (shardwise.flags(question, "verl"), "run_verl_sft.sh"),
        (shardwise.sensitivity(question), "plan."),
        (shardwise.doctor("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB."), "device"),
    ):
        assert said in "".join(parsed(document._repr_html_()).itertext())


def test_a_script_is_shown_with_its_answer_what_helps_and_what_it_lacks() -> None:
    launch = (
        "python3 -m verl.trainer.main_ppo data.train_batch_size=512 trainer.n_gpus_per_node=8 "
        "actor_rollout_ref.rollout.tensor_model_parallel_size=8 actor_rollout_ref.model.path="
    )
    found = shardwise.read(f"{launch}Qwen/Qwen3-8B")
    shown = "".join(parsed(found._repr_html_()).itertext())
    assert "Read as verl" in shown and "GiB on a GPU in phase" in shown
    improved = found["improved"]
    assert improved is not None and improved["diff"] in shown
    lacking = shardwise.read(f"{launch}$HOME/mine")
    shown = "".join(parsed(lacking._repr_html_()).itertext())
    assert lacking["answer"] is None
    assert all(own["why"] in shown for own in lacking["missing"]) and "No text says:" in shown


def test_every_part_has_a_colour_of_its_own_and_the_same_in_each_language(runs: list[Run]) -> None:
    for line in runs[0].lines:
        document = json.loads(line)
        if "error" in document:
            continue
        told = []
        # A translated document has its keys in the order of their names.
        for own in (document, json.loads(json.dumps(document, sort_keys=True))):
            html = shardwise.Answer(own)._repr_html_()
            for svg in parsed(html).iter("{http://www.w3.org/2000/svg}svg"):
                rects = [rect for rect in svg.iter("{http://www.w3.org/2000/svg}rect") if rect.get("height") == "12"]
                colours = [rect.get("fill") for rect in rects]
                assert len(colours) == len(set(colours)), document["plan"]
            told.append(re.findall(r"<svg.*?</svg>", html))
        assert told[0] == told[1] != []
