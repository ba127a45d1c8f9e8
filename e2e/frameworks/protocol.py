"""How the driver talks to a checker: one JSON object per line, an item in, a verdict out.

An item: `id`, `snippets` (file and text), `facts` of the model and the machine, and, for a text that
must be refused, `set`, `unset`, `add`: what is changed in its settings before it is checked, or `file`: what is
replaced in ChatLearn's file, or in Unsloth's program.
A verdict: `id`, `errors`: what is wrong, empty where the framework accepts the text.
"""

import json
import sys


def serve(check):
    """Answers every line of the standard input with `check(item)`, a list of errors."""
    out = sys.stdout
    sys.stdout = sys.stderr  # what a framework prints is no verdict
    for line in sys.stdin:
        item = json.loads(line)
        try:
            errors = check(item)
        except ValueError as error:
            errors = [str(error)]
        print(json.dumps({"id": item["id"], "errors": errors}), file=out, flush=True)


def altered(settings, item):
    """The settings with the item's changes: `key=value` words."""
    changes = dict(item.get("set", {}))
    gone = set(item.get("unset", []))
    out = []
    for word in settings:
        key = word.split("=", 1)[0].lstrip("+")
        if key in gone:
            gone.discard(key)
        elif key in changes:
            out.append(word.split("=", 1)[0] + "=" + changes.pop(key))
        else:
            out.append(word)
    if changes or gone:
        raise RuntimeError(f"{item['id']}: the text does not set {sorted(changes) + sorted(gone)}")
    return out + item.get("add", [])


def twice(settings):
    """Keys set more than once."""
    seen, errors = set(), []
    for word in settings:
        key = word.split("=", 1)[0].lstrip("+")
        if key in seen:
            errors.append(f"{key} is set twice")
        seen.add(key)
    return errors
