"""Asks for the flags of the whole grid, has the checkers read every text, and every altered text.

Fails where an emitted text is refused, a text that must be there is missing, an altered text is
accepted or refused for another reason, or fewer than FEWEST texts came.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import tomllib

import grid

HERE = pathlib.Path(__file__).parent
# Framework, version (the default where empty), environment, checker, cases, and how many of the searched questions.
CHECKED = (
    ("verl", "", "verl", "verl/check.py", "verl", 1),
    ("chatlearn", "", "chatlearn", "chatlearn/check.py", "chatlearn", 1),
    ("deepspeed", "", "deepspeed", "deepspeed/check.py", "deepspeed", 1),
    ("llmforge", "", "chatlearn", "llmforge/check.py", "llmforge", 1),
    ("torchtitan", "", "torchtitan", "torchtitan/check.py", "torchtitan", 1),
    ("llamafactory", "", "llamafactory", "llamafactory/check.py", "llamafactory", 2),
    ("axolotl", "", "axolotl", "axolotl/check.py", "axolotl", 2),
    ("ms-swift", "", "swift", "ms-swift/check.py", "ms-swift", 2),
    ("unsloth", "", "unsloth", "unsloth/check.py", "unsloth", 1),
    ("deepspeed", "0.16.9", "deepspeed-0.16.9", "deepspeed/check.py", "deepspeed", 2),
    ("trl", "", "trl", "trl/check.py", "trl", 1),
    ("openrlhf", "", "openrlhf", "openrlhf/check.py", "openrlhf", 1),
    ("slime", "", "megatron", "slime/check.py", "slime", 1),
    ("nemo-rl", "", "megatron", "nemo-rl/check.py", "nemo-rl", 1),
    ("skyrl", "", "megatron", "skyrl/check.py", "skyrl", 1),
    ("megatron-lm", "", "megatron", "megatron-lm/check.py", "megatron-lm", 1),
    ("megatron-bridge", "", "megatron", "megatron-bridge/check.py", "megatron-bridge", 1),
    *(("verl", version, f"verl-{version}", "verl/older.py", "verl-older", 4) for version in ("0.8.0", "0.7.1", "0.5.0", "0.4.1")),
)
FEWEST = 4000
# A card on which few of the texts fit or are fast, and how many of a framework's are mended for it.
SMALLER = "l40s"
MENDED = 48
# Texts that say one thing twice, of which a person takes one: the files of each form, and what tells the checker which it is.
FORMS = {
    "deepspeed": (
        (("run_deepspeed.sh", "ds_config.json"), {"file": "ds_config.json"}),
        (("run_deepspeed.sh", "ds_config_hf.json"), {"file": "ds_config_hf.json"}),
    ),
    "chatlearn": ((("run_chatlearn.sh",), {}), (("grpo_shardwise.yaml",), {"file": {}})),
}


def emitted(shardwise, framework, version, questions):
    """One result of the command line per question."""
    lines = "".join(json.dumps(asked) + "\n" for asked in questions)
    run = subprocess.run([shardwise, "flags", "--for", framework, "--framework-version", version, "--json", "--page", "https://shardwise.example/"], input=lines,
                         capture_output=True, text=True)
    results = [json.loads(line) for line in run.stdout.splitlines()]
    if len(results) != len(questions):
        raise SystemExit(f"{framework}: {len(results)} results for {len(questions)} questions: {run.stderr[:2000]}")
    return results


def verdicts(environment, checker, items):
    """The errors that a framework's checker finds in each item, by id."""

    def part(items):
        run = subprocess.run([environment / "bin" / "python", HERE / checker],
                             input="".join(json.dumps(item) + "\n" for item in items), capture_output=True, text=True)
        found = [json.loads(line) for line in run.stdout.splitlines()]
        if len(found) != len(items):
            raise SystemExit(f"{environment.name}: the checker stopped after {len(found)} of {len(items)} texts:\n{run.stderr[-3000:]}")
        return {verdict["id"]: verdict["errors"] for verdict in found}

    # A second process where there is much to read.
    half = len(items) // 2 if len(items) > 200 else len(items)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        first, second = pool.map(part, (items[:half], items[half:]))
    return first | second


def shown(framework):
    """What the browser's stories copied from the page: MODEL.FRAMEWORK.sh, for eight GPUs each."""
    models, found = grid.models(), {}
    for path in sorted((HERE.parent / "out" / "page").glob(f"*.{framework}.sh")):
        name = f"page/{path.name}"
        snippet = {"file": path.name, "text": path.read_text()}
        found[name] = {"id": name, "snippets": [snippet], "facts": grid.facts(models[path.name.split(f".{framework}")[0]], 8)}
    return found


def improved(shardwise, snippets, folder):
    """The texts as `read` changes them; nothing where it changes none, or something outside of them too."""
    files = []
    for number, snippet in enumerate(snippets):
        files.append(pathlib.Path(folder, f"{number}-{pathlib.Path(snippet['file']).name}"))
        files[-1].write_text(snippet["text"])
    run = subprocess.run([shardwise, "read", "--json", "--gpu", SMALLER, *files], capture_output=True, text=True)
    found = json.loads(run.stdout).get("improved") or {}
    return found["texts"] if found.get("diff") and not found["elsewhere"] else None


