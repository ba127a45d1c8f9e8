"""The example notebooks run from their first cell to their last, and are kept without outputs."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


class ThisPython(KernelSpecManager):
    """The kernel is the Python of the tests, whatever else is installed for the person."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name=kernel_name, language="python")


def test_there_are_some() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells), "kept without outputs"
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=ThisPython())
    # Any cell that raises fails the test, with its traceback.
    NotebookClient(notebook, km=manager, timeout=300).execute()
    outputs = [output for cell in cells for output in cell.outputs]
    shown = [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert len(shown) >= 3 and "<svg" in shown[0]
    assert len(outputs) == len(cells)
