"""The calls and command lines that play a result again."""

from __future__ import annotations

import dataclasses
import inspect
import shlex
import sys
import textwrap
from pathlib import Path
from typing import Any

from palace_sim.contest import Contest
from palace_sim.kernels.knowledge import NOBODY
from palace_sim.policies.base import Policy, as_policy
from palace_sim.policies.sources import source_of
from palace_sim.policies.words import policy_from_text
from palace_sim.rules import Rules
from palace_sim.simulate import Result

FROM_FILES = "from palace_sim.policies.words import policy_from_text"


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How to get a result again.

    Attributes
    ----------
    python : str or None
        Code that plays it; its last line is the table. None where it cannot be told.
    command : str or None
        Command line that plays it, None where the command cannot say all of it.
    notes : list of str
        What to know of it, or why there is none.
    """

    python: str | None
    command: str | None
    notes: list[str]


def recipe(result: Result) -> Recipe:
    """Write down how to play a result again.

    Parameters
    ----------
    result : Result or Tournament
        Any but those that were played on from a position.

    Returns
    -------
    Recipe

    Examples
    --------
    >>> import palace_sim as ps
    >>> made = recipe(ps.round_robin(["tight", "random"], deals=10, seed=3))
    >>> print(made.command)
    palace-sim tournament random tight --seats 2 --deals 10 --seed 3
    >>> print(made.python)
    import palace_sim as ps
    <BLANKLINE>
    result = ps.round_robin(["random", "tight"], seats=2, deals=10, seed=3)
    print(result)
    """
    plan, request = result.plan, result.request
    if plan.start is not None:
        return Recipe(None, None, ["The hands were played on from a position: call play again with the same start=."])
    if request["kind"] != "play" and "asked" not in request:
        return Recipe(None, None, ["The run does not say how its line-ups were chosen."])
    prelude: dict[str, str] = {}
    notes: list[str] = []
    policies = {policy.name: _policy(policy, prelude, notes) for policy in plan.policies}
    python = _python(result, policies, prelude)
    words = {policy.name: _word(policy) for policy in plan.policies}
    command = _command(result, {name: word for name, word in words.items() if word is not None})
    return Recipe(python, command, notes)


# --- Python -----------------------------------------------------------------------------------------------------------


def _literal(text: str) -> str:
    """Write a text as Python code, in double quotes where that is simple."""
    return f'"{text}"' if repr(text) == f"'{text}'" and '"' not in text else repr(text)


def _policy(policy: Policy, prelude: dict[str, str], notes: list[str]) -> str:
    """Write a policy as an expression; what it needs before goes to the prelude."""
    source = source_of(policy)
    if source is None:
        known = {key: p.default for key, p in policy.family.parameters.items()}
        name, salt = policy.family.name, 0
        base, code = _code(policy)
        prelude[f"policy {name}"] = code
        notes.append(f"{policy.name} was defined in a session: the code needs the globals that it reads.")
    elif source["text"].partition(":")[0].endswith(".py"):
        found = _held(policy, source["text"])
        known, name, salt = found.params, found.name, found.salt
        base = f"policy_from_text({_literal(_near(source['text']))})"
        prelude["import"] = FROM_FILES
    else:
        known = {key: p.default for key, p in policy.family.parameters.items()}
        name, salt, base = source["text"], 0, ""
    changed = {key: value for key, value in policy.params.items() if value != known[key]}
    arguments = ", ".join(f"{key}={value!r}" for key, value in changed.items())
    renamed = policy.label is not None and policy.name != name or policy.salt != salt
    if not base:
        plain = not changed and not renamed
        base = _literal(name) if plain else f"ps.policies.get({', '.join(filter(None, [_literal(name), arguments]))})"
    elif changed:
        base += f".with_({arguments})"
    if renamed:
        base += f".named({_literal(policy.name)}" + (f", salt={policy.salt})" if policy.salt else ")")
    return base


def _code(policy: Policy) -> tuple[str, str]:
    """Return the name by which a policy of a session is called, and its code as far as it is known."""
    function = policy.function
    name = getattr(function, "__name__", "")
    try:
        code = textwrap.dedent(inspect.getsource(function)).rstrip()
    except (OSError, TypeError):
        code = ""
    as_it_is = policy.family.plain and name == policy.family.name and code.startswith("def ")
    if name.isidentifier() and (code.startswith("@") or as_it_is):
        return name, code
    name = "".join(letter if letter.isalnum() else "_" for letter in policy.family.name)
    name = name if name.isidentifier() else f"policy_{name}"
    return name, f"{name} = ...  # {policy.family.name!r}: to be defined as in the session that played it"


def _held(policy: Policy, text: str) -> Policy:
    """Return the policy that a file.py:name names; from memory, since a script must not be run again for it."""
    module = sys.modules[policy.function.__module__]
    return as_policy(getattr(module, text.rpartition(":")[2]))


def _near(text: str) -> str:
    """Write the path of a file.py:name from here where it lies below."""
    path, _, name = text.rpartition(":")
    try:
        return f"{Path(path).relative_to(Path.cwd())}:{name}"
    except ValueError:
        return text


def _rules(rules: Rules) -> str:
    changed = rules.changed()
    return f"ps.Rules({', '.join(f'{key}={value!r}' for key, value in changed.items())})" if changed else ""


def _python(result: Result, policies: dict[str, str], prelude: dict[str, str]) -> str:
    plan, request = result.plan, result.request
    kind, asked = request["kind"], request.get("asked", {})
    seated = f"[{', '.join(policies[name] for name in _listed(result))}]"
    if kind == "gauntlet":
        seated = f"{policies[asked['challenger']]}, {seated}"
    elif kind == "population":
        pairs = [f"{policies[name]}: {weight!r}" for name, weight in asked["weights"].items()]
        seated = f"{{{', '.join(pairs)}}}"
    given = {"rules": _rules(plan.rules)}
    if kind != "play":
        given["seats"] = repr(plan.seats)
    given["tables"] = repr(asked["tables"]) if asked.get("tables") is not None else ""
    given["copies"] = "True" if asked.get("copies") else ""
    given |= {"deals": repr(plan.deals), "seed": repr(plan.seed)}
    given["rotate"] = "False" if kind == "play" and plan.rotations == 1 else ""
    rows = request["rows"]
    given["rows"] = "" if rows is (kind == "play") else repr(rows)
    given["illegal"] = '"fold"' if plan.illegal_fold else ""
    given["seatings"] = '"all"' if plan.all_seatings else ""
    given["luck"] = "True" if plan.luck else ""
    if kind in ("round_robin", "gauntlet"):
        contest = Contest.from_dict(request["contest"])
        given["until"] = _until(contest)
        if contest.sequential:
            given |= {"look": repr(contest.look), "spend": '"adaptive"' if contest.adaptive else ""}
            given["confirm"] = repr(contest.confirm) if contest.confirm else ""
    arguments = [seated, *(f"{key}={value}" for key, value in given.items() if value)]
    call = f"result = ps.{kind}({', '.join(arguments)})"
    if len(call) > 100:
        call = f"result = ps.{kind}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
    imports = "\n".join(["import palace_sim as ps", *filter(None, [prelude.pop("import", "")])])
    return "\n\n".join([imports, *prelude.values(), f"{call}\nprint(result)"])


def _listed(result: Result) -> list[str]:
    """Names of policies in the order of the call's list."""
    request = result.request
    if request["kind"] == "play":
        return [str(name) for name in request["lineups"][0]]
    challenger = request["asked"].get("challenger")
    return [policy.name for policy in result.policies if policy.name != challenger]


