"""Rows of a run kept in a folder of parquet parts, written while the run goes on, so that memory stays flat.

    FOLDER/manifest.json          what it takes to reproduce the tables
    FOLDER/seats-000000000000.parquet, battles-..., deals-...    a part a block, named by its first deal

A part is written under another name and then renamed: there is never half a part.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palace_sim import tables
from palace_sim.kernels.rows import Rows
from palace_sim.rowstore import RowStore

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("seats", "battles", "deals")


class FolderStore:
    """Keeps the rows of blocks as parquet parts in a folder.

    Parameters
    ----------
    folder : str or Path
        A folder that is new or empty.
    names : list of str
        Names of the policies.

    Raises
    ------
    ValueError
        The folder holds something, or is a file.
    """

    shared: Rows | None = None  # blocks bring their rows along

    def __init__(self, folder: str | Path, names: list[str]) -> None:
        self.folder, self.names = Path(folder).absolute(), names
        self.written = dict.fromkeys(KINDS, 0)
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise ValueError(f"folder takes a new or an empty folder, got {str(folder)!r}, which is neither")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"folder takes a folder that can be written, got {str(folder)!r}: {error}") from error

    def say(self, manifest: dict[str, Any]) -> None:
        """Write the manifest."""
        _put(self.folder / "manifest.json", lambda path: path.write_text(json.dumps(manifest, indent=1) + "\n"))

    def add(self, first: int, rows: Rows) -> None:
        """Write the rows of the block that begins with deal `first`."""
        block = RowStore(parts={first: rows})
        for kind in KINDS:
            table = tables.frame(block.columns(kind), kind, self.names)
            if len(table):
                self.written[kind] += len(table)
                _put(self.folder / f"{kind}-{first:012}.parquet", table.to_parquet)

    def frame(self, kind: str) -> pd.DataFrame:
        """Read a whole table back, in the order of deals."""
        import pandas as pd

        parts = [pd.read_parquet(path) for path in sorted(self.folder.glob(f"{kind}-*.parquet"))]
        if sum(map(len, parts)) != self.written[kind]:
            raise ValueError(f"folder {str(self.folder)!r} lacks rows of {kind}: {self.written[kind]} were written")
        if not parts:
            return tables.frame(RowStore().columns(kind), kind, self.names)
        return pd.concat(parts, ignore_index=True)


def _put(path: Path, write: Any) -> None:
    """Write a file under another name and rename it when it is whole."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        write(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
