"""What the experiments share: settings, pieces that a stopped run goes on from, findings, and the command line.

An experiment is a folder with `run.py`, which says what its pieces are and how one is played. A piece is kept in the
results folder as soon as it is played, whole or not at all, together with all that decides it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import palace_sim as ps
from palace_sim.policies.words import policy_from_text
from palace_sim.statistics import interval

Settings = dict[str, Any]
Piece = dict[str, Any]


@dataclass(frozen=True)
class Experiment:
    """A question, and how it is answered.

    Parameters
    ----------
    folder : Path
        Where run.py lies, with config.toml and quick.toml, and, once found, finding.csv.
    question : str
        In plain words.
    takes : sequence of str
        Settings that a configuration must have.
    split : function of settings
        The pieces: for each its name, which is that of its file, and all that decides it.
    play : function of what decides a piece
        Plays it and returns what came out, fit for JSON.
    find : function of a list of pieces
        The finding: a table of figures with their intervals.
    tables : function of the finding
        Its tables for the README by name, in Markdown.
    draw : function of the finding
        Its pictures by name.
    say : function of a piece
        A line about it.
    also : function of pieces and the results folder, optional
        Writes more tables.
    optional : dict
        Settings that a configuration may have, with what stands for them where it has not.
    """

    folder: Path
    question: str
    takes: Sequence[str]
    split: Callable[[Settings], dict[str, Settings]]
    play: Callable[[Settings], Piece]
    find: Callable[[list[Piece]], pd.DataFrame]
    tables: Callable[[pd.DataFrame], dict[str, str]]
    draw: Callable[[pd.DataFrame], dict[str, Any]]
    say: Callable[[Piece], str]
    also: Callable[[list[Piece], Path], None] | None = None
    optional: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, path: Path) -> Settings:
        """Read the settings, and refuse names that mean nothing here."""
        settings = {**self.optional, **tomllib.loads(path.read_text())}
        takes = {*self.takes, *self.optional}
        wrong = set(settings) ^ takes
        if wrong:
            known, strange = ", ".join(sorted(takes)), ", ".join(sorted(wrong))
            raise SystemExit(f"{path}: takes {known}; too many or missing: {strange}")
        return settings

    def run(self, config: Path, results: Path) -> pd.DataFrame:
        """Play what is missing, write finding.csv and the pictures to the results folder; return the finding."""
        settings = self.settings(config)
        results.mkdir(parents=True, exist_ok=True)
        pieces = []
        for name, wanted in self.split(settings).items():
            path = results / f"{name}.json"
            piece, word = read_piece(path, wanted), "stored"
            if piece is None:
                piece, word = {"settings": wanted, **self.play(wanted)}, "played"
                write_whole(path, json.dumps(piece, indent=1))
                piece = json.loads(path.read_text())
            pieces.append(piece)
            print(f"{name}, {word}: {self.say(piece)}", flush=True)
        finding = self.find(pieces)
        write_whole(results / "finding.csv", as_csv(finding))
        if self.also is not None:
            self.also(pieces, results)
        for name, ax in self.draw(finding).items():
            ax.figure.savefig(results / f"{name}.png")
        return finding

    def keep(self, finding: pd.DataFrame) -> None:
        """Write the finding to finding.csv beside run.py, and its tables into README.md."""
        write_whole(self.folder / "finding.csv", as_csv(finding))
        readme = self.folder / "README.md"
        text = readme.read_text(encoding="utf-8")
        for name, table in self.tables(finding).items():
            found = block(name).search(text)
            if found is None:
                raise SystemExit(f"{readme} has no place for the table {name}")
            text = text[: found.start(1)] + table + text[found.end(1) :]
        write_whole(readme, text)

    def main(self) -> None:
        """Read the command line and run."""
        parser = argparse.ArgumentParser(description=self.question)
        parser.add_argument("config", nargs="?", type=Path, help="default: config.toml beside run.py")
        parser.add_argument("--results", type=Path, help="folder of what is played; default: results beside run.py")
        parser.add_argument("--quick", action="store_true", help="play quick.toml: a look at what comes out")
        parser.add_argument("--finding", action="store_true", help="keep the finding, in finding.csv and README.md")
        given = parser.parse_args()
        config = self.folder / ("quick.toml" if given.quick else "config.toml")
        if given.finding and (given.quick or given.config):
            parser.error("--finding is of config.toml: leave --quick and CONFIG out")
        config = given.config or config
        results = given.results or self.folder / "results" / ("" if config.stem == "config" else config.stem)
        finding = self.run(config, results)
        for table in self.tables(finding).values():
            print(f"\n{table}", end="")
        if given.finding:
            self.keep(finding)


# --- pieces -----------------------------------------------------------------------------------------------------------


def read_piece(path: Path, wanted: Settings) -> Piece | None:
    """Return a stored piece, None where there is none or it is damaged; refuse one of other settings."""
    try:
        piece = json.loads(path.read_text())
        found = piece["settings"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        print(f"{path.name} is damaged and will be played again", file=sys.stderr)
        return None
    for key, value in wanted.items():
        if found.get(key) != value:
            raise SystemExit(
                f"{path} was played with {key}={found.get(key)!r}, not {value!r}: choose another --results or remove it"
            )
    return dict(piece)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def fingerprints(policies: Iterable[str]) -> dict[str, str]:
    """Fingerprints of policies that are given as text: a piece of other code is not taken."""
    return {text: policy_from_text(text).fingerprint for text in policies}


def rules_in_words(rules: Mapping[str, Any]) -> str:
    """Write the options that are not default."""
    return ", ".join(f"{key} {value}" for key, value in rules.items()) or "default rules"


# --- tables -----------------------------------------------------------------------------------------------------------


def as_csv(table: pd.DataFrame) -> str:
    """Write a table so that reading it gives the same floats."""
    return str(table.to_csv(index=False, lineterminator="\n"))


def read_finding(path: Path) -> pd.DataFrame:
    """Read what `as_csv` wrote."""
    return pd.read_csv(path, keep_default_na=False, na_values=["nan", ""])


def block(name: str) -> re.Pattern[str]:
    """Match a table in a README by its name: between `<!-- finding: name -->` and `<!-- end -->`."""
    return re.compile(rf"<!-- finding: {re.escape(name)} -->\n(.*?)<!-- end -->", re.DOTALL)


def number(value: float, digits: int = 2) -> str:
    """Write a number, with the signs for minus and for infinity."""
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.{digits}f}".replace("-", "−") if round(value, digits) else f"{0:.{digits}f}"


def said(mean: float, low: float, high: float, digits: int = 2) -> str:
    """Write a figure with its interval."""
    return f"{number(mean, digits)} ({number(low, digits)} to {number(high, digits)})"


def figure(row: Any, digits: int = 2) -> str:
    """Write the figure of a row of a table with its interval."""
    return said(row["mean"], row["ci_low"], row["ci_high"], digits)


def markdown(header: Sequence[str], rows: Iterable[Sequence[Any]], left: int = 1) -> str:
    """Write a table in Markdown; the first `left` columns are words, the others numbers."""
    marks = ["---" if k < left else "---:" for k in range(len(header))]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in [header, marks, *rows])


# --- estimates; the deal is the unit ----------------------------------------------------------------------------------


def estimate(sums: np.ndarray, counts: np.ndarray | int = 1) -> dict[str, float]:
    """Mean of what deals hold, its standard error and 95 % interval.

    Parameters
    ----------
    sums : (D,) array
        Sum of the figures that a deal holds.
    counts : (D,) array or 1
        How many those are; they may differ, and then the mean is a ratio (Cochran, "Sampling Techniques", 1977, 2.11).
    """
    sums = np.asarray(sums, float)
    deals, counts = len(sums), np.broadcast_to(np.asarray(counts, float), sums.shape)
    mean = sums.sum() / counts.sum()
    se = np.sqrt(deals / (deals - 1) * ((sums - mean * counts) ** 2).sum()) / counts.sum()
    return with_interval(mean, se, deals)


def with_interval(mean: float, se: float, deals: int) -> dict[str, float]:
    """Name a figure, its standard error and its interval by Student's t."""
    low, high = interval(mean, se, deals)
    return {"mean": float(mean), "se": float(se), "ci_low": float(low), "ci_high": float(high)}


def jackknife(statistic: Callable[[np.ndarray], np.ndarray], sums: np.ndarray) -> list[dict[str, float]]:
    """Find statistics with their intervals by leaving out one batch of deals at a time.

    Parameters
    ----------
    statistic : function
        From the mean of what batches hold to some figures.
    sums : (B, ...) array
        What each batch of as many deals holds, a mean a deal.

    References
    ----------
    B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 11.
    """
    batches, whole = len(sums), sums.mean(axis=0)
    without = np.array([statistic((batches * whole - part) / (batches - 1)) for part in sums])
    se = np.sqrt((batches - 1) / batches * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    return [with_interval(m, s, batches) for m, s in zip(statistic(whole), se, strict=True)]


def version() -> str:
    """Version of the package that plays."""
    return str(ps.__version__)
