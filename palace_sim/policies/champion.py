"""`champion`: the strongest policy that searches have found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from palace_sim.policies.base import Policy
from palace_sim.policies.general import general
from palace_sim.policies.mixed import mix

#: Settings of `general` with their shares, for two players and for more; experiments/champion/run.py wrote them.
FOUND: dict[str, Any] = json.loads(Path(__file__).with_name("champion.json").read_text())


def made_of(found: Mapping[str, Sequence[Mapping[str, Any]]], name: str) -> Policy:
    """Return the policy that plays by settings with shares, for two players and for more."""
    two, more = (
        {general.with_(**part["params"]).named(f"{what} {k}"): part["share"] for k, part in enumerate(found[what], 1)}
        for what in ("two", "more")
    )
    return mix(two, more, name)


#: A mixture of settings of `general`: heads-up one of many, at more seats one.
champion: Policy = made_of(FOUND, "champion")
