"""How long until something is there: fresh processes, taking turns."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clock import Row

ROUNDS = 7
BASE = "import numpy, numba{pandas}\nimport one\none.f(1)\n"
ONE = "from numba import njit\n@njit(cache=True)\ndef f(x):\n    return x + 1\n"
RANK = "import palace_sim as ps\nps.hand_rank('As Ks Qs Js Ts')\n"
TABLE = "import palace_sim as ps\nps.play(['random', 'stay'], deals=100, seed=1).summary\n"
COLD = "import palace_sim as ps\nps.play(['random', 'stay'], deals=100, seed=1).summary\n"
TOURNAMENT = "import palace_sim as ps\nps.round_robin(ps.policies.NAMES, seats=4, deals=1, seed=1).leaderboard\n"


def run(code: str, folder: str, **env: str) -> float:
    """Seconds that a fresh process takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=folder, env={**os.environ, **env}, check=True)
    return time.perf_counter() - began


def measure() -> list[Row]:
    """Start-up as a ratio to importing what is needed anyway and loading one cached function."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "one.py").write_text(ONE)
        codes = {
            "rank base": BASE.format(pandas=""),
            "rank": RANK,
            "table base": BASE.format(pandas=", pandas"),
            "table": TABLE,
        }
        best = dict.fromkeys(codes, float("inf"))
        for code in codes.values():
            run(code, folder)
        for _ in range(ROUNDS):
            for name, code in codes.items():
                best[name] = min(best[name], run(code, folder))
        cold = run(COLD, folder, PALACE_SIM_CACHE_DIR=str(Path(folder, "cache")))
        tournament = run(TOURNAMENT, folder, PALACE_SIM_CACHE_DIR=str(Path(folder, "other")))
    return [
        Row("hand_rank ready, to numpy, numba and one cached function", best["rank"] / best["rank base"], "x", 1.3),
        Row("warm first table, the same with pandas", best["table"] / best["table base"], "x", 1.5),
        Row("cold first table", cold, "s", 60),
        Row("cold tournament of all built-in policies", tournament, "s", 30),
    ]
