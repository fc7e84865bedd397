"""Runs kept in a folder: parquet parts and a manifest, from which a run goes on after whatever stopped it.

    FOLDER/manifest.json            what was asked for, and what it takes to reproduce it
    FOLDER/sums-GROUP-NUMBER.parquet    sums of some blocks of deals of a group of line-ups
    FOLDER/seats-..., battles-..., deals-...    the rows of the same blocks, if any were asked for

A group is a list of line-ups that play the same deals. A file is written under another name and then renamed, the rows
of a part before its sums: a part is there when its sums are, and there is never half a part. Sums are integers, so what
is played again after a stop ends in the same tables.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palace_sim import tables
from palace_sim.kernels.rows import Rows
from palace_sim.parts import DamagedPartError, file_digest, read_part, read_rows, write_part
from palace_sim.plans import Plan
from palace_sim.rowstore import RowStore
from palace_sim.run import Block, Keeper, gaps
from palace_sim.totals import Totals

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
KINDS = ("seats", "battles", "deals")
PART_SECONDS = 5.0  # a part is written at least so often
PART_ROWS = 300_000  # and before it holds more rows of seats than about this
MUST_AGREE = (
    "format",
    "palace_sim",
    "stream_version",
    "seed",
    "seats",
    "rotations",
    "all_seatings",
    "luck",
    "illegal",
    "rows",
    "start",
    "known_to",
    "rules",
)


class RunFolder:
    """A folder that keeps a run.

    Parameters
    ----------
    folder : str or Path
        A new or empty folder, or one that keeps a run with the same rules, seed and policies.
    manifest : dict
        What is to be played (`palace_sim.simulate.manifest_of`).

    Raises
    ------
    ValueError
        The folder cannot be used; says why, and what differs.
    """

    def __init__(self, folder: str | Path, manifest: dict[str, Any]) -> None:
        if not isinstance(folder, str | Path):
            raise ValueError(f"folder takes a path, got {folder!r}")
        self.path = Path(folder).absolute()
        self.manifest = manifest
        self.groups: dict[str, KeptGroup] = {}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"folder takes a folder that can be written, got {str(folder)!r}: {error}") from error
        self._lock = _lock(self.path)
        try:
            before = read_manifest(self.path, missing_ok=True)
            if before is not None:
                _refuse_other(self.path, before, manifest)
                self.manifest["policies"] = before["policies"] | manifest["policies"]
                self.manifest["groups"] = before["groups"]
            self.manifest.setdefault("groups", {})
            self.manifest["used"] = []  # groups that the request is made of; others are of earlier requests
            self.manifest["finished"] = False
            self.say()
        except BaseException:
            self.close()
            raise

    def say(self) -> None:
        """Write the manifest."""
        text = json.dumps(self.manifest, indent=1) + "\n"
        _put(self.path / "manifest.json", lambda path: path.write_text(text, encoding="utf-8"))

    def group(self, plan: Plan, label: str = "") -> KeptGroup:
        """Return the group of a plan's line-ups, with what has been kept of it.

        Parameters
        ----------
        plan : Plan
            The line-ups.
        label : str
            Tells apart groups of the same line-ups that are kept apart.
        """
        names = [policy.name for policy in plan.policies]
        lineups = [[names[k] for k in lineup] for lineup in plan.lineups.tolist()]
        said = json.dumps([label, lineups])
        mark = hashlib.sha256(said.encode()).hexdigest()[:12]
        if mark not in self.groups:
            self.manifest["groups"].setdefault(mark, {"label": label, "lineups": lineups})
            self.manifest["used"].append(mark)
            self.say()
            self.groups[mark] = KeptGroup(self.path, mark, plan)
        return self.groups[mark]

    def finish(self) -> None:
        """Note that all that was asked for has been played."""
        self.manifest["finished"] = True
        self.say()
        self.close()

    def close(self) -> None:
        """Let others use the folder."""
        if self._lock is not None:
            _let_go(self._lock)
            self._lock = None


class KeptGroup:
    """A group of line-ups whose blocks are kept in a folder.

    Attributes
    ----------
    totals : Totals
        Sums of all that is kept.
    blocks : list of (int, int)
        First deal and number of deals of each block that is kept.
    reading : bool
        Whether it is only read: a damaged part is an error then, and nothing is put right.
    """

    rows_shared: Rows | None = None  # blocks bring their rows along

    def __init__(self, folder: Path, mark: str, plan: Plan, reading: bool = False) -> None:
        self.folder, self.mark, self.plan, self.reading = folder, mark, plan, reading
        self.names = [policy.name for policy in plan.policies]
        self.totals = Totals.empty(plan)
        self.blocks: list[tuple[int, int]] = []
        self.written = dict.fromkeys(KINDS, 0)
        self.hashes: dict[tuple[str, str], str] = {}
        self.number = 0
        self.torn = False  # Ctrl-C came while sums were being added up: they are not to be kept
        self._load()
        self._begin()

    def _begin(self) -> None:
        self.pending = Totals.empty(self.plan)
        self.pending_blocks: list[tuple[int, int]] = []
        self.pending_rows = RowStore()
        self.began = time.monotonic()

    def _load(self) -> None:
        numbers = set()
        for path in sorted(self.folder.glob(f"sums-{self.mark}-*.parquet")):
            try:
                sums, said = read_part(path, self.plan)
            except DamagedPartError as error:
                if self.reading:
                    raise
                warnings.warn(f"{error}; it is set aside, and its deals are played again", RuntimeWarning, stacklevel=2)
                path.replace(path.with_name(path.name + ".damaged"))
                continue
            self.totals.add(sums)
            self.blocks += [(first, count) for first, count in said["blocks"]]
            for kind in KINDS:
                self.written[kind] += said["rows"][kind]
            number = path.stem.rpartition("-")[2]
            self.hashes |= {(kind, number): digest for kind, digest in said["files"].items()}
            numbers.add(path.stem.rpartition("-")[2])
        _refuse_overlap(self.blocks, self.folder)
        for kind in () if self.reading else KINDS:  # rows of a part that never came to be
            for path in self.folder.glob(f"{kind}-{self.mark}-*.parquet"):
                if path.stem.rpartition("-")[2] not in numbers:
                    path.unlink()
        self.number = 1 + max((int(number) for number in numbers), default=-1)

    def add(self, block: Block) -> None:
        """Keep a block."""
        if self.torn or not block.count:
            return
        self.torn = True
        self.pending.add_block(block.sums, block.first, block.count)
        self.pending_blocks.append((block.first, block.count))
        self.pending_rows.add(block.first, block.rows)
        self.torn = False
        held = sum(rows.seat_ints.shape[1] for rows in self.pending_rows.parts.values())
        if time.monotonic() - self.began > PART_SECONDS or held > PART_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write a part of the blocks that have been added since the last one."""
        if self.pending_blocks and not self.torn:
            rows = self.pending_rows
            self._write({kind: tables.frame(rows.columns(kind), kind, self.names) for kind in KINDS})

    def _write(self, rows: dict[str, pd.DataFrame]) -> None:
        wrote = {kind: len(table) for kind, table in rows.items()}
        try:
            for kind, table in rows.items():
                if len(table):
                    _put(self._part(kind), table.to_parquet)
            hashes = {kind: file_digest(self._part(kind)) for kind, many in wrote.items() if many}
            said = {"blocks": self.pending_blocks, "rows": wrote, "policies": self.names, "files": hashes}
            _put(self._part("sums"), lambda path: write_part(path, self.pending, said))
        except OSError:
            for kind in KINDS:
                self._part(kind).unlink(missing_ok=True)
            raise
        self.torn = True
        self.hashes |= {(kind, f"{self.number:06}"): digest for kind, digest in hashes.items()}
        self.totals.add(self.pending)
        self.blocks += self.pending_blocks
        for kind in KINDS:
            self.written[kind] += wrote[kind]
        self.number += 1
        self._begin()
        self.torn = False

    def keep(self, keeper: Keeper) -> None:
        """Write all that another keeper of the same line-ups holds, as one part."""
        self.pending.add(keeper.totals)
        self.pending_blocks = list(keeper.blocks)
        self._write({kind: keeper.frame(kind) for kind in KINDS})

    def _part(self, kind: str) -> Path:
        return self.folder / f"{kind}-{self.mark}-{self.number:06}.parquet"

    def missing(self, first: int, end: int) -> list[tuple[int, int]]:
        """Ranges of deals from `first` up to `end` that are not kept."""
        return gaps(self.blocks, first, end)

    def frame(self, kind: str) -> pd.DataFrame:
        """Read the rows of a table back, in the order of deals."""
        import pandas as pd

        paths = sorted(self.folder.glob(f"{kind}-{self.mark}-*.parquet"))
        parts = [read_rows(path, self.hashes.get((kind, path.stem.rpartition("-")[2]))) for path in paths]
        if sum(map(len, parts)) != self.written[kind]:
            raise ValueError(f"folder {str(self.folder)!r} lacks rows of {kind}: {self.written[kind]} were written")
        if not parts:
            return tables.frame(RowStore().columns(kind), kind, self.names)
        for part in parts:
            if "policy" in part:  # a part may be from before a policy joined
                part["policy"] = part["policy"].cat.set_categories(self.names)
        whole = pd.concat(parts, ignore_index=True)
        return whole.sort_values("deal", kind="stable", ignore_index=True)


