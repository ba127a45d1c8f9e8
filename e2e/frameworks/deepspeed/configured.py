"""DeepSpeed's own `DeepSpeedConfig` on configurations that other frameworks make; runs in DeepSpeed's environment.

One JSON object per line: `config` and `world`, the GPUs that share a batch. Answers what DeepSpeed refuses, or nothing.
"""

import contextlib
import json
import logging
import os
import sys
import types
import warnings

os.environ.update(DS_ACCELERATOR="cpu", DS_BUILD_OPS="0")
warnings.filterwarnings("ignore")

with contextlib.redirect_stdout(sys.stderr):
    from deepspeed.runtime import config as ds

logging.getLogger("DeepSpeed").handlers = [logging.NullHandler()]
logging.getLogger("DeepSpeed").propagate = False


def refused(config, world):
    ds.dist = types.SimpleNamespace(get_rank=lambda *a, **k: 0, get_world_size=lambda *a, **k: world, is_initialized=lambda: True)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            made = ds.DeepSpeedConfig(config)
        if made.grad_accum_dtype is not None:
            ds.DtypeEnum(made.grad_accum_dtype)  # as runtime/engine.py, get_data_types
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"
    return ""


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(refused(asked["config"], asked["world"])), flush=True)