def _until(contest: Contest) -> str:
    said = {} if contest.until is None else contest.until.as_dict()
    kind = said.pop("rule", "")
    name = {"ratio": "sprt"}.get(kind, kind)
    return f"ps.until.{name}({', '.join(f'{key}={value!r}' for key, value in said.items())})" if name else ""


# --- the command line -------------------------------------------------------------------------------------------------


def _word(policy: Policy) -> str | None:
    """Write a policy as a word of the command line; None where no word says all of it."""
    source = source_of(policy)
    if source is None:
        return None
    text = _near(source["text"])
    if ".py:" in text:
        found = _held(policy, text)
    else:
        defaults = {key: p.default for key, p in policy.family.parameters.items()}
        changed = {key: value for key, value in policy.params.items() if value != defaults[key]}
        if changed:
            text += f"({', '.join(f'{key}={value!r}' for key, value in changed.items())})"
        found = policy_from_text(text)
    return text if found.name == policy.name and found.same_as(policy) else None


def _command(result: Result, words: dict[str, str]) -> str | None:
    """Write the command line, or None where it cannot say all that was asked."""
    plan, request = result.plan, result.request
    kind, asked, listed = request["kind"], request.get("asked", {}), _listed(result)
    if any(policy.name not in words for policy in plan.policies) or plan.illegal_fold or plan.known_to != NOBODY:
        return None
    contest = Contest(None, 0, False, 0) if kind == "play" else Contest.from_dict(request["contest"])
    seats = ["--seats", plan.seats]
    if kind == "round_robin":
        line = ["tournament", *(words[name] for name in listed), *seats]
    elif kind == "gauntlet" and not contest.sequential and not plan.all_seatings and not plan.luck:
        line = ["gauntlet", words[asked["challenger"]], *(words[name] for name in listed), *seats]
    elif kind == "play":
        line = ["play", *(words[name] for name in listed)]
    else:
        return None
    line += ["--deals", plan.deals, "--seed", plan.seed]
    line += ["--tables", asked["tables"]] if asked.get("tables") is not None else []
    line += ["--copies"] if asked.get("copies") else []
    line += ["--no-rotate"] if kind == "play" and plan.rotations == 1 else []
    line += ["--seatings", "all"] if plan.all_seatings else []
    line += ["--luck"] if plan.luck else []
    if contest.sequential:
        until = _until_word(contest)
        if until is None:
            return None
        line += ["--until", until] if until else []
        line += ["--look", contest.look, *(["--spend", "adaptive"] if contest.adaptive else [])]
        line += ["--confirm", contest.confirm] if contest.confirm else []
    for key, value in plan.rules.changed().items():
        line += [f"--{key.replace('_', '-')}", value]
    return shlex.join(map(str, ["palace-sim", *line]))


def _until_word(contest: Contest) -> str | None:
    """Write a rule to stop by as the command takes it; None where it cannot."""
    said: dict[str, Any] = {} if contest.until is None else contest.until.as_dict()
    kind = said.pop("rule", "")
    if kind == "apart":
        return None if said["but"] else "apart"
    if any("," in str(value) for value in said.values()):
        return None
    name = {"ratio": "sprt"}.get(kind, kind)
    return f"{name}={','.join(str(value) for value in said.values())}" if name else ""
