"""What a page of documentation shows of a question: the calculator's element and, where no script runs, a table of the answer."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, NamedTuple

from . import __version__, _core, _html, catalog, estimate
from .errors import QuestionError

# Where the options stand in a question, and what is usual, as public/embed.js has it.
PLACES = {"model": "model", "gpu": "hardware.gpu", "gpus": "hardware.gpus", "workload": "workload.kind", "framework": "framework"}
USUAL = {"model": "qwen3-8b", "gpu": "h100-sxm", "gpus": 8, "workload": "grpo"}
OPTIONS = (*PLACES, "panels", "language", "theme", "title", "height")
THEMES = ("auto", "light", "dark")

WORDS = {
    "en": {
        "question": "Question",
        "asked": "{gpus} × {gpu}, {model}, {kind}",
        "own_model": "a model of one's own",
        "own_gpu": "a GPU of one's own",
        "fits": "Fits",
        "fit": {"fits": "yes", "tight": "tight", "unlikely": "unlikely", "no": "no"},
        "memory": "{state}: {used} of {has} GiB of a GPU, most in {phase}; {sure} % sure that it fits",
        "plan": "Plan",
        "speed": "Speed",
        "tokens": "{each} tokens/s per GPU (80 % interval {low} to {high}), {all} in all; {step} s a step",
        "cost": "Cost",
        "usd": "${mtok} per million tokens, ${hour} per GPU-hour",
        "run": "; ${usd} and {hours} h for {steps} steps",
        "source": "Estimated by Shardwise {version}, data of {data}, prices of {prices}.",
        "open": "Open it in the calculator",
    },
    "zh": {
        "question": "问题",
        "asked": "{gpus} × {gpu}，{model}，{kind}",
        "own_model": "自定义模型",
        "own_gpu": "自定义 GPU",
        "fits": "是否放得下",
        "fit": {"fits": "放得下", "tight": "勉强", "unlikely": "可能放不下", "no": "放不下"},
        "memory": "{state}：每个 GPU 用 {used} / {has} GiB，{phase} 阶段最多；放得下的把握 {sure} %",
        "plan": "方案",
        "speed": "速度",
        "tokens": "每个 GPU {each} tokens/s（80 % 区间 {low} 至 {high}），共 {all}；每步 {step} 秒",
        "cost": "费用",
        "usd": "每百万 token {mtok} 美元，每 GPU 小时 {hour} 美元",
        "run": "；{steps} 步共 {usd} 美元、{hours} 小时",
        "source": "由 Shardwise {version} 估算，数据 {data}，价格 {prices}。",
        "open": "在计算器中打开",
    },
}


class Embed(NamedTuple):
    """A question in a page."""

    attributes: dict[str, str]
    """The element's."""
    rows: list[tuple[str, str]]
    """Of the table: what, and the answer's figures."""
    source: str
    """What the figures are from."""
    open: str
    """Words of the link to the calculator."""
    link: str
    """The part of the calculator's address that holds the question."""


def language(tag: str | None) -> str:
    """The language of ours that a page in another's tag is in."""
    return "zh" if (tag or "").lower().startswith("zh") else "en"


def site(address: str) -> str:
    """The calculator's address, which ends in a slash; empty where there is none."""
    address = address.strip()
    if address and not re.match(r"https?://|/", address):
        raise QuestionError("site", f"{address!r} is no address. Give that of the calculator, as https://docs.example.org/shardwise/.")
    return address if address.endswith("/") or not address else f"{address}/"


def lines(text: str) -> tuple[dict[str, str], str]:
    """Options a line, `model: qwen3-8b`, and what follows them: a question as JSON, or a copied link."""
    options: dict[str, str] = {}
    rows = text.splitlines()
    for place, row in enumerate(rows):
        own = re.match(r"\s*:?([a-z]+)\s*:\s*(.*?)\s*$", row)
        if row.lstrip().startswith(("{", "#", "http", "v=")):
            return options, "\n".join(rows[place:])
        if own:
            name = own[1]
            if name in options:
                raise QuestionError(name, "It is said twice. Leave one out.")
            options[name] = own[2]
        elif row.strip():
            raise QuestionError("question", f"{row.strip()!r} is no option. Write `name: value` with one of {', '.join(OPTIONS)}, or a question as JSON.")
    return options, ""


def embed(options: Mapping[str, str], body: str, lang: str) -> Embed:
    """Answers the question of a page's options, or of JSON or a copied link below them; what is left out is the usual."""
    for name in options:
        if name not in OPTIONS:
            raise QuestionError(name, f"There is no such option. There are {', '.join(OPTIONS)}.")
    if options.get("theme", "auto") not in THEMES:
        raise QuestionError("theme", f"{options['theme']!r} is no theme. Give one of {', '.join(THEMES)}.")
    if not re.fullmatch(r"\d{0,4}(px)?", options.get("height", "")):
        raise QuestionError("height", f"{options['height']!r} is no height. Give it in pixels, as 600.")
    asked = json.loads(_core.link([_asked(options, body.strip())], True)[0])
    if "error" in asked:
        raise _named(asked["error"], options)
    question, link = asked["question"], asked["link"]
    try:
        answer = estimate(question, advice=False)
    except QuestionError as error:
        raise _named({"field": error.field, "message": error.message}, options) from None
    lang = language(options["language"]) if "language" in options else lang
    words: Any = WORDS[lang]
    attributes = {"question": link}
    attributes.update((name, options[name]) for name in ("panels", "theme", "title") if options.get(name))
    if "language" in options:
        attributes["lang"] = lang
    data = answer["data"]
    source = words["source"].format(version=__version__, data=data["version"], prices=data["prices"])
    return Embed(attributes, list(_rows(words, question, answer)), source, words["open"], link)