def _refuse_overlap(blocks: list[tuple[int, int]], folder: Path) -> None:
    ordered = sorted(blocks)
    for (a, many), (b, _) in itertools.pairwise(ordered):
        if a + many > b:
            raise ValueError(f"folder {str(folder)!r} keeps deal {b} twice: two runs have written to it at a time")


# --- the folder -------------------------------------------------------------------------------------------------------


def read_manifest(folder: Path, missing_ok: bool = False) -> dict[str, Any] | None:
    """Read the manifest of a kept run.

    Raises
    ------
    ValueError
        The folder keeps no run, or its manifest cannot be read.
    """
    path = folder / "manifest.json"
    if not folder.is_dir() or not path.is_file():
        if missing_ok and folder.is_dir() and not any(_visible(folder)):
            return None
        what = "which holds other things" if missing_ok else "which keeps no run (it has no manifest.json)"
        if (folder / "search.json").is_file():
            what = "which keeps a search: the call or command that began it goes on with it"
        takes = "a new or an empty folder, or one that keeps a run" if missing_ok else "a folder that keeps a run"
        raise ValueError(f"folder takes {takes}, got {str(folder)!r}, {what}")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise ValueError(f"is of format {found['format']}, this version reads format {FORMAT}")
        for key in ("policies", "groups", "used", "request", "finished", *MUST_AGREE):
            found[key]
    except (KeyError, TypeError, ValueError) as error:
        what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"folder {str(folder)!r}: manifest.json is damaged, or of no run: {what}") from error
    return dict(found)


