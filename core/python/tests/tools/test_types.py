"""The types, as mypy and pyright see them: of an example of every function, and of every question and answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import shardwise
from conftest import Run

HERE = Path(__file__).parent
PACKAGE = HERE.parent.parent


def checked(*command: str | Path) -> None:
    own = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=False)
    assert own.returncode == 0, own.stdout + own.stderr


def mypy(*paths: str | Path) -> None:
    checked(sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--cache-dir", os.devnull, *paths)


def test_mypy_takes_the_package_and_an_example() -> None:
    mypy("python")
    mypy(HERE / "example.py")


def test_pyright_takes_them_too() -> None:
    checked(os.environ["PYRIGHT"], "--pythonpath", sys.executable, "-p", "pyproject.toml")


def test_every_question_and_answer_is_of_its_type(runs: list[Run], tmp_path: Path) -> None:
    checks = ["from shardwise import types as t"]
    names = {"estimate": "t.Answer", "flags": "t.Snippets", "read": "t.ReadText"}
    for call, _, inputs, lines in runs:
        for text, line in zip(inputs, lines):
            document = json.loads(line)
            if "error" in document or "unsupported" in document:
                continue
            name = ("t.Plans" if "plans" in document else "t.Offers") if call == "search" else names[call]
            checks.append(f"_{len(checks)}: {name} = {document!r}")
            if call == "estimate":
                checks.append(f"_{len(checks)}: t.Question = {json.loads(text)!r}")
    question = json.loads(runs[0].inputs[0])
    checks.append(f"sensitivity: t.Sensitivity = {dict(shardwise.sensitivity(question))!r}")
    checks.append(f"explanations: list[t.Explanation] = {list(shardwise.explain(question))!r}")
    checks.append(f"run: t.CalibratedRun = {shardwise.calibrate(question, step_time_s=shardwise.estimate(question)['step_time_s'])!r}")
    for table, row in (("gpus", "Gpu"), ("models", "Model"), ("nodes", "Node"), ("prices", "Price"), ("offers", "Offer")):
        rows = list(shardwise.catalog(table))[:40]
        checks.append(f"{table}: list[t.{row}Row] = {rows!r}")
    assert len(checks) > 250
    file = tmp_path / "documents.py"
    file.write_text("\n".join(checks), encoding="utf-8")
    mypy(file)


def test_a_class_names_the_keys_of_its_document() -> None:
    # documents.pyi, which this Python does not read, is not what is run: the classes must be the same.
    stub = (PACKAGE / "python/shardwise/documents.pyi").read_text(encoding="utf-8")
    for name in ("Answer", "Diagnosis", "Offered", "Offers", "Plans", "ReadText", "Sensitivity", "Snippets"):
        assert f"class {name}(" in stub
        assert isinstance(getattr(shardwise, name), type)
