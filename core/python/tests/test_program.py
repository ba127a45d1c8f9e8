"""The program that comes with the package."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import shardwise
from conftest import PROGRAM, program


def python(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shardwise", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def test_it_is_installed_beside_python() -> None:
    assert PROGRAM.is_file()


def test_python_starts_it_with_arguments_input_and_exit_status(question: dict[str, Any], broken: dict[str, Any]) -> None:
    for arguments, text in (
        (["--version"], ""),
        (["help", "search"], ""),
        (["estimate"], json.dumps(question)),
        (["search", "--limit", "2", "--lang", "zh"], json.dumps(question)),
        (["estimate"], json.dumps(broken)),
        (["catalog", "nodes"], ""),
    ):
        own, told = python(*arguments, text=text), program(*arguments, text=text)
        assert (own.stdout, own.stderr, own.returncode) == (told.stdout, told.stderr, told.returncode)
    assert python("estimate", text=json.dumps(broken)).returncode == 1
    assert python("no-such-command").returncode == 2


def test_its_version_is_the_packages() -> None:
    from importlib.metadata import version

    assert shardwise.__version__ == version("shardwise")
    commit = shardwise.build["commit"] or "not recorded"
    assert program("--version").stdout == (
        f"shardwise {version('shardwise')} (data {shardwise.build['data']})\ncommit {commit}\n"
        f"newest figure {shardwise.build['data_date']}, newest price {shardwise.build['prices_date']}\n"
    )