def _visible(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if not path.name.startswith("."))


def _refuse_other(folder: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to mix a run into a folder that keeps another one, and say what differs."""
    changed = [key for key in MUST_AGREE if before.get(key) != now.get(key)]
    differ = [f"{key} was {before.get(key)!r}, is {now.get(key)!r}" for key in changed]
    for name, policy in now["policies"].items():
        kept = before["policies"].get(name)
        if kept is not None:
            differ += [
                f"{key} of policy {name} was {kept.get(key)!r}, is {policy.get(key)!r}"
                for key in ("fingerprint", "params", "keep", "salt")
                if kept.get(key) != policy.get(key)
            ]
    if differ:
        raise ValueError(f"folder {str(folder)!r} keeps another run: {'; '.join(differ)}. Take another folder")


def _lock(folder: Path) -> int | None:
    """Keep a second process from writing to the folder at the same time, where the system can do that."""
    try:
        import fcntl
    except ImportError:
        return None
    held = os.open(folder, os.O_RDONLY)
    _HELD.add(held)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _let_go(held)
        raise ValueError(f"folder {str(folder)!r} is being written to by another run") from None
    except OSError:  # a file system without locks
        _let_go(held)
        return None
    return held


def _let_go(held: int) -> None:
    _HELD.discard(held)
    os.close(held)


def _let_go_of_all() -> None:
    for held in tuple(_HELD):
        _let_go(held)


_HELD: set[int] = set()
if hasattr(os, "register_at_fork"):  # workers that were forked would hold the lock when the run itself is gone
    os.register_at_fork(after_in_child=_let_go_of_all)


def _put(path: Path, write: Any) -> None:
    """Write a file under another name and rename it when it is whole."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        write(unfinished)
        unfinished.replace(path)
    except OSError as error:
        what = f"{error.strerror or error}, in writing {path.name}; what is already in folder {path.parent} is whole"
        raise OSError(error.errno, what) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
