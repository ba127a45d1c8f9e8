"""What is raised where a question, a text or an option cannot be answered."""

from __future__ import annotations

import re

# Where a sentence ends and another begins, in English and in Chinese: no point within a number, a name or a quotation.
_SENTENCE = re.compile(r'(?<=[.!?]) (?=[A-Z"“])|(?<=[。！？])(?=.)')


class ShardwiseError(ValueError):
    """What cannot be answered. Its text says what was found and what would be right."""

    message: str
    """What was found, what is allowed, and the remedy."""

    @property
    def remedy(self) -> str:
        """What to do: the message without its first sentence, which says what is wrong; all of it where it has but one."""
        _, *rest = _SENTENCE.split(self.message, maxsplit=1)
        return rest[0] if rest else self.message


class QuestionError(ShardwiseError):
    """A question, or an option, that cannot be answered: which field is wrong, and what would be right."""

    field: str
    """Path of the value in the question, as in `plan.tensor_parallel`, or the option's name."""
    index: int | None
    """Which question of a list it is; `None` where one was asked."""

    def __init__(self, field: str, message: str, index: int | None = None) -> None:
        super().__init__(field, message, index)
        self.field, self.message, self.index = field, message, index

    def __str__(self) -> str:
        place = "" if self.index is None else f"question {self.index}: "
        return f"{place}{self.field}: {self.message}"


class UnsupportedError(QuestionError):
    """A framework that cannot run the question's plan: why, and what it could run instead."""


class TextError(ShardwiseError):
    """A text that cannot be read: a script, a traceback or a log."""

    line: int
    """Line of the text, from 1; 0 where no single line is meant."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(line, message)
        self.line, self.message = line, message

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message
