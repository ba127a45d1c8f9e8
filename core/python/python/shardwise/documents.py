"""What the functions return: the documents as dictionaries and lists, which a notebook shows as tables and charts."""

# No annotations: documents.pyi has them, made of the schema.


class _Document(dict):
    """A document of the command line."""

    def _repr_html_(self):
        from . import _html

        return _html.SHOWN[type(self).__name__](self)


class _Table(_Document):
    """A document with rows."""

    def to_pandas(self):
        """Its rows as a DataFrame: see `shardwise.to_pandas`."""
        return to_pandas(self)


class Rows(list):
    """Answers, offers, or rows of the catalog."""

    def to_pandas(self):
        """A row for each: see `shardwise.to_pandas`."""
        return to_pandas(self)

    def _repr_html_(self):
        from . import _html

        return _html.table(self)


class Answer(_Document):
    """What a question is answered with."""


class Plans(_Table):
    """The best plans on the question's own GPUs."""

    def __init__(self, document):
        super().__init__(document)
        self["plans"] = Rows(map(Answer, self["plans"]))


class Offered(_Document):
    """A GPU type and number with its best plan."""

    def __init__(self, document):
        super().__init__(document)
        self["answer"] = Answer(self["answer"])


class Offers(_Table):
    """The best offers among GPU types and numbers of GPUs."""

    def __init__(self, document):
        super().__init__(document)
        for key in ("offers", "front"):
            self[key] = Rows(map(Offered, self[key]))


class Snippets(_Document):
    """Texts to paste."""

    @property
    def text(self):
        """The texts one below the other, as the command line prints them."""
        return "\n".join(one["text"] for one in self["snippets"])


class ReadText(_Document):
    """A text that was read."""

    def __init__(self, document):
        super().__init__(document)
        if self["answer"] is not None:
            self["answer"] = Answer(self["answer"])


class Diagnosis(_Document):
    """Where memory ran out."""


class Sensitivity(_Document):
    """What each single change of a plan is worth."""


def to_pandas(results):
    """Results as a DataFrame.

    A row for each answer, plan, offer or row of the catalog, a column for each figure, named by its place in the document:
    `memory.reserved_gib`. Lists of objects, as advice, are left out. A question that was refused has a row with `error.field` and
    `error.message`.
    """
    try:
        import pandas
    except ImportError as error:
        message = "to_pandas() needs pandas, which is not installed. Run: pip install 'shardwise[pandas]'"
        raise ImportError(message) from error
    return pandas.DataFrame([_flat(one) for one in _rows(results)])


def _rows(results):
    if isinstance(results, dict):
        for key in ("plans", "offers"):
            if key in results:
                return results[key]
        return [results]
    return results


def _flat(one, path=""):
    if isinstance(one, Exception):
        return {"error.field": getattr(one, "field", "log"), "error.message": one.message}
    row = {}
    for key, value in one.items():
        if isinstance(value, dict):
            row.update(_flat(value, f"{path}{key}."))
        elif not isinstance(value, list) or (value and not isinstance(value[0], (dict, list))):
            row[path + key] = value
    return row
