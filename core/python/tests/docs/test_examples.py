"""What the patches of deploy/examples show is answered, and what is written out is what the package writes."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from shardwise import _embed

PATCHES = Path(__file__).parents[4] / "deploy/examples"


def added(name: str) -> str:
    rows = (PATCHES / name).read_text(encoding="utf-8").splitlines()
    return "\n".join(row[1:] for row in rows if row.startswith("+") and not row.startswith("+++"))


@pytest.mark.parametrize(("patch", "count"), [("verl.patch", 1), ("chatlearn.patch", 2)])
def test_the_directives_are_answered(patch: str, count: int) -> None:
    text = added(patch)
    directives = re.findall(r"(?:\.\. shardwise::|```\{shardwise\})\n((?:\s*:[a-z]+: .*\n)+)", text)
    assert len(directives) == count
    for directive in directives:
        options, body = _embed.lines(directive)
        own = _embed.embed(options, body, "en")
        assert len(own.rows) >= 4 and own.attributes["panels"]
    assert len(re.findall(r'"shardwise\.sphinx"', text)) == count
    assert "\nshardwise\n" in text.replace("\r", ""), "what the docs are built with has the package"


def test_the_element_of_plain_html_is_what_the_command_writes() -> None:
    text = added("deepspeed.patch")
    tag = re.search(r"<shardwise-calculator ([^>]*)>", text)
    assert tag
    attributes = {name: unescape(value) for name, value in re.findall(r'(\w+)="([^"]*)"', tag[1])}
    own = _embed.embed({name: attributes[name] for name in ("panels", "title")}, attributes["question"], "en")
    assert own.attributes == attributes
    # The figures are those of the day on which it was written, which it says.
    assert re.findall(r'<th scope="row">(\w+)</th>', text) == [name for name, _ in own.rows]
    assert re.search(r"data of \d{4}\.\d\d, prices of \d{4}-\d\d-\d\d\.", text)


def test_each_patch_names_the_commit_that_it_applies_to() -> None:
    readme = (PATCHES / "README.md").read_text(encoding="utf-8")
    for patch in sorted(PATCHES.glob("*.patch")):
        assert re.search(rf"\[{patch.name}\]\({patch.name}\).*[0-9a-f]{{40}}", readme), patch.name
