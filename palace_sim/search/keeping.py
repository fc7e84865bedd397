"""The folder of a search: what was asked for, a parquet file a generation, from which it goes on, and the end."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1


def write_whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_name(path.name + ".part")
    write(part)
    part.replace(path)


class SearchFolder:
    """A folder that keeps a search.

    Parameters
    ----------
    folder : str or Path
        A new or an empty folder, or one that keeps the same search.
    said : dict
        All that decides the search, as JSON holds it.

    Raises
    ------
    ValueError
        The folder cannot be used; says what differs.
    """

    def __init__(self, folder: str | Path, said: dict[str, Any]) -> None:
        if not isinstance(folder, str | Path) or folder == "":
            raise ValueError(f"folder takes a path, got {folder!r}")
        self.path = Path(folder).absolute()
        said = json.loads(json.dumps(said | {"format": FORMAT}))
        known = self.path / "search.json"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if known.exists():
                _refuse_other(self.path, _read(known), said)
            elif any(self.path.iterdir()):
                raise ValueError(f"folder {str(folder)!r} holds something that is no search: choose another")
            else:
                write_whole(known, lambda path: path.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8"))
        except OSError as error:
            raise ValueError(f"folder takes a folder that can be written, got {str(folder)!r}: {error}") from error

    def _generation(self, number: int) -> Path:
        return self.path / f"generation-{number:05d}.parquet"

    def read(self, number: int) -> pd.DataFrame | None:
        """Return the rows of a generation, None where it is not there or damaged."""
        import pandas as pd

        path = self._generation(number)
        if not path.exists():
            return None
        try:
            return pd.read_parquet(path)
        except (OSError, ValueError) as error:  # pyarrow's errors are ValueErrors
            why = " ".join(str(error).split())[:200]
            warnings.warn(f"{path} is damaged and is played again: {why}", RuntimeWarning, stacklevel=2)
            return None

    def write(self, number: int, rows: pd.DataFrame) -> None:
        """Keep the rows of a generation."""
        write_whole(self._generation(number), lambda path: rows.to_parquet(path, index=False))

    def _end(self, generations: int) -> Path:
        return self.path / f"end-{generations:05d}.json"

    def read_end(self, generations: int, finalists: Any) -> dict[str, Any] | None:
        """Return what `write_end` kept after so many generations; None where it is not there, damaged or of others."""
        path = self._end(generations)
        if not path.exists():
            return None
        try:
            found = _read(path)
        except ValueError:
            warnings.warn(f"{path} is damaged and is played again", RuntimeWarning, stacklevel=2)
            return None
        return found if found.get("finalists") == json.loads(json.dumps(finalists)) else None

    def write_end(self, generations: int, end: dict[str, Any]) -> None:
        """Keep what was played at the end of a search of so many generations, and by which finalists."""
        text = json.dumps(end, indent=1) + "\n"  # floats come back as they were
        write_whole(self._end(generations), lambda path: path.write_text(text, encoding="utf-8"))


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise TypeError("it is no dict")
        return found
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path} is damaged ({error}): remove it, or choose another folder") from error


def _refuse_other(path: Path, there: dict[str, Any], here: dict[str, Any]) -> None:
    """Refuse a folder that keeps another search."""
    differ = [key for key in {**there, **here} if there.get(key) != here.get(key)]
    if differ:
        what = "; ".join(f"{key} is {_short(there.get(key))} there, {_short(here.get(key))} here" for key in differ)
        raise ValueError(f"folder {str(path)!r} keeps another search: {what}. Choose another folder")


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
