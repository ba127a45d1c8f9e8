"""The directive in every kind of page that Sphinx builds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from shardwise import _embed

SITE = "https://docs.example.org/shardwise/"
OPTIONS = {"model": "qwen3-8b", "gpu": "h200-sxm", "gpus": "16", "workload": "grpo"}
DIRECTIVE = ".. shardwise::\n" + "".join(f"   :{name}: {value}\n" for name, value in OPTIONS.items())
FENCE = "```{shardwise}\n" + "".join(f":{name}: {value}\n" for name, value in OPTIONS.items()) + "```\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    conf = f'extensions = ["shardwise.sphinx", "myst_parser"]\nproject = "Host"\nversion = "1"\ncopyright = "2026"\nshardwise_site = "{SITE}"\n'
    (folder / "conf.py").write_text(conf, encoding="utf-8")
    (folder / "index.rst").write_text(f"Host\n====\n\n{DIRECTIVE}\n.. toctree::\n\n   markdown\n   plain\n", encoding="utf-8")
    (folder / "markdown.md").write_text(f"# Markdown\n\n{FENCE}", encoding="utf-8")
    (folder / "plain.rst").write_text("Plain\n=====\n\nNo calculator.\n", encoding="utf-8")
    return folder


def build(source: Path, builder: str = "html", *more: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
    out = source.parent / builder
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-d", str(source.parent / "trees"), "-b", builder, *more, str(source), str(out)]
    return out, subprocess.run(command, capture_output=True, text=True, check=False)


def built(source: Path, builder: str = "html", *more: str) -> Path:
    out, run = build(source, builder, "-W", *more)
    assert (run.returncode, run.stderr) == (0, "")
    return out


def figures() -> list[str]:
    return [value for _, value in _embed.embed(OPTIONS, "", "en").rows]


# Whatever breaks lines, and how a builder writes a character.
def plain(text: str) -> str:
    for written, meant in ((r"\\sphinxhyphen\{\}|\\-", "-"), (r"\\([$%_])", r"\1"), (r"\{\}|\\&", "")):
        text = re.sub(written, meant, text)
    return re.sub(r"[\s|]+", " ", text)


@pytest.mark.parametrize("more", [[], ["-j", "2"]], ids=["one", "parallel"])
def test_pages_have_the_element_with_the_answer_in_it_and_the_script(source: Path, more: list[str]) -> None:
    out = built(source, "html", *more)
    own = _embed.embed(OPTIONS, "", "en")
    for page in ("index.html", "markdown.html"):
        html = (out / page).read_text(encoding="utf-8")
        inside = re.search(r"<shardwise-calculator ([^>]*)>(.*?)</shardwise-calculator>", html, re.DOTALL)
        assert inside, page
        assert f'question="{own.link.replace("&", "&amp;")}"' in inside[1]
        assert "<table" in inside[2] and f'href="{SITE}#{own.link.replace("&", "&amp;")}"' in inside[2]
        text = plain(re.sub(r"<[^>]*>", "", inside[2]))
        assert all(value in text for value in figures())
        assert re.search(rf'<script[^>]*src="{SITE}embed.js"', html)
        assert " async=" in html
    assert "embed.js" not in (out / "plain.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("builder", ["text", "latex", "epub", "man", "texinfo", "xml", "dirhtml"])
def test_other_builders_have_the_table(source: Path, builder: str) -> None:
    out = built(source, builder)
    files = [file for file in out.rglob("*") if file.suffix in {".txt", ".tex", ".xhtml", ".1", ".texi", ".xml", ".html"}]
    text = plain(" ".join(re.sub(r"<[^>]*>", "", file.read_text(encoding="utf-8")) for file in files))
    whole = " ".join(file.read_text(encoding="utf-8") for file in files)
    # Of a figure that a builder breaks, every word.
    missing = [word for value in figures() for word in value.split() if word not in text and word.strip("$;,.()") not in text]
    assert missing == [], text[:2000]
    assert ("<shardwise-calculator" in whole) == (builder == "dirhtml"), builder


@pytest.mark.parametrize(
    ("file", "text", "line", "says"),
    [
        ("wrong.rst", "Wrong\n=====\n\n.. shardwise::\n   :gpu: h1000\n", 4, "gpu: "),
        ("wrong.md", "# Wrong\n\nText.\n\n```{shardwise}\n:gpus: many\n```\n", 5, "gpus: 'many' is no number"),
        ("wrong.rst", 'Wrong\n=====\n\n.. shardwise::\n\n   {"model": "qwen3-8b",\n    "plan": {"tensor_parallel": 3}}\n', 4, "hardware"),
    ],
)
def test_a_refused_question_is_a_warning_with_file_line_field_and_remedy(source: Path, file: str, text: str, line: int, says: str) -> None:
    (source / file).write_text(text, encoding="utf-8")
    (source / "index.rst").write_text("Host\n====\n\n.. toctree::\n\n   markdown\n   plain\n   wrong\n", encoding="utf-8")
    out, run = build(source)
    assert run.returncode == 0
    warnings = run.stderr.strip().splitlines()
    assert len(warnings) == 1
    assert f"{source / file}:{line}: WARNING: shardwise: " in warnings[0] and says in warnings[0]
    assert "<shardwise-calculator" not in (out / "wrong.html").read_text(encoding="utf-8")
    assert build(source, "html", "-W")[1].returncode != 0


def test_without_a_site_pages_have_the_table_alone(source: Path) -> None:
    html = (built(source, "html", "-D", "shardwise_site=") / "index.html").read_text(encoding="utf-8")
    assert "<table" in html and "shardwise-calculator" not in html and "embed.js" not in html
    run = build(source, "html", "-D", "shardwise_site=docs.example.org")[1]
    assert "shardwise_site: 'docs.example.org' is no address" in run.stderr


def test_a_page_in_chinese_has_its_table_in_chinese(source: Path) -> None:
    html = (built(source, "html", "-D", "language=zh_CN") / "index.html").read_text(encoding="utf-8")
    assert all(value in plain(re.sub(r"<[^>]*>", "", html)) for _, value in _embed.embed(OPTIONS, "", "zh").rows)


def test_classes_names_and_heights_are_kept(source: Path) -> None:
    own = f"{DIRECTIVE}   :class: wide\n   :name: sizing\n   :height: 600\n   :panels: verdict,memory\n   :theme: dark\n   :language: zh\n"
    (source / "index.rst").write_text(f"Host\n====\n\n:ref:`here <sizing>`\n\n{own}\n.. toctree::\n\n   markdown\n   plain\n", encoding="utf-8")
    html = (built(source) / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<div class="shardwise wide[^"]*" id="sizing">', html)
    tag = re.search(r"<shardwise-calculator[^>]*>", html)
    assert tag and all(said in tag[0] for said in ("min-height: 600px", 'panels="verdict,memory"', 'theme="dark"', 'lang="zh"'))
