"""Conducting a run: which line-ups play which deals, in memory or in a folder, and what comes of it."""

from __future__ import annotations

import dataclasses
import hashlib
import platform
import shlex
import sys
from concurrent.futures import BrokenExecutor, Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import palace_sim
from palace_sim.kernels.rng import STREAM_VERSION
from palace_sim.plans import Plan
from palace_sim.policies.sources import source_of
from palace_sim.run import Keeper, MemoryKeeper, execute
from palace_sim.standing import Standing
from palace_sim.store import FORMAT, RunFolder

if TYPE_CHECKING:
    import pandas as pd


@dataclasses.dataclass(frozen=True)
class Running:
    """How a run is done, which never shows in its tables."""

    workers: int | None = None
    executor: Executor | None = None
    progress: bool | None = None
    folder: str | Path | None = None


class Group:
    """Line-ups that have played the same deals, and what was kept of them."""

    def __init__(self, plan: Plan, keeper: Keeper, label: str = "") -> None:
        self.plan, self.keeper, self.label = plan, keeper, label


class Conductor:
    """Plays deals of a plan's line-ups, and knows what has been played.

    Parameters
    ----------
    plan : Plan
        All line-ups, and how their hands are played.
    running : Running
        How.
    request : dict
        What was asked for, so that `palace-sim resume` can ask for it again.
    """

    def __init__(self, plan: Plan, running: Running, request: dict[str, Any]) -> None:
        self.plan, self.running, self.request = plan, running, request
        self.groups: dict[tuple[str, bytes], Group] = {}
        self.store: RunFolder | None = None
        if running.folder is not None:
            self.store = RunFolder(running.folder, manifest_of(plan) | {"rows": request["rows"], "request": request})
            if running.progress is not False:
                sys.stderr.write(f"palace_sim: kept in {self.store.path}; if it is stopped: {self.resume}\n")

    @property
    def resume(self) -> str:
        """The command that goes on with the run."""
        assert self.store is not None
        return f"palace-sim resume {shlex.quote(str(self.store.path))}"

    def play(self, chosen: np.ndarray, first: int, end: int, label: str = "") -> None:
        """Let some line-ups play the deals from `first` up to `end`, but for those that are kept already.

        Parameters
        ----------
        chosen : (K,) int array
            Line-ups, as rows of the plan's.
        first, end : int
            Deals.
        label : str
            Keeps what is played now apart from what is kept under other labels.
        """
        for part in self._parts(np.asarray(chosen, np.int64), label):
            lineups = self.plan.lineups[part]
            plan = dataclasses.replace(self.plan, lineups=lineups, times=None, first=first, deals=end - first)
            group = self._group(plan, label)
            beyond = max((a + count for a, count in group.keeper.blocks), default=0)
            if self.store is not None and beyond > end:
                more = f"keeps {beyond:,} deals of these line-ups, more than deals={end:,}"
                raise ValueError(f"folder {str(self.store.path)!r} {more}: ask for as many, or take another folder")
            missing = group.keeper.missing(first, end)
            if missing:
                self._execute(plan, group.keeper, missing)

    def _parts(self, chosen: np.ndarray, label: str) -> list[np.ndarray]:
        """Divide line-ups into those that a kept group holds, group by group, and the others."""
        if self.store is None:
            return [chosen]
        names = [policy.name for policy in self.plan.policies]
        place = {tuple(names[p] for p in self.plan.lineups[k]): k for k in chosen.tolist()}
        parts = []
        for kept in self.store.manifest["groups"].values():
            members = [tuple(lineup) for lineup in kept["lineups"]]
            if kept["label"] == label and all(lineup in place for lineup in members):
                parts.append(np.array([place.pop(lineup) for lineup in members]))
        return [*parts, np.array(list(place.values()), np.int64)] if place else parts

    def _group(self, plan: Plan, label: str) -> Group:
        key = (label if self.store or label == "confirm" else "", plan.lineups.tobytes())
        if key not in self.groups:
            keeper = MemoryKeeper(plan, self.running.executor) if self.store is None else self.store.group(plan, label)
            self.groups[key] = Group(plan, keeper, key[0])
        return self.groups[key]

    def _execute(self, plan: Plan, keeper: Keeper, missing: list[tuple[int, int]]) -> None:
        how = self.running
        try:
            execute(plan, keeper, ranges=missing, workers=how.workers, executor=how.executor, progress=how.progress)
        except KeyboardInterrupt:
            if self.store is not None:
                sys.stderr.write(f"palace_sim: stopped; what was played is kept. Go on with: {self.resume}\n")
            raise
        except BrokenExecutor as error:
            kept = (
                f"what was played is kept; go on with: {self.resume}"
                if self.store is not None
                else "nothing was kept, since the run has no folder="
            )
            raise RuntimeError(f"executor has lost a worker ({error}): {kept}") from error

    def finish(self, stopped: str = "") -> None:
        """Note that all is played, and why no more."""
        if self.store is not None:
            self.store.manifest["stopped"] = stopped
            self.store.finish()

    def close(self) -> None:
        """Let go of the folder."""
        if self.store is not None:
            self.store.close()

    def standing(self) -> Standing:
        """Return the state of the run."""
        return standing_of(self.plan, list(self.groups.values()))


