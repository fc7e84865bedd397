"""Where a policy can be found again, as a dict for a manifest."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from palace_sim.policies.base import Policy
from palace_sim.policies.words import policy_from_text

__all__ = ["policy_from_source", "source_of"]


def source_of(policy: Policy) -> dict[str, Any] | None:
    """Say where a policy can be found again; None for one that only a session knows.

    Examples
    --------
    >>> import palace_sim as ps
    >>> source_of(ps.policies.get("tight", aggression=0.5).named("x"))
    {'text': 'tight', 'params': {'aggression': 0.5}, 'name': 'x', 'salt': 0}
    """
    text = _text(policy)
    if text is None:
        return None
    return {"text": text, "params": policy.params, "name": policy.name, "salt": policy.salt}


def _text(policy: Policy) -> str | None:
    """The text by which `policy_from_text` finds a policy's family: a built-in name, or file.py:name."""
    from palace_sim.policies import get  # the list of built-in policies is made of the modules beside this one

    try:
        if get(policy.family.name).family is policy.family:
            return policy.family.name
    except ValueError:
        pass
    function = policy.function
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    path = getattr(module, "__file__", None)
    if path is None or not Path(path).is_file():
        return None
    for name, thing in vars(module).items():
        if thing is function or (isinstance(thing, Policy) and thing.family is policy.family):
            return f"{Path(path).absolute()}:{name}"
    return None


def policy_from_source(source: dict[str, Any]) -> Policy:
    """Return the policy that `source_of` told of.

    Raises
    ------
    ValueError
        It is not there any more.
    """
    policy = policy_from_text(source["text"]).with_(**source["params"])
    if policy.name != source["name"] or policy.salt != source["salt"]:
        policy = policy.named(source["name"], salt=source["salt"])
    return policy
