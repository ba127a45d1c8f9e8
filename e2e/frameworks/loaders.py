#!/usr/bin/env python3
"""Files of settings that one or two slips have broken: does `shardwise read` refuse what PyYAML, OmegaConf and tomllib refuse, and no other?

    e2e/frameworks/loaders.py [--shardwise FILE] [--count 2000] [--seed 1] [FOLDER ...]

Each text is one of `core/tests/golden/emit` or of a FOLDER, with a character less, another or one more, a line indented otherwise, or a
line twice. The loader is the judge. One in 500 may differ: anchors whose names hold a colon, block scalars in brackets and their like. Needs PyYAML: `.tools/frameworks/llamafactory/bin/python` has it and OmegaConf. The last line is
`N passed, N failed`.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import subprocess
import sys
import tomllib

import yaml
from omegaconf._utils import get_yaml_loader

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARKS = "\"'[]{}:,#&*!|>%@`- \n\t?=."
# What a reading says of a file that it could not have taken for one; all else is of its own limits and of the settings.
LOADERS = ("loader refuses", "OmegaConf refuses", "which PyYAML refuses", "YAML forbids", "quote opens here", "colon stands here without", "stands where a key does", "where none may", "no YAML may hold", "no anchor of its name", "is lost. Join them")


# No text is emitted as TOML any more; torchtitan reads it up to 0.2.2.
TOML = """[job]
dump_folder = "./outputs"  # change this
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 8192
mixed_precision_param = 'bfloat16'
[parallelism]
data_parallel_shard_degree = -1
fsdp.reshard = ["never",
  "always"]
[activation_checkpoint]
mode = "selective"
early_stop = false
[[optimizer.groups]]
lr = 3e-4
eps = 1e-8
betas = [0.9, 0.95]
"""


def slip(text, draw):
    for _ in range(draw.choice([1, 1, 1, 2])):
        at, kind = draw.randrange(len(text)), draw.randrange(6)
        lines = text.split("\n")
        row = draw.randrange(len(lines))
        if kind == 0:
            text = text[:at] + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + draw.choice(MARKS) + text[at:]
        elif kind == 2:
            text = text[:at] + draw.choice(MARKS) + text[at + 1 :]
        elif kind == 3:
            lines[row] = draw.choice([" ", "  ", "\t"]) + lines[row]
            text = "\n".join(lines)
        elif kind == 4:
            lines[row] = lines[row].replace(" ", "", 1)
            text = "\n".join(lines)
        else:
            lines.insert(draw.randrange(len(lines)), lines[row])
            text = "\n".join(lines)
    return text


def judge(text, of_toml):
    """Whether the loaders take a text: `safe_load`, and OmegaConf's, which refuses a key that stands twice."""
    if of_toml:
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            return str(error), str(error)
        return None, None
    found = []
    for loader in (yaml.SafeLoader, get_yaml_loader()):
        try:
            yaml.load(text, Loader=loader)  # noqa: S506: both are safe loaders
            found.append(None)
        except Exception as error:  # noqa: BLE001: constructors raise what they like
            found.append(" ".join(str(error).split()))
    return tuple(found)


def texts(folders):
    paths = [path for folder in folders for path in pathlib.Path(folder).rglob("*") if path.suffix in {".yaml", ".yml", ".toml"}]
    for path in sorted(paths):
        text = path.read_text(encoding="utf-8", errors="ignore")
        if 50 < len(text) < 20_000:
            yield text, path.suffix == ".toml"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shardwise", default=ROOT / "target/fast/shardwise")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folders", nargs="*")
    asked = parser.parse_args()
    draw = random.Random(asked.seed)
    whole = list(texts(asked.folders or [ROOT / "core/tests/golden/emit"]))
    whole += [(TOML, True)] * max(len(whole) // 8, 1)
    cases = whole + [(slip(text, draw), of_toml) for text, of_toml in draw.choices(whole, k=asked.count)]

    def check(case):
        text, of_toml = case
        plain, strict = judge(text, of_toml)
        run = subprocess.run([asked.shardwise, "read", "-"], input=text.encode(), capture_output=True, timeout=60)
        said = run.stderr.decode()
        if run.returncode == 0 and plain is not None:
            return "taken", plain
        if plain is None and strict is None and any(word in said for word in LOADERS):
            return "refused", said
        return None

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(check, cases))
    wrong = [(case, answer) for case, answer in zip(cases, answers) if answer]
    for (text, _), (how, why) in wrong[:20]:
        print(f"--- {how}, and should not be: {why}\n{text}", file=sys.stderr)
    print(dict(collections.Counter(how for _, (how, _) in wrong)))
    print(f"{len(cases) - len(wrong)} passed, {len(wrong)} failed")
    return 500 * len(wrong) > len(cases)


if __name__ == "__main__":
    sys.exit(main())
