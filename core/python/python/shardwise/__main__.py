"""`python -m shardwise`: the program that comes with the package."""

from __future__ import annotations

import os
import sys
from importlib.metadata import distribution
from pathlib import Path


def program() -> Path:
    """Where the program was installed to."""
    own = distribution("shardwise")
    for file in own.files or []:
        if file.name in ("shardwise", "shardwise.exe"):
            path = Path(str(own.locate_file(file))).resolve()
            if path.is_file():
                return path
    raise SystemExit("shardwise: The program is not where it was installed. Run: pip install --force-reinstall shardwise")


def main() -> None:
    """Runs it in the place of Python."""
    path = str(program())
    arguments = [path, *sys.argv[1:]]
    if sys.platform == "win32":
        import subprocess

        raise SystemExit(subprocess.call(arguments))
    os.execv(path, arguments)


if __name__ == "__main__":
    main()
