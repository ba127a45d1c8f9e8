"""How long the package takes: `make bench-python`. The least of several tries, on whatever else the machine does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

QUESTION = {
    "version": 1,
    "model": "qwen3-8b",
    "hardware": {"gpu": "h100-sxm", "gpus": 8},
    "workload": {"kind": "sft", "sequence_length": 4096, "global_batch": 64},
}
FIRST = f"import shardwise; shardwise.estimate({QUESTION!r})"
MANY = 10_000


def least(tries: int, run: Callable[[], object]) -> float:
    """Milliseconds of the fastest try."""
    taken = []
    for _ in range(tries):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return 1000 * min(taken)


def fresh(code: str) -> float:
    """Milliseconds of a Python that runs it and ends."""
    return least(10, lambda: subprocess.run([sys.executable, "-I", "-c", code], check=True))


def main() -> None:
    empty, first = fresh("pass"), fresh(FIRST)
    print(f"Python that does nothing                       {empty:8.1f} ms")
    print(f"Python that imports and has the first answer   {first:8.1f} ms, {first - empty:.1f} of it ours")

    import shardwise
    from shardwise import lines

    # Another length in each, so that none is asked twice; the plan is stated, as in a table of one's own.
    plan = shardwise.estimate(QUESTION)["plan"]
    questions = [
        {**QUESTION, "workload": {**QUESTION["workload"], "sequence_length": 1000 + place}, "plan": plan} for place in range(MANY)
    ]
    texts = [json.dumps(question) for question in questions]
    print(f"{MANY:,} estimates of stated plans, on {os.cpu_count()} cores:")
    print(f"  lines.estimate, texts                        {least(3, lambda: lines.estimate(texts)):8.1f} ms")
    print(f"  estimate, dictionaries                       {least(3, lambda: shardwise.estimate(questions)):8.1f} ms")
    print(f"  the same without advice                      {least(3, lambda: shardwise.estimate(questions, advice=False)):8.1f} ms")
    print(f"  and with every answer looked at              {least(3, lambda: [own['fits'] for own in shardwise.estimate(questions)]):8.1f} ms")
    few = texts[:200]
    print(f"  lines.estimate without advice                {least(3, lambda: lines.estimate(texts, advice=False)):8.1f} ms")
    print(f"  one after the other, on one core, for each   {least(3, lambda: [lines.estimate(own) for own in few]) / len(few):8.3f} ms")
    print(f"  an estimate whose plan is searched for       {least(3, lambda: lines.estimate(json.dumps(QUESTION))):8.3f} ms")


if __name__ == "__main__":
    main()
