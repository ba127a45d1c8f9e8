"""What every test asks: the questions of the JavaScript package's tests, which scripts/check writes to SHARDWISE_CASES."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

PROGRAM = Path(sysconfig.get_path("scripts"), "shardwise" + (".exe" if sys.platform == "win32" else ""))


class Run(NamedTuple):
    """A run of the command line: inputs that are asked with the same options, and its lines."""

    call: str
    options: dict[str, Any]
    inputs: list[Any]
    lines: list[str]


def program(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Runs the program that came with the package."""
    own = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, encoding="utf-8", check=False)
    assert own.returncode <= 1, own.stderr
    return own


def answered(run: dict[str, Any], folder: Path) -> list[str]:
    """The command line's lines, one for each input."""
    if run["call"] != "read":
        lines = program(run["call"], *run["args"], text="\n".join(run["inputs"]) + "\n").stdout
        return lines.removesuffix("\n").split("\n")
    found = []
    for texts in run["inputs"]:
        files = []
        for place, text in enumerate(texts):
            file = folder / str(place)
            file.write_text(text, encoding="utf-8")
            files.append(str(file))
        found.append(program("read", *run["args"], *files).stdout.removesuffix("\n"))
    return found


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    cases = json.loads(Path(os.environ["SHARDWISE_CASES"]).read_text(encoding="utf-8"))
    folder = tmp_path_factory.mktemp("texts")
    return [Run(run["call"], run.get("options") or {}, run["inputs"], answered(run, folder)) for run in cases]


@pytest.fixture(scope="session")
def questions(runs: list[Run]) -> list[str]:
    """The hundred questions, as JSON; some of them are wrong, and some are none."""
    return runs[0].inputs


@pytest.fixture
def question() -> dict[str, Any]:
    return {
        "version": 1,
        "model": "qwen3-8b",
        "hardware": {"gpu": "h100-sxm", "gpus": 8},
        "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64, "tokens": 1e9},
    }


@pytest.fixture
def broken(question: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {**question, "plan": {"tensor_parallel": 3}}
