"""The command line itself: how arguments are read, and where output goes."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Group, Parameter

import palace_sim as ps
from palace_sim.rules import Rules

if TYPE_CHECKING:
    import pandas as pd

app = App(
    name="palace-sim",
    version=f"palace-sim {ps.__version__}",
    help_format="plaintext",
    suppress_keyboard_interrupt=False,  # main answers it
)


def _whole(kind: Any, tokens: Sequence[Any]) -> int:
    """Read a whole number; cyclopts alone would round 1.5."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"takes a whole number, got {tokens[0].value!r}") from None


Whole = Annotated[int, Parameter(converter=_whole)]
PerhapsWhole = Annotated[int | None, Parameter(converter=_whole)]
Words = Annotated[list[str], Parameter(consume_multiple=True, negative=())]
Target = Annotated[str | None, Parameter(allow_leading_hyphen=True)]  # a file, or -
MoreWords = Annotated[list[str] | None, Parameter(negative=())]

_READ_AS = {
    "int": Whole,
    "int | None": PerhapsWhole,
    "str": str,
}
_BETS = "Stakes in chips (R3)."


def _rule_options() -> Any:
    """Make a class with the options of `Rules`, in types that a command line can give."""
    fields = []
    for field in dataclasses.fields(Rules):
        kind = _READ_AS.get(str(field.type), str | None)
        if field.name.endswith("_bet"):  # the two share one entry in the docstring, which cyclopts cannot read
            kind = Annotated[kind, Parameter(help=_BETS)]
        fields.append((field.name, kind, dataclasses.field(default=field.default)))
    made = dataclasses.make_dataclass("RuleOptions", fields, kw_only=True)
    made.__doc__, made.__module__ = Rules.__doc__, __name__
    return made


if TYPE_CHECKING:
    RuleOptions = Rules
else:
    RuleOptions = _rule_options()

GameRules = Annotated[RuleOptions | None, Parameter(name="*", group=Group("Rules", sort_key=1))]


def rules_of(options: Any) -> Rules:
    """Return the rules that the options say."""
    return Rules() if options is None else Rules(**dataclasses.asdict(options))


def line_up(words: Sequence[str] | None, more: Sequence[str] | None, default: Sequence[str] = ()) -> list[ps.Policy]:
    """Read policies as words; `default` where there are none."""
    from palace_sim.policies.words import policy_from_text  # here, so that --help does not wait for numba

    return [policy_from_text(word) for word in [*(words or default), *(more or [])]]


# --- output -----------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Make a value fit for JSON: no numpy scalars, no NaN."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, fit for JSON."""
    return [{key: plain(value) for key, value in row.items()} for row in table.to_dict("records")]


def stakes(rules: Rules, seed: int | None = None) -> str:
    """Say by which rules, and with which seed."""
    said = ", ".join(f"{key}={value}" for key, value in rules.changed().items()) or "default"
    return f"rules: {said}" + ("" if seed is None else f"; seed {seed}")


def check_target(option: str, target: str | None) -> None:
    """Refuse, before anything is played, a file that cannot be written."""
    path = Path(target or "-")
    if path.is_dir() or not path.parent.is_dir():
        raise ValueError(f"{option} takes a file in a folder that exists, or -, got {target}")


def check_png(png: str | None) -> None:
    """Refuse, before anything is played, a picture's file that cannot be written or is called what it will not be."""
    check_target("--png", png)
    if png == "-":
        raise ValueError("--png takes a file, got -")
    if png is not None and Path(png).suffix.lower() not in ("", ".png"):
        raise ValueError(f"--png writes a PNG: call it .png, got {png}")


def as_json(said: dict[str, Any]) -> str:
    """Write what is fit for JSON as text."""
    return json.dumps(said, indent=1, allow_nan=False) + "\n"


def write(target: str | None, text: str) -> None:
    """Write to a file, to standard output (-), or nowhere (None)."""
    if target == "-":
        sys.stdout.write(text)
    elif target is not None:
        Path(target).write_text(text, encoding="utf-8")


def say_if_cold() -> None:
    """Say why the first run starts slowly."""
    from palace_sim.kernels import jit

    if jit.JIT and (jit.ROOT is None or not any((jit.ROOT / f"kernels-{jit.SOURCES}").rglob("*.nbi"))):
        later = "" if jit.ROOT is None else "; later runs start at once"
        print(f"palace-sim: compiling, about a minute{later}", file=sys.stderr)
