#!/usr/bin/env python3
"""Measures on one GPU what the estimates rest on, and prints a JSON line per run.

    python3 scripts/measure/gpu.py [--only PREFIX ...] [--limit-s 480] [--dry] > rows.jsonl

Needs PyTorch, transformers, peft, bitsandbytes and liger-kernel. Weights are random, of the models' shapes: nothing is
downloaded. Every training run is a process of its own, so that one that runs out of memory spoils no other. `--dry` runs all
of them on the CPU with models of two narrow layers, to try the script.

A training run takes `steps` optimizer steps on random tokens and reports the median of all but the first, and the peaks that
PyTorch's allocator and the driver saw. A kernel is timed by CUDA events, the median of its repetitions.
"""

import argparse
import gc
import json
import os
import sys
import time

# Libraries ask at import whether there is a GPU; that must not begin CUDA in the process that forks.
os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"

import torch
import transformers

from alone import KERNELS
from training import RUNS


def measured(runs, dry):
    """The lines of runs, measured one after another in this process."""
    lines = []
    for run in runs:
        begun = time.monotonic()
        try:
            line = run["measure"](run, dry)
        except torch.cuda.OutOfMemoryError:
            line = {"failed": "out of memory"}
        except Exception as error:  # A run that fails is a line too.
            line = {"failed": f"{type(error).__name__}: {error}"[:300]}
        told = {key: value for key, value in run.items() if key != "measure"}
        lines.append(told | line | {"wall_s": round(time.monotonic() - begun, 1)})
    return lines


def here(runs, dry):
    """The lines of runs, measured in this process: for a machine whose driver does not outlive a fork."""
    lines = measured(runs, dry)
    gc.collect()
    if not dry:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    return lines


def of_child(runs, dry):
    """The lines of runs, measured in a process of their own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        lines = measured(runs, dry)
        with os.fdopen(writing, "w") as pipe:
            json.dump(lines, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else [{"id": run["id"], "failed": "the process died"} for run in runs]


def machine(run, dry):
    """What the runs are measured on."""
    name = "CPU" if dry else torch.cuda.get_device_name()
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    return {"gpu": name, **versions, "processors": os.cpu_count(), "date": time.strftime("%Y-%m-%d")}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--only", nargs="*", default=[""])
    options.add_argument("--limit-s", type=float, default=480)
    options.add_argument("--together", action="store_true", help="all in one process, which saves its start")
    options.add_argument("--dry", action="store_true")
    options = options.parse_args()
    start = time.monotonic()
    first = of_child([{"id": "machine", "measure": machine}], options.dry)
    print(json.dumps(first[0]), flush=True)
    print(first[0], file=sys.stderr)
    measure = here if "failed" in first[0] or options.together else of_child
    for group in [KERNELS] + [[run] for run in RUNS]:
        wanted = [run for run in group if any(run["id"].startswith(prefix) for prefix in options.only)]
        if time.monotonic() - start > options.limit_s:
            print(f"no time left for {[run['id'] for run in wanted]}", file=sys.stderr)
            continue
        for line in measure(wanted, options.dry) if wanted else []:
            print(json.dumps(line), flush=True)
            shown = ("failed", "step_s", "allocated_gib", "reserved_gib", "forward_ms", "ms", "wall_s")
            print(line["id"], *(f"{key}={line[key]:.5g}" if isinstance(line[key], float) else f"{key}={line[key]}" for key in shown if key in line), file=sys.stderr)


if __name__ == "__main__":
    main()
