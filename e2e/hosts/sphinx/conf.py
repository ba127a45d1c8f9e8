"""The least of a Sphinx site: what veRL's and ChatLearn's docs have that matters to an embed is their theme."""

import os

project = "Host"
language = "en"
extensions = ["shardwise.sphinx", "myst_parser"]
shardwise_site = os.environ["SHARDWISE"]
html_theme = "sphinx_rtd_theme"
