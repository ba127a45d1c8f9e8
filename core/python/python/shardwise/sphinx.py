"""The calculator in pages that Sphinx builds, from reStructuredText and MyST.

In `conf.py`::

    extensions = ["shardwise.sphinx"]
    shardwise_site = "https://docs.example.org/shardwise/"

In a page::

    .. shardwise::
       :model: qwen3-8b
       :gpu: h200-sxm
       :gpus: 16
       :workload: grpo

The page shows the calculator; where no script runs, and in LaTeX, text, EPUB and man pages, a table of the answer, computed while
the page is built. A question that is refused is a warning of Sphinx's, with its file, its line, the field and the remedy.
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from . import __version__, _embed
from .errors import ShardwiseError

logger = logging.getLogger(__name__)


class shardwise(nodes.container):  # noqa: N801, as docutils names nodes
    """The calculator. What is in it is shown where it is not."""


class ShardwiseDirective(SphinxDirective):
    """`.. shardwise::`, with options for what matters, or a question as JSON, or a copied link, as content."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        **{name: directives.unchanged_required for name in _embed.OPTIONS},
        "class": directives.class_option,
        "name": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        options = {name: value for name, value in self.options.items() if name in _embed.OPTIONS}
        where = (self.env.docname, self.lineno)
        try:
            site = _embed.site(self.config.shardwise_site)
        except ShardwiseError as error:
            logger.warning("shardwise_site: %s", error.message, location=where, type="shardwise", subtype="site")
            site = ""
        try:
            own = _embed.embed(options, "\n".join(self.content), _embed.language(self.config.language))
        except ShardwiseError as error:
            logger.warning("shardwise: %s", error, location=where, type="shardwise", subtype="question")
            return []
        node = shardwise(classes=["shardwise", *self.options.get("class", [])])
        if site:
            node["element"] = _embed.start(own, options.get("height"))
        node += [_table(own.rows), _source(own, site)]
        self.set_source_info(node)
        self.add_name(node)
        return [node]


def _table(rows: list[tuple[str, str]]) -> nodes.table:
    body = nodes.tbody()
    for name, value in rows:
        cells = (nodes.entry("", nodes.paragraph("", "", nodes.strong("", name))), nodes.entry("", nodes.paragraph("", value)))
        body += nodes.row("", *cells)
    columns = (nodes.colspec(colwidth=20), nodes.colspec(colwidth=80))
    return nodes.table("", nodes.tgroup("", *columns, body, cols=2), classes=["shardwise-answer"])


def _source(own: _embed.Embed, site: str) -> nodes.paragraph:
    source = nodes.paragraph("", own.source)
    if site:
        source += [nodes.Text(" "), nodes.reference("", own.open, refuri=f"{site}#{own.link}", internal=False)]
    return source


def _visit_html(self: Any, node: shardwise) -> None:
    # The element holds no block for CSS: what is around it does.
    self.body.append(self.starttag(node, "div"))
    if "element" in node:
        self.body.append(node["element"])


def _depart_html(self: Any, node: shardwise) -> None:
    self.body.append("</shardwise-calculator></div>\n" if "element" in node else "</div>\n")


def _visit(self: Any, node: shardwise) -> None:
    """Its content alone."""


def _add_script(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Pages without it load nothing."""
    if doctree is not None and any("element" in node for node in doctree.findall(shardwise)):
        app.add_js_file(f"{_embed.site(app.config.shardwise_site)}embed.js", **{"async": "async"})


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx calls."""
    app.add_config_value("shardwise_site", "", "env", [str])
    app.add_directive("shardwise", ShardwiseDirective)
    text = (_visit, _visit)
    app.add_node(shardwise, html=(_visit_html, _depart_html), epub=text, latex=text, text=text, man=text, texinfo=text)
    app.connect("html-page-context", _add_script)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
