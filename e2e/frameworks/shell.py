"""What a shell text runs, found by bash itself: the arguments that each recorded command receives.

The text runs in a restricted bash without any program to call. Launchers are functions that print
their arguments; whatever else it tries to run is an error.
"""

import shutil
import subprocess

LAUNCHERS = ("python", "python3", "torchrun", "deepspeed", "llamafactory-cli", "accelerate", "axolotl")
PRELUDE = "".join(f"{name}() {{ printf '%s\\0' '{name}' \"$@\" '\x01'; }}\n" for name in LAUNCHERS)
PRELUDE += "source() { [ \"$1\" = scripts/base_env.sh ]; }\ncommand_not_found_handle() { echo \"runs $1\" >&2; return 127; }\n"
# A space in the home folder shows where quotes are missing.
ENVIRONMENT = {"PATH": "", "HOME": "/data/my home", "LANG": "C.UTF-8", "MASTER_ADDR": "10.0.0.1", "NODE_RANK": "0", "PYTHONPATH": ""}


def commands(text):
    """The recorded commands, each a list of words. Raises ValueError with bash's message."""
    bash = shutil.which("bash")
    if not bash:
        raise RuntimeError("bash is missing")
    run = subprocess.run([bash, "--noprofile", "--norc", "-r", "-c", PRELUDE + text], env=ENVIRONMENT, capture_output=True,
                         text=True, timeout=30, stdin=subprocess.DEVNULL, cwd="/")
    if run.returncode or run.stderr:
        raise ValueError(f"bash refuses the text ({run.returncode}): {run.stderr.strip()[:300]}")
    return [words.split("\0")[:-1] for words in run.stdout.split("\x01\0")[:-1]]
