"""Questions and options as the JSON that Rust takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def written(options: Mapping[str, Any]) -> str:
    """Options as JSON, without those that say nothing."""
    own = {name: value for name, value in options.items() if value is not None}
    return text(own) if own else ""


def text(document: object) -> str:
    """A document as JSON. Texts are JSON already."""
    return document if isinstance(document, str) else json.dumps(document, default=_number)


def _number(value: Any) -> Any:
    """A number of NumPy's, or an element of a DataFrame, as Python's own."""
    own = getattr(value, "item", None)
    if own is None:
        raise TypeError(f"A question holds no {type(value).__name__}. Give text, numbers, lists and dictionaries.")
    return own()
