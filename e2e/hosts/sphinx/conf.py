"""The least of a Sphinx site: what veRL's and ChatLearn's docs have that matters to an embed is their theme."""

import os

project = "Host"
language = "en"
html_theme = "sphinx_rtd_theme"
html_js_files = [(os.environ["SHARDWISE"] + "embed.js", {"async": "async"})]