def standing_of(plan: Plan, groups: list[Group]) -> Standing:
    """Return the state of some groups of a plan."""
    names = [policy.name for policy in plan.policies]
    weights = None
    if plan.times is not None:
        weights = dict(zip(map(tuple, plan.lineups.tolist()), plan.times, strict=True))
    return Standing(names, plan.rotations, [group.keeper.totals for group in groups], weights)


def rows_of(plan: Plan, groups: list[Group], kind: str) -> pd.DataFrame:
    """Return a table of rows of all groups, line-ups numbered as in the plan, in the order of deals."""
    import pandas as pd

    if len(groups) == 1:
        return groups[0].keeper.frame(kind)
    index = {tuple(lineup): k for k, lineup in enumerate(plan.lineups.tolist())}
    frames = []
    for group in groups:
        table = group.keeper.frame(kind)
        places = np.array([index[tuple(lineup)] for lineup in group.plan.lineups.tolist()], np.int32)
        frames.append(table.assign(lineup=places[table["lineup"].to_numpy()]))
    table = pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)
    return table.sort_values(["deal", "lineup"], kind="stable", ignore_index=True)


def keep_result(groups: list[Group], manifest: dict[str, Any], folder: str | Path) -> None:
    """Write groups of a result to a folder, as a run that was kept there and is finished."""
    if Path(folder).exists() and (not Path(folder).is_dir() or any(Path(folder).iterdir())):
        raise ValueError(f"folder takes a new or an empty folder, got {str(folder)!r}, which is neither")
    store = RunFolder(folder, manifest)
    try:
        for group in groups:
            store.group(group.plan, group.label).keep(group.keeper)
        store.finish()
    finally:
        store.close()


def manifest_of(plan: Plan) -> dict[str, Any]:
    """Return what it takes to reproduce the tables of a plan."""
    import numba
    import pandas

    return {
        "format": FORMAT,
        "palace_sim": palace_sim.__version__,
        "stream_version": STREAM_VERSION,
        "seed": plan.seed,
        "deals": plan.deals,
        "seats": plan.seats,
        "rotations": plan.rotations,
        "all_seatings": plan.all_seatings,
        "luck": plan.luck,
        "illegal": "fold" if plan.illegal_fold else "stop",
        "start": None if plan.start is None else hashlib.sha256(plan.start).hexdigest(),
        "known_to": plan.known_to,
        "rules": plan.rules.changed(),
        "policies": {
            policy.name: {
                "params": policy.params,
                "keep": policy.keep,
                "salt": policy.salt,
                "fingerprint": policy.fingerprint,
                "source": source_of(policy),
            }
            for policy in plan.policies
        },
        "lineups": len(plan.lineups),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "pandas": pandas.__version__,
        "machine": platform.machine(),
    }
