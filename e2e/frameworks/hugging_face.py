"""What the checks of frameworks on Hugging Face's Trainer share: files in a folder of their own, and the command in the head."""

import contextlib
import os
import re
import tempfile


@contextlib.contextmanager
def folder(files):
    """A folder with the files, in which what runs runs."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as here:
        os.chdir(here)
        for name, text in files.items():
            with open(name, "w") as file:
                file.write(text)
        try:
            yield
        finally:
            os.chdir(before)


def start(text):
    """The command in the head."""
    found = re.search(r"^# Start on each node: (.*)$", text, re.M)
    if not found:
        raise ValueError("the head does not say how to start")
    return found[1]
