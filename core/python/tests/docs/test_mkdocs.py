"""The fence in pages that MkDocs builds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from shardwise import _embed

SITE = "https://docs.example.org/shardwise/"
OPTIONS = {"model": "qwen3-8b", "gpu": "h200-sxm", "gpus": "16", "workload": "grpo"}
FENCE = "```shardwise\n" + "".join(f"{name}: {value}\n" for name, value in OPTIONS.items()) + "```\n"


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


# Inside of an admonition, of a list, and of another fence, where it is text.
PAGE = f"""---
title: Host
---

# Host

{FENCE}
!!! note
    Inside.

{indented(FENCE)}
- one

{indented(FENCE)}
````text
{FENCE}````

Some text.
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def build(project: Path, extensions: str = "[admonition]", plugin: str = f"{{site: {SITE}}}", more: str = "") -> subprocess.CompletedProcess[str]:
    config = f"site_name: Host\nplugins:\n  - search\n  - shardwise: {plugin}\nmarkdown_extensions: {extensions}\n{more}"
    (project / "mkdocs.yml").write_text(config, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(project / "mkdocs.yml"), "-d", str(project / "site")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def page(project: Path, **how: str) -> str:
    run = build(project, **how)
    assert run.returncode == 0, run.stderr
    return (project / "site/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("extensions", ["[admonition]", "[admonition, pymdownx.superfences]", "[admonition, pymdownx.superfences, pymdownx.highlight]"])
def test_fences_become_the_element_with_the_answer_in_it(project: Path, extensions: str) -> None:
    html = page(project, extensions=extensions)
    own = _embed.html(_embed.embed(OPTIONS, "", "en"), SITE)
    assert html.count(own) == 3
    assert f"<p>{own}" not in html
    # In the admonition and in the list, not after them.
    assert re.search(r'<div class="admonition note">(?:(?!</div>).)*<div class="shardwise">', html, re.DOTALL)
    assert re.search(r"<li>(?:(?!</li>).)*<div class=\"shardwise\">", html, re.DOTALL)
    assert "```shardwise" in html, "what another fence holds is text"
    assert re.search(rf'<script src="{SITE}embed.js" async></script>', html)
    assert "per million tokens" in (project / "site/search/search_index.json").read_text(encoding="utf-8")


def test_a_question_and_a_copied_link_are_read(project: Path) -> None:
    link = _embed.embed(OPTIONS, "", "en").link
    question = '{"model": "qwen3-8b",\n "hardware": {"gpu": "h200-sxm", "gpus": 16},\n "workload": {"kind": "grpo"}}'
    text = f"# Host\n\n~~~shardwise\npanels: verdict\n{question}\n~~~\n\n```shardwise\n{SITE}#{link}\n```\n"
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    html = page(project)
    assert html.count(f'question="{link.replace("&", "&amp;")}"') == 2
    assert html.count('panels="verdict"') == 1


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("---\ntitle: x\n---\n# Host\n\n```shardwise\ngpu: h1000\n```\n", 6, "gpu: "),
        ("# Host\n\n```shardwise\ncard: x\n```\n", 3, "card: There is no such option"),
        ("# Host\n\n```shardwise\nnonsense\n```\n", 3, "question: 'nonsense' is no option"),
    ],
)
def test_a_refused_question_is_a_warning_with_file_line_field_and_remedy(project: Path, text: str, line: int, says: str) -> None:
    (project / "docs/index.md").write_text(text, encoding="utf-8")
    run = build(project)
    assert run.returncode != 0, "strict"
    assert f"WARNING -  shardwise: index.md:{line}: {says}" in run.stderr


def test_without_a_site_pages_have_the_table_alone(project: Path) -> None:
    html = page(project, plugin="{}")
    assert "shardwise-answer" in html and "shardwise-calculator" not in html.split("<code")[0] and "embed.js" not in html
    assert "no address" in build(project, plugin="{site: docs.example.org}").stderr


def test_its_table_is_in_the_themes_language_or_the_one_that_is_named(project: Path) -> None:
    said = _embed.embed(OPTIONS, "", "zh").rows[1][1]
    assert said in page(project, plugin="{language: zh}")
    assert said in page(project, more="theme: {name: material, language: zh, font: false}\n")
