"""What tests of notebooks share: running one as it stands, and reading what its cells show."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import palace_sim as ps

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))

# jupyter's own libraries, at work in this process
quiet = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def run(path, folder, monkeypatch, scale=1.0, timeout=600):
    """The notebook after all of its cells have run, in a folder and a kernel of its own, `scale` times as large."""
    monkeypatch.setenv("PALACE_SIM_NOTEBOOK_SCALE", str(scale))
    monkeypatch.setenv("PYTHONPATH", str(Path(ps.__file__).parents[1]))
    notebook = read(path)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=timeout, kernel_name="python3", resources=resources).execute()
    return notebook


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def images(cell):
    return [out for out in cell.outputs if "image/png" in out.get("data", {})]


def shown(cell):
    """What a cell shows, pictures apart: (kind, text) in turn, text that was printed in pieces put together."""
    found = []
    for out in cell.outputs:
        if out.output_type == "stream":
            if found and found[-1][0] == out.name:
                found[-1] = (out.name, found[-1][1] + out.text)
            else:
                found.append((out.name, out.text))
        elif out.output_type == "error":
            found.append(("error", out.evalue))
        elif "image/png" not in out.data:  # the text beside a picture names its size only
            found += [(kind, out.data[kind]) for kind in ("text/plain", "text/html") if kind in out.data]
    return found
