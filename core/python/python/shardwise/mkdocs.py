"""The calculator in pages that MkDocs builds.

In `mkdocs.yml`::

    plugins:
      - shardwise:
          site: https://docs.example.org/shardwise/

In a page, a fence named `shardwise` with options a line, or a question as JSON, or a copied link::

    ```shardwise
    model: qwen3-8b
    gpu: h200-sxm
    gpus: 16
    workload: grpo
    ```

The page shows the calculator, and a table of the answer, computed while the page is built, where no script runs. A question that
is refused is a warning with its file, its line, the field and the remedy: `mkdocs build --strict` stops there.
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
from __future__ import annotations

import re
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from mkdocs.config.base import Config
from mkdocs.config.config_options import ExtraScriptValue, Type
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, get_plugin_logger

from . import _embed
from .errors import ShardwiseError

logger = get_plugin_logger("shardwise")

# After whitespace is made one (30), before other fences are read (25).
PRIORITY = 27
FENCE = re.compile(r"^(?P<indent>[ >]*)(?P<fence>`{3,}|~{3,})[ ]*(?P<name>[^`\n]*?)[ ]*$")


class ShardwiseConfig(Config):
    """What `mkdocs.yml` says."""

    site = Type(str, default="")
    language = Type(str, default="")


class ShardwisePlugin(BasePlugin[ShardwiseConfig]):
    """Fences named `shardwise` become the calculator."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        try:
            site = _embed.site(self.config.site)
        except ShardwiseError as error:
            raise PluginError(f"shardwise: {error}") from error
        if site:
            script = ExtraScriptValue(f"{site}embed.js")
            script.async_ = True
            config.extra_javascript.append(script)
        theme = config.theme.get("language") or config.theme.get("locale")
        self.fences = Fences(site, _embed.language(self.config.language or str(theme or "")))
        config.markdown_extensions.append(self.fences)
        return config

    def on_page_markdown(self, markdown: str, page: Any, config: MkDocsConfig, files: Any) -> str:
        whole = page.file.content_string
        # Lines before the text that is read: the page's metadata.
        before = whole[: whole.find(markdown)].count("\n") if markdown and markdown in whole else 0
        self.fences.at = (page.file.src_uri, before)
        return markdown


class Fences(Extension):
    """The fences, for Python-Markdown."""

    def __init__(self, site: str, lang: str) -> None:
        super().__init__()
        self.site, self.lang = site, lang
        self.at = ("", 0)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802, as Markdown names it
        md.preprocessors.register(_Fences(md, self), "shardwise", PRIORITY)

    def shown(self, text: str, line: int) -> str:
        """A fence's calculator; nothing where its question is refused, which is said."""
        try:
            options, body = _embed.lines(text)
            return _embed.html(_embed.embed(options, body, self.lang), self.site, options.get("height"))
        except ShardwiseError as error:
            name, before = self.at
            logger.warning("%s:%s: %s", name, before + line, error)
            return ""


class _Fences(Preprocessor):
    def __init__(self, md: Markdown, fences: Fences) -> None:
        super().__init__(md)
        self.fences = fences

    def run(self, lines: list[str]) -> list[str]:
        written: list[str] = []
        place = 0
        while place < len(lines):
            begin = FENCE.match(lines[place])
            end = begin and _end(lines, place, begin["fence"])
            if not begin or end is None:
                written.append(lines[place])
                place += 1
            elif begin["name"] != "shardwise":
                # What other fences hold is theirs.
                written += lines[place : end + 1]
                place = end + 1
            else:
                indent = begin["indent"]
                text = "\n".join(line.removeprefix(indent) for line in lines[place + 1 : end])
                shown = self.md.htmlStash.store(self.fences.shown(text, place + 1))
                written += [indent.rstrip(), f"{indent}{shown}", indent.rstrip()]
                place = end + 1
        return written


def _end(lines: list[str], begin: int, fence: str) -> int | None:
    """The line that ends the fence of another."""
    closing = re.compile(rf"^[ >]*{fence[0]}{{{len(fence)},}}[ ]*$")
    return next((place for place in range(begin + 1, len(lines)) if closing.match(lines[place])), None)