def _asked(options: Mapping[str, str], body: str) -> str:
    """The question as text: what the options say, put into what stands below them."""
    stated: dict[str, Any] = {name: options[name] for name in PLACES if options.get(name)}
    if "gpus" in stated:
        if not stated["gpus"].isdigit():
            raise QuestionError("gpus", f"{stated['gpus']!r} is no number. Give how many GPUs there are, as 16.")
        stated["gpus"] = int(stated["gpus"])
    if body and not body.startswith("{"):
        if stated:
            raise QuestionError(next(iter(stated)), "The link below says it. Leave the option out.")
        return body if "#" in body else f"#{body}"
    question = _read(body) if body else {}
    for name, value in (stated if body else {**USUAL, **stated}).items():
        *above, key = PLACES[name].split(".")
        place = question
        for step in above:
            place = place.setdefault(step, {})
            if not isinstance(place, dict):
                raise QuestionError(step, "It is an object. See the interface's schema.")
        if key in place:
            raise QuestionError(name, f"The question below says {PLACES[name]}, too. Leave one out.")
        place[key] = value
    return json.dumps({"version": 1, **question})


def _read(body: str) -> dict[str, Any]:
    try:
        return dict(json.loads(body))
    except json.JSONDecodeError as error:
        raise QuestionError("question", f"It is no JSON: line {error.lineno}, column {error.colno}: {error.msg}.") from None


def _named(error: Mapping[str, str], options: Mapping[str, str]) -> QuestionError:
    """A refused field, by the option that said it."""
    own = next((name for name, place in PLACES.items() if place == error["field"] and name in options), error["field"])
    return QuestionError(own, error["message"])


def _name(words: Mapping[str, Any], table: Any, key: str, own: Any) -> str:
    if isinstance(own, str):
        return next((row["name"] for row in catalog(table) if row["id"] == own), own)
    return str(own.get("name") or words[key])


def _rows(words: Mapping[str, Any], question: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    hardware, memory, fit = question["hardware"], answer["memory"], answer["fit"]
    yield words["question"], words["asked"].format(
        model=_name(words, "models", "own_model", question["model"]),
        gpu=_name(words, "gpus", "own_gpu", hardware.get("gpu", "")),
        gpus=hardware.get("gpus", 8),
        kind=question["workload"]["kind"],
    )
    yield words["fits"], words["memory"].format(
        state=words["fit"][fit["state"]],
        used=f"{memory['reserved_gib']:.1f}",
        has=f"{memory['capacity_gib']:.1f}",
        phase=memory["phase"],
        sure=_html.sure(fit["probability"], words is WORDS["zh"]),
    )
    yield words["plan"], _html.plan(answer["plan"])
    low, high = answer["interval"]["tokens_per_s_per_gpu"]
    yield words["speed"], words["tokens"].format(
        each=figure(answer["tokens_per_s_per_gpu"]),
        low=figure(low),
        high=figure(high),
        all=figure(answer["tokens_per_s"]),
        step=figure(answer["step_time_s"]),
    )
    if "usd_per_mtok" in answer:
        run = answer.get("run", {})
        cost = words["usd"].format(mtok=figure(answer["usd_per_mtok"]), hour=f"{answer['usd_per_gpu_hour']:.2f}")
        if "usd" in run and "hours" in run:
            cost += words["run"].format(usd=figure(run["usd"]), hours=figure(run["hours"]), steps=f"{run['steps']:,.0f}")
        yield words["cost"], cost


def figure(value: float) -> str:
    """Three digits, as the page has them: no estimate knows more."""
    digits = 2 - math.floor(math.log10(value)) if value > 0 else 0
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def start(own: Embed, height: str | None = None) -> str:
    """The element's first tag. What stands within it is seen until the calculator is there."""
    attributes = dict(own.attributes)
    if height:
        attributes["style"] = f"display: block; min-height: {height.removesuffix('px')}px"
    return "".join(["<shardwise-calculator", *(f' {name}="{escape(value)}"' for name, value in attributes.items()), ">"])


def html(own: Embed, site: str, height: str | None = None, table_alone: bool = False) -> str:
    """All of it as HTML; the table alone where that is wanted, and where no site is known."""
    rows = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in own.rows)
    link = f' <a href="{escape(site + "#" + own.link)}">{escape(own.open)}</a>' if site else ""
    table = f'<table class="shardwise-answer"><tbody>{rows}</tbody></table><p>{escape(own.source)}{link}</p>'
    # A block around it: else Markdown would put it into a paragraph, which no table may stand in.
    inner = f"{start(own, height)}{table}</shardwise-calculator>" if site and not table_alone else table
    return f'<div class="shardwise">{inner}</div>'


def script(site: str) -> str:
    """What makes the element of a page the calculator."""
    return f'<script src="{escape(site)}embed.js" async></script>'
