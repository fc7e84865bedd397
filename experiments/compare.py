"""Run experiments at full size in fresh folders, and compare what comes out with the findings that are kept.

    python experiments/compare.py [NAME ...]

The same seed gives the same bytes, so the tables must be equal, floats to 1e-9. Takes about five minutes of one core
for all.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent))

from experiment import read_finding

HERE = Path(__file__).resolve().parent
TOLERANCE = 1e-9


def kept() -> list[str]:
    """Names of the experiments that keep a finding."""
    return sorted(path.parent.name for path in HERE.glob("*/finding.csv"))


def differences(found: pd.DataFrame, wanted: pd.DataFrame) -> list[str]:
    """Say where two tables differ; floats may by one in 10⁹."""
    if list(found.columns) != list(wanted.columns) or len(found) != len(wanted):
        return [f"{len(found)} rows of {', '.join(found)}; kept are {len(wanted)} rows of {', '.join(wanted)}"]
    said = []
    for name in wanted:
        ours, theirs = found[name], wanted[name]
        if ours.dtype.kind == theirs.dtype.kind == "f":
            same = np.isclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
        else:
            same = (ours.astype(str) == theirs.astype(str)).to_numpy()
        said += [f"row {k}, {name}: {ours[k]} where {theirs[k]} is kept" for k in np.flatnonzero(~same)[:5]]
    return said


def compare(name: str) -> list[str]:
    """Run an experiment in a fresh folder; say where its finding differs from that kept, nothing if nowhere."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(HERE / name / "run.py"), "--results", folder]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            return [done.stderr]
        return differences(read_finding(Path(folder) / "finding.csv"), read_finding(HERE / name / "finding.csv"))


def main() -> None:
    """Compare those that are named, or all; the exit status is 1 where one differs."""
    names = sys.argv[1:] or kept()
    strange = sorted(set(names) - set(kept()))
    if strange:
        raise SystemExit(f"no finding is kept of {', '.join(strange)}; there are: {', '.join(kept())}")
    wrong = 0
    for name in names:
        began = time.perf_counter()
        said = compare(name)
        wrong += bool(said)
        print(f"{name}: {'differs' if said else 'the same'} ({time.perf_counter() - began:.0f} s)", flush=True)
        for words in said:
            print(f"    {words}")
    raise SystemExit(int(wrong > 0))


if __name__ == "__main__":
    main()