def mended(shardwise, framework, texts):
    """Some of the texts as `read` changes them for a smaller card, each of several forms by itself."""
    every = max(1, len(texts) // MENDED)
    with tempfile.TemporaryDirectory() as folder:
        for name, item in list(texts.items())[::every]:
            for files, keys in FORMS.get(framework, ((None, {}),)):
                own = [snippet for snippet in item["snippets"] if files is None or snippet["file"] in files]
                changed = improved(shardwise, own, folder)
                if changed is not None:
                    called = "/".join(["mended", *(files or ())[-1:], name])
                    snippets = [{**snippet, "text": text} for snippet, text in zip(own, changed, strict=True)]
                    yield called, {**item, **keys, "id": called, "snippets": snippets}


def altered(framework, version, file, texts):
    """The cases of cases/FILE.toml on the texts that they alter. `versions`: only these refuse it ("": the default)."""
    with (HERE / "cases" / f"{file}.toml").open("rb") as opened:
        cases = tomllib.load(opened)["case"]
    for case in cases:
        if version not in case.get("versions", [version]):
            continue
        if case["of"] not in texts:
            raise SystemExit(f"{case['name']}: there is no text {case['of']}")
        item = dict(texts[case["of"]])
        item["id"] = f"refuse/{framework}/{case['name']}"
        item.update({key: case[key] for key in ("set", "unset", "add", "raw", "file") if key in case})
        if "text" in case:
            item["snippets"] = [{**item["snippets"][0], "text": case["text"]}]
        yield item, case["says"]


def check(checked, arguments):
    """Failures, and counts of texts, refusals by core, and altered texts."""
    framework, version, environment, checker, file, stride = checked
    asked = [entry for entry in grid.questions() if entry[1] == framework]
    stated = [entry for entry in asked if entry[4]]
    asked = stated + [entry for entry in asked if not entry[4]][::stride]
    results = emitted(arguments.shardwise, framework, version, [entry[2] for entry in asked])
    texts, failures, unsupported = {}, [], collections.Counter()
    for (name, _, _, facts, must), result in zip(asked, results):
        if "snippets" in result:
            texts[name] = {"id": name, "snippets": result["snippets"], "facts": facts}
        else:
            reason = result.get("unsupported") or f"{result['error']['field']}: {result['error']['message']}"
            unsupported[reason] += 1
            # An older version may have no words for what the newest does; it says so.
            if (must and not version) or "unsupported" not in result:
                failures.append(f"{name}: no text: {reason}")
    if not version:
        texts |= shown(framework)
    cases = list(altered(framework, version, file, texts))
    texts |= mended(arguments.shardwise, framework, texts)
    found = verdicts(arguments.environments / environment, checker, [*texts.values(), *(item for item, _ in cases)])
    failures += [f"{name}: {error}" for name in texts for error in found[name]]
    for item, says in cases:
        errors = found[item["id"]]
        if not errors:
            failures.append(f"{item['id']}: accepted, and must be refused")
        elif not any(says in error for error in errors):
            failures.append(f"{item['id']}: refused for another reason than {says!r}: {errors[0]}")
    if arguments.keep:
        for name, item in texts.items():
            folder = arguments.keep / environment / name
            folder.mkdir(parents=True, exist_ok=True)
            for snippet in item["snippets"]:
                (folder / snippet["file"]).write_text(snippet["text"])
    changed = sum(name.startswith("mended/") for name in texts)
    return failures, len(texts), changed, unsupported, len(cases)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shardwise", required=True)
    parser.add_argument("--environments", required=True, type=pathlib.Path)
    parser.add_argument("--only", action="append", metavar="FRAMEWORK", help="check this framework alone; may be repeated")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the emitted texts")
    arguments = parser.parse_args()
    start = time.monotonic()
    wanted = [checked for checked in CHECKED if not arguments.only or checked[0] in arguments.only]
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda checked: check(checked, arguments), wanted))
    failed = passed = texts = 0
    for (framework, version, *_), (failures, emitted_texts, changed, unsupported, cases) in zip(wanted, results):
        bad = len({failure.split(":")[0] for failure in failures})
        print(f"{framework} {version or '(default)'}: {emitted_texts} texts checked, {changed} of them mended by `read`, {cases} altered texts to refuse, {sum(unsupported.values())} questions without a text")
        for reason, times in unsupported.most_common():
            print(f"  {times} × {reason}")
        for failure in failures:
            print(f"  FAILED {failure}")
        texts += emitted_texts
        failed += bad
        passed += emitted_texts + cases - bad
    if texts < FEWEST and not arguments.only:
        print(f"FAILED: {texts} texts are fewer than {FEWEST}")
        failed += 1
    print(f"{texts} texts in {time.monotonic() - start:.0f} s")
    print(f"{max(passed, 0)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
