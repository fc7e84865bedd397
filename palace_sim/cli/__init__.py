"""The command `palace-sim`: tournaments, single hands, ranks, odds, decisions and searches from a terminal.

Options and help are read from the functions of these modules; those of the rules from `palace_sim.Rules`. Whatever is
wrong with an argument is one line on standard error and exit code 2.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Sequence

from cyclopts import CycloptsError

import palace_sim as ps
from palace_sim.cli import battles, hands, searches, tournaments  # noqa: F401  (they add their commands to the app)
from palace_sim.cli.app import app

__all__ = ["app", "main"]


def _where(cause: BaseException | None) -> str:
    """Say where a plain-Python policy raised."""
    frames = traceback.extract_tb(cause.__traceback__) if cause is not None else []
    return f" at {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0, 2 for wrong arguments and failing policies, 130 for Ctrl-C.

    Examples
    --------
    >>> main(["rank", "As Ks Qs Js Ts", "2c 2d"])
    9841  straight flush  As Ks Qs Js Ts
    2370  one pair        2c 2d
    0
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: print(f"palace-sim: {message}", file=sys.stderr)
        try:
            app(words, exit_on_error=False, print_error=False, result_action="return_value")
            sys.stdout.flush()
        except (CycloptsError, ValueError, OSError, ps.PolicyError) as error:
            if isinstance(error, BrokenPipeError):  # the reader of the output has gone: head, say
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return 0
            where = _where(error.__cause__) if isinstance(error, ps.PolicyError) else ""
            print(f"palace-sim: {' '.join(str(error).split())}{where}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("palace-sim: stopped", file=sys.stderr)
            return 130
    return 0
