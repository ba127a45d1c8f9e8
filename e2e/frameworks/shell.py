"""What a shell text runs, found by bash itself: the arguments that each recorded command receives.

The text runs in a restricted bash without any program to call. Launchers are functions that print
their arguments; whatever else it tries to run is an error.
"""

import re
import shutil
import subprocess

LAUNCHERS = ("python", "python3", "torchrun", "deepspeed", "accelerate", "trl", "ray", "llamafactory-cli", "axolotl", "swift", "uv")
PRELUDE = "".join(f"{name}() {{ printf '%s\\0' '{name}' \"$@\" '\x01'; }}\n" for name in LAUNCHERS)
PRELUDE += "source() { [ \"$1\" = scripts/base_env.sh ]; }\ncommand_not_found_handle() { echo \"runs $1\" >&2; return 127; }\n"
# A space in the home folder shows where quotes are missing.
ENVIRONMENT = {"PATH": "", "HOME": "/data/my home", "LANG": "C.UTF-8", "MASTER_ADDR": "10.0.0.1", "NODE_RANK": "0", "RANK": "0", "PYTHONPATH": "", "VLLM_HOST": "10.0.0.2"}


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


def altered(words, item):
    """A command's options with the item's changes to those that start with a dash; a value is one word or several."""
    groups = []
    for word in words:
        if re.match("--?[a-zA-Z]", word) or not groups:
            groups.append([word])
        else:
            groups[-1].append(word)
    names = [group[0] for group in groups]
    changes = {key: value for key, value in item.get("set", {}).items() if key.startswith("-")}
    gone = {key for key in item.get("unset", []) if key.startswith("-")}
    if missing := (set(changes) | gone) - set(names):
        raise RuntimeError(f"{item['id']}: the text does not set {sorted(missing)}")
    out = [[group[0], *changes[group[0]].split()] if group[0] in changes else group for group in groups if group[0] not in gone]
    words = [word for group in out for word in group] + item.get("add", [])
    names = [word for word in words if word.startswith("--")]
    return words, [f"{name} is set twice" for name in sorted(set(names)) if names.count(name) > 1]


def refusal(said):
    """What argparse says before it exits, without its list of options."""
    return " ".join(said.rpartition("error: ")[2].split())[:400]
