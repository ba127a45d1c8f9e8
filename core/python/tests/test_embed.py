"""What a page of documentation shows, whatever builds it."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
import shardwise
from conftest import program
from shardwise import QuestionError, _embed

SITE = "https://docs.example.org/shardwise/"
OPTIONS = {"model": "qwen3-8b", "gpu": "h200-sxm", "gpus": "16", "workload": "grpo"}


def refused(options: dict[str, str], body: str = "") -> QuestionError:
    with pytest.raises(QuestionError) as error:
        _embed.embed(options, body, "en")
    return error.value


def test_the_link_is_the_command_lines(question: dict[str, Any]) -> None:
    link = program("link", text=json.dumps(question)).stdout.strip()
    assert shardwise.link(question) == link
    assert shardwise.link(question, page=SITE) == SITE + link
    assert shardwise.link([question, question], page=SITE) == [SITE + link] * 2
    # And a question again: the same one.
    assert shardwise.link(SITE + link) == link
    with pytest.raises(QuestionError, match="workload.rl"):
        shardwise.link({**question, "workload": {**question["workload"], "rl": {"prompts_per_step": 1}}})


def test_options_are_a_question_with_what_is_usual() -> None:
    own = _embed.embed(OPTIONS, "", "en")
    rl = {"prompts_per_step": 512, "max_prompt_length": 1024, "max_response_length": 3072}
    whole = {"version": 1, "model": "qwen3-8b", "hardware": {"gpu": "h200-sxm", "gpus": 16}, "workload": {"kind": "grpo", "rl": rl}}
    assert "#" + own.link == shardwise.link(whole)
    answer = shardwise.estimate(whole, advice=False)
    rows = dict(own.rows)
    assert list(rows) == ["Question", "Fits", "Plan", "Speed", "Cost"]
    assert rows["Question"] == "16 × NVIDIA H200 SXM 141GB, Qwen3 8B, grpo"
    assert f"{answer['memory']['reserved_gib']:.1f} of {answer['memory']['capacity_gib']:.1f} GiB" in rows["Fits"]
    found = re.match(r"([\d,]+) tokens/s per GPU", rows["Speed"])
    assert found and float(found[1].replace(",", "")) == pytest.approx(answer["tokens_per_s_per_gpu"], rel=5e-3)
    assert f"${answer['usd_per_mtok']:.3f} per million tokens" in rows["Cost"]
    assert answer["data"]["version"] in own.source and shardwise.__version__ in own.source


def test_a_question_below_the_options_and_a_copied_link_say_the_same() -> None:
    own = _embed.embed(OPTIONS, "", "en")
    below = {"model": "qwen3-8b", "hardware": {"gpus": 16}, "workload": {"kind": "grpo"}}
    assert _embed.embed({"gpu": "h200-sxm"}, json.dumps(below), "en").link == own.link
    for link in (f"{SITE}#{own.link}", f"#{own.link}", own.link):
        assert _embed.embed({"panels": "verdict"}, link, "en").link == own.link


def test_every_workload_has_its_table_in_both_languages() -> None:
    schema = json.loads(program("schema").stdout)
    kinds = [one["const"] for one in schema["question"]["$defs"]["WorkloadKind"]["oneOf"]]
    assert len(kinds) > 15
    for kind in kinds:
        for lang in ("en", "zh"):
            own = _embed.embed({**OPTIONS, "workload": kind, "language": lang}, "", "en")
            text = " ".join(value for _, value in own.rows)
            assert kind in text and not re.search(r"\b(nan|inf|None)\b", text)
            assert re.search(r"[一-鿿]", text + own.source) is not None if lang == "zh" else text.isascii() or "×" in text
            assert own.attributes["lang"] == lang


def test_what_does_not_fit_says_so() -> None:
    large = {"model": "llama-3.1-405b", "gpu": "l40s", "gpus": "1", "workload": "grpo"}
    assert dict(_embed.embed(large, "", "en").rows)["Fits"].startswith("no: ")
    assert dict(_embed.embed(large, "", "zh").rows)["是否放得下"].startswith("放不下：")


@pytest.mark.parametrize(
    ("options", "body", "field", "says"),
    [
        ({"gpu": "h1000"}, "", "gpu", "h100"),
        ({"model": "qwen3-9b"}, "", "model", "qwen3-8b"),
        ({"workload": "grpoo"}, "", "workload", "grpo"),
        ({"gpus": "many"}, "", "gpus", "no number"),
        ({"gpus": "0"}, "", "gpus", ""),
        ({"card": "x"}, "", "card", "There are model, gpu"),
        ({"theme": "red"}, "", "theme", "auto, light, dark"),
        ({"height": "1em"}, "", "height", "pixels"),
        ({"gpu": "h100-sxm"}, '{"model": "qwen3-8b", "hardware": {"gpu": "h100-sxm"}}', "gpu", "Leave one out"),
        ({"gpu": "h100-sxm"}, "#v=1&z=1", "gpu", "The link below says it"),
        ({}, '{"model": ', "question", "line 1, column"),
        ({}, '{"model": "qwen3-8b", "hardware": {"gpu": "h100-sxm"}, "workload": {"kind": "sft"}, "plan": {"tensor_parallel": 3}}', "plan.tensor_parallel", ""),
        ({}, "#v=1&model=qwen3-8b", "model", "Copy the whole link"),
    ],
)
def test_what_is_wrong_is_named_by_its_option_and_the_remedy(options: dict[str, str], body: str, field: str, says: str) -> None:
    error = refused(options, body)
    assert error.field == field
    assert says in error.message and len(error.message) > 15


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_texts_stay_texts() -> None:
    own = _embed.embed({**OPTIONS, "title": '"><script>alert(1)</script>', "panels": "verdict&memory"}, "", "en")
    for site in (SITE, ""):
        tags = Tags()
        tags.feed(_embed.html(own, site, "600"))
        assert not tags.open and "script" not in [name for name, _ in tags.seen]
        elements = [attributes for name, attributes in tags.seen if name == "shardwise-calculator"]
        assert len(elements) == (1 if site else 0)
        for attributes in elements:
            assert attributes["title"] == '"><script>alert(1)</script>' and attributes["panels"] == "verdict&memory"
            assert attributes["question"] == own.link and "600px" in (attributes["style"] or "")


def test_lines_of_options_end_where_a_question_begins() -> None:
    assert _embed.lines("model: a\n\n:gpu: b c \n{\n  x: 1\n}") == ({"model": "a", "gpu": "b c"}, "{\n  x: 1\n}")
    assert _embed.lines("https://a.example/#v=1") == ({}, "https://a.example/#v=1")
    for text in ("model a", "model: a\nmodel: b"):
        with pytest.raises(QuestionError):
            _embed.lines(text)


def test_figures_have_three_digits() -> None:
    for value, said in ((3035.09, "3,040"), (172.74, "173"), (0.5770461, "0.577"), (48561.49, "48,600"), (4.798, "4.80"), (0, "0")):
        assert _embed.figure(value) == said


def test_a_page_that_anything_builds_has_it_by_a_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from shardwise import embed

    def run(text: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        status = embed.main(list(words))
        return (status, *capsys.readouterr())

    text = "".join(f"{name}: {value}\n" for name, value in OPTIONS.items())
    own = _embed.embed(OPTIONS, "", "en")
    assert run(text, "--site", SITE) == (0, _embed.html(own, SITE) + "\n", "")
    assert run(text, "--site", SITE, "--script")[1].startswith(f'<script src="{SITE}embed.js" async></script>\n')
    assert "<shardwise-calculator" not in run(text, "--site", SITE, "--table")[1]
    assert _embed.embed(OPTIONS, "", "zh").rows[1][1] in run(text, "--lang", "zh-CN")[1]
    assert run("gpu: h1000")[0] == 1
    status, said, complaint = run("card: x")
    assert (status, said) == (1, "") and complaint.startswith("shardwise: card: There is no such option")


def test_a_site_is_an_address() -> None:
    assert _embed.site("https://a.example/b") == "https://a.example/b/"
    assert (_embed.site("/b/"), _embed.site("")) == ("/b/", "")
    for wrong in ("javascript:alert(1)", "a.example"):
        with pytest.raises(QuestionError, match="no address"):
            _embed.site(wrong)
