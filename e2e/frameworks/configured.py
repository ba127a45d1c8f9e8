"""What the real DeepSpeed, in an environment of its own beside this one, refuses in a configuration."""

import json
import os
import pathlib
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNING = []


def refused(config, world):
    """Errors of `DeepSpeedConfig`; `world` is the GPUs that share a batch."""
    if not RUNNING:
        python = pathlib.Path(sys.prefix).parent / "deepspeed" / "bin" / "python"
        RUNNING.append(subprocess.Popen([python, os.path.join(HERE, "deepspeed", "configured.py")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
    process = RUNNING[0]
    print(json.dumps({"config": config, "world": world}), file=process.stdin, flush=True)
    error = json.loads(process.stdout.readline())
    return [error] if error else []
