"""Notebooks give the tables that are kept with them, at full size.

Run with: pytest -m slow tests/slow/test_notebooks_full.py

Everything in them is seeded, so tables, hands and what is printed are the same to the last character. Of pictures only
the number is compared: their bytes depend on fonts and on matplotlib's version.
"""

import pytest
from running_notebooks import NOTEBOOKS, code_cells, each, images, quiet, read, run, shown

pytestmark = pytest.mark.slow


def first_difference(kept, now):
    """Say where two texts begin to differ."""
    pairs = zip(kept.splitlines(), now.splitlines(), strict=False)
    for number, (a, b) in enumerate(pairs, 1):
        if a != b:
            at = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            near = slice(max(0, at - 30), at + 60)
            return f"line {number}: kept ...{a[near]}..., now ...{b[near]}..."
    return f"{len(kept.splitlines())} lines are kept, now there are {len(now.splitlines())}"


def differences(name, kept, now):
    """Name every cell that shows something else than what is kept."""
    found = []
    for number, (old, new) in enumerate(zip(kept, now, strict=True), 1):
        what = f"{name}, In [{number}] ({old.source.strip().splitlines()[-1][:60]})"
        if len(images(old)) != len(images(new)):
            found.append(f"{what}: {len(images(old))} pictures are kept, now there are {len(images(new))}")
        a, b = shown(old), shown(new)
        if [kind for kind, _ in a] != [kind for kind, _ in b]:
            found.append(f"{what}: {[kind for kind, _ in a]} are kept, now there are {[kind for kind, _ in b]}")
            continue
        for (kind, left), (_, right) in zip(a, b, strict=True):
            if left != right:
                found.append(f"{what}: {kind} differs, {first_difference(left, right)}")
    return found


@quiet
@each
def test_notebook_gives_what_is_kept(path, tmp_path, monkeypatch):
    now = run(path, tmp_path, monkeypatch, timeout=1800)
    found = differences(path.name, code_cells(read(path)), code_cells(now))
    assert not found, "\n".join(found)


def test_a_changed_figure_is_found_and_named():
    """The comparison itself: one digit of a table, in a copy of the kept outputs."""
    kept, changed = code_cells(read(NOTEBOOKS[0])), code_cells(read(NOTEBOOKS[0]))
    assert differences("a.ipynb", kept, changed) == []
    number, table = next(
        (number, out.data)
        for number, cell in enumerate(changed, 1)
        for out in cell.outputs
        if "<td>" in out.get("data", {}).get("text/html", "")
    )
    table["text/html"] = table["text/html"].replace("<td>", "<td>9", 1)
    (said,) = differences("a.ipynb", kept, changed)
    assert said.startswith(f"a.ipynb, In [{number}] (") and "text/html differs, line " in said
