"""The calculator for a page that anything builds: HTML on standard output.

    $ echo 'model: qwen3-8b
    gpu: h200-sxm
    gpus: 16' | python -m shardwise.embed --site https://docs.example.org/shardwise/

Options a line, or a question as JSON, or a copied link, on standard input. What comes out is the element with a table of the answer
in it, which is seen where no script runs; without `--site` the table alone. `shardwise.sphinx` and `shardwise.mkdocs` do this while
they build pages.
"""

from __future__ import annotations

import argparse
import sys

from . import _embed
from .errors import ShardwiseError


def main(words: list[str] | None = None) -> int:
    """Writes it; the exit status is 1 where a question is refused."""
    parser = argparse.ArgumentParser(prog="python -m shardwise.embed", description="The calculator as HTML, of options, a question or a link on standard input.")
    parser.add_argument("--site", default="", help="address of the calculator; without it the table alone")
    parser.add_argument("--table", action="store_true", help="the table and the link to the calculator alone")
    parser.add_argument("--script", action="store_true", help="with the script that makes the element, for a page that has none of it yet")
    parser.add_argument("--lang", default="", help="language of the page: en, zh-CN")
    own = parser.parse_args(words)
    try:
        site = _embed.site(own.site)
        options, body = _embed.lines(sys.stdin.read())
        shown = _embed.html(_embed.embed(options, body, _embed.language(own.lang)), site, options.get("height"), own.table)
    except ShardwiseError as error:
        print(f"shardwise: {error}", file=sys.stderr)
        return 1
    if own.script and site and not own.table:
        print(_embed.script(site))
    print(shown)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
