"""All benchmarks as one table: ``python tests/benchmarks [PART ...] [--json FILE]``."""

from __future__ import annotations

import dataclasses
import json
import platform
import sys
from pathlib import Path

import decisions
import endgame
import odds
import peers
import playing
import ranking
import search
import starting

PARTS = {
    "ranking": ranking.measure,
    "playing": playing.measure,
    "results": playing.measure_results,
    "memory": playing.measure_memory,
    "decisions": decisions.measure,
    "starting": starting.measure,
    "odds": odds.measure,
    "endgame": endgame.measure,
    "search": search.measure,
    "peers": peers.measure,
}


def main(arguments: list[str]) -> None:
    """Measure what is asked for, print the table and write it."""
    path = None
    if "--json" in arguments:
        at = arguments.index("--json")
        if at + 1 == len(arguments):
            sys.exit("--json takes the name of a file to write")
        path = arguments[at + 1]
        del arguments[at : at + 2]
    unknown = [name for name in arguments if name not in PARTS]
    if unknown:
        sys.exit(f"unknown part {unknown[0]!r}; there are: {', '.join(PARTS)}")
    rows = []
    print(f"{'':62} {'now':>9}      target")
    for name in arguments or PARTS:
        for row in PARTS[name]():
            rows.append(row)
            mark = {None: "", True: "met", False: "MISSED"}[row.met]
            target = "" if row.target is None else f"{'>=' if row.least else '<='} {row.target:g}"
            print(f"{row.name:62} {row.value:9.2f} {row.unit:3} {target:>9} {mark}", flush=True)
    if path:
        told = {"machine": platform.platform(), "rows": [dataclasses.asdict(row) for row in rows]}
        Path(path).write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
