"""Going on with a kept run, and reading one."""

from __future__ import annotations

import dataclasses
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np

from palace_sim.conducting import Conductor, Group
from palace_sim.contest import Contest, play_contest
from palace_sim.plans import Plan
from palace_sim.policies.base import Policy, policy
from palace_sim.policies.errors import PolicyError
from palace_sim.policies.sources import policy_from_source
from palace_sim.rules import Rules
from palace_sim.simulate import Result, as_running, make_plan
from palace_sim.standings import Tournament
from palace_sim.store import KeptGroup, read_manifest

__all__ = ["load", "resume"]


def resume(
    folder: str | Path,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Result:
    """Go on with a run that was kept in a folder, to the end that it was to have.

    Parameters
    ----------
    folder : str or Path
        What was given as `folder=` to `play` or a tournament.
    workers, executor, progress
        As in `palace_sim.play`.

    Returns
    -------
    Result or Tournament
        The same tables that an undisturbed run gives.

    Raises
    ------
    ValueError
        The folder keeps no run; a policy is not where it was, or has changed; the run began from a position.

    Examples
    --------
    >>> import tempfile, palace_sim as ps
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     a = ps.round_robin(["tight", "random"], deals=20, seed=1, folder=folder, progress=False)
    ...     b = resume(folder, progress=False)
    >>> a.leaderboard.equals(b.leaderboard)
    True
    """
    running = as_running(workers, executor, progress, folder)
    manifest = _manifest(folder)
    if manifest["start"] is not None:
        raise ValueError(f"folder {str(folder)!r} keeps a run from a position: call play again with the same arguments")
    plan = _plan(manifest, str(folder), stand_in=False)
    request = manifest["request"]
    if request["kind"] != "play":
        contest = Contest.from_dict(request["contest"])
        asked = request.get("asked", {})  # not there in folders of earlier code
        return play_contest(plan, contest, running, Tournament, request["kind"], request["rows"], asked)
    conductor = Conductor(plan, running, request)
    try:
        conductor.play(np.arange(len(plan.lineups)), 0, plan.deals)
        conductor.finish()
    finally:
        conductor.close()
    return Result(plan, list(conductor.groups.values()), request)


def load(folder: str | Path) -> Result:
    """Read what a folder keeps of a run, without playing anything.

    Parameters
    ----------
    folder : str or Path
        What was given as `folder=`, or written by `to_parquet`.

    Returns
    -------
    Result or Tournament
        Over the deals that are kept so far. Policies that are not where they were have their figures all the same,
        but their hands cannot be replayed.

    Raises
    ------
    ValueError
        The folder keeps no run, or a part of it is damaged; named.

    Examples
    --------
    >>> import tempfile, palace_sim as ps
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     a = ps.play(["tight", "random"], deals=20, seed=1, folder=folder, progress=False)
    ...     load(folder).summary.equals(a.summary)
    True
    """
    manifest = _manifest(folder)
    plan = _plan(manifest, str(folder), stand_in=True)
    names = [made.name for made in plan.policies]
    groups: list[Group] = []
    confirming: list[Group] = []
    for mark in _marks(manifest):
        kept = manifest["groups"][mark]
        lineups = np.array([[names.index(name) for name in lineup] for lineup in kept["lineups"]], np.int64)
        part = dataclasses.replace(plan, lineups=lineups)
        group = Group(part, KeptGroup(Path(folder).absolute(), mark, part, reading=True), kept["label"])
        (confirming if kept["label"] == "confirm" else groups).append(group)
    groups = [group for group in groups if group.keeper.totals.deals] or groups
    if not groups:
        raise ValueError(f"folder {str(folder)!r} keeps no deals yet")
    request = manifest["request"]
    kind = Result if request["kind"] == "play" else Tournament
    planned = 0 if kind is Result else Contest.from_dict(request["contest"]).planned(plan.deals)
    made = kind(plan, groups, request, planned)
    made.fingerprints = {name: said["fingerprint"] for name, said in manifest["policies"].items() if name in names}
    if isinstance(made, Tournament):
        made.stopped = manifest.get("stopped", "") if manifest["finished"] else "it is not finished"
        if confirming:
            made.confirmation = Tournament(confirming[0].plan, confirming, request)
    return made


def _marks(manifest: dict[str, Any]) -> list[str]:
    """Groups that hold what was asked for: those that the run has used, and others that it has not come to yet."""
    found = list(manifest["used"])
    if manifest["finished"]:
        return found
    wanted = {tuple(lineup) for lineup in manifest["request"]["lineups"]}
    taken = {tuple(lineup) for mark in found for lineup in manifest["groups"][mark]["lineups"]}
    for mark, kept in manifest["groups"].items():
        lineups = {tuple(lineup) for lineup in kept["lineups"]}
        if kept["label"] == "" and lineups <= wanted and not lineups & taken:
            found.append(mark)
            taken |= lineups
    return found


def _manifest(folder: str | Path) -> dict[str, Any]:
    if not isinstance(folder, str | Path):
        raise ValueError(f"folder takes a path, got {folder!r}")
    manifest = read_manifest(Path(folder))
    assert manifest is not None
    return manifest


def _plan(manifest: dict[str, Any], folder: str, stand_in: bool) -> Plan:
    """Return the plan of a kept run."""
    request = manifest["request"]
    names = sorted(set(request["policies"]))
    policies = [_policy(name, manifest["policies"][name], folder, stand_in) for name in names]
    lineups = np.array([[names.index(name) for name in lineup] for lineup in request["lineups"]], np.int64)
    return make_plan(
        policies,
        lineups,
        Rules(**manifest["rules"]),
        deals=request["deals"],
        seed=manifest["seed"],
        rotations=manifest["rotations"],
        rows=request["rows"],
        illegal=manifest["illegal"],
        all_seatings=manifest["all_seatings"],
        luck=manifest["luck"],
        times=None if request.get("times") is None else tuple(request["times"]),
    )


def _policy(name: str, said: dict[str, Any], folder: str, stand_in: bool) -> Policy:
    """Find a policy again, or where that is enough, make one of its name that cannot play."""
    try:
        if said["source"] is None:
            raise ValueError("it was defined in a session: call the function that began the run again, with folder=")
        return policy_from_source(said["source"])
    except (ValueError, PolicyError) as error:
        if not stand_in:
            raise ValueError(f"folder {folder!r}: policy {name} cannot be found again: {error}") from error

    def gone(view: Any) -> int:
        raise PolicyError(f"policy {name} is not there: the run was read from a folder")

    made: Policy = policy(gone, name=name, compile=False)
    return made
