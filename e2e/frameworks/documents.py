"""What the checks of YAML and JSON files share: a reader that refuses a key set twice, and altered texts."""

import re

import yaml


class Once(yaml.SafeLoader):
    """PyYAML keeps the last of two equal keys without a word."""


def once(loader, node, deep=False):
    seen = [loader.construct_object(key, deep=deep) for key, _ in node.value]
    for key in seen:
        if seen.count(key) > 1:
            raise ValueError(f"{key} is set twice")
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


Once.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, once)


def read(text):
    try:
        return yaml.load(text, Once)  # noqa: S506: a SafeLoader
    except yaml.YAMLError as error:
        raise ValueError(f"no YAML: {' '.join(str(error).split())}") from error


def altered(item):
    """The item's files by name, with its changes: `FILE:key` for another than the first."""
    files = {snippet["file"]: snippet["text"] for snippet in item["snippets"]}
    first = item["snippets"][0]["file"]

    def change(path, line):
        file, _, key = path.partition(":")
        file, key = (file, key) if file in files else (first, path)
        files[file], times = re.subn(rf'^( *"?){re.escape(key)}("?): .*\n', lambda found: line(found, key), files[file], flags=re.M)
        if times != 1:
            raise RuntimeError(f"{item['id']}: {times} lines set {path}")

    for path, value in item.get("set", {}).items():
        change(path, lambda found, key, value=value: f"{found[1]}{key}{found[2]}: {value}\n")
    for path in item.get("unset", []):
        change(path, lambda found, key: "")
    files[first] = "\n".join([files[first], *item.get("add", [])])
    return files
