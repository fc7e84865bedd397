"""Policies named in text, as on a command line or in a configuration file."""

from __future__ import annotations

import importlib.util
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType

from palace_sim.policies.base import Policy, as_policy

__all__ = ["policy_from_text", "policy_to_text"]

_TEXT = re.compile(r"\s*(?P<base>.*?\.py(?::\w*)?|[\w-]+)\s*(?:\((?P<values>.*)\))?\s*", re.DOTALL)


def policy_from_text(text: str) -> Policy:
    """Return the policy that a text names.

    Parameters
    ----------
    text : str
        A built-in policy, as "random", or one from a Python file, as "path/file.py:name"; with other values for some
        parameters, as "tight(aggression=0.3)", which may be broken into lines.

    Raises
    ------
    ValueError
        The text names no policy; says which are near, or what is wrong with the file.

    Examples
    --------
    >>> policy_from_text("random").name
    'random'
    >>> policy_from_text("nobody.py:bold")
    Traceback (most recent call last):
    ...
    ValueError: policy 'nobody.py:bold': there is no file nobody.py
    """
    match = _TEXT.fullmatch(text)
    if not match:
        raise ValueError(f"policy {text!r}: takes a name, name(parameter=0.3) or path/file.py:name")
    values = {}
    for pair in filter(str.strip, (match["values"] or "").split(",")):
        key, _, value = (part.strip() for part in pair.partition("="))
        try:
            values[key] = float(value)
        except ValueError:
            raise ValueError(f"policy {text!r}: {key} takes a number, got {value!r}") from None
    return _base(match["base"], text).with_(**values)


def policy_to_text(policy: Policy, like: str | None = None) -> str:
    """Return the text from which `policy_from_text` makes a policy of the same family and parameters.

    Parameters
    ----------
    policy : Policy
        A built-in one or one that `like` is of the family of, with any parameters.
    like : str, optional
        A text that names a policy of its family; None for the name of a built-in one.

    Examples
    --------
    >>> import palace_sim as ps
    >>> policy_to_text(ps.policies.get("tight", aggression=0.25).named("mine"))
    'tight(aggression=0.25)'
    """
    match = _TEXT.fullmatch(policy.family.name if like is None else like)
    assert match is not None, like
    plain = _base(match["base"], match["base"]).params
    changed = [f"{key}={float(value)!r}" for key, value in policy.params.items() if value != plain[key]]
    return f"{match['base']}({', '.join(changed)})" if changed else match["base"]


def _base(word: str, text: str) -> Policy:
    """Return the policy that a text names, without the parameters behind it."""
    from palace_sim.policies import get  # the list of built-in policies is made of the modules beside this one

    path, _, name = word.rpartition(":")
    if path.endswith(".py"):
        return _from_file(Path(path), name, text)
    return _from_file(Path(word), "", text) if word.endswith(".py") else get(word)


def _from_file(path: Path, name: str, text: str) -> Policy:
    module = _load(path, text)
    thing = getattr(module, name, None) if name else None
    if callable(thing):
        return as_policy(thing)
    known = [key for key, value in vars(module).items() if isinstance(value, Policy)]
    there = f"its policies: {', '.join(known)}" if known else "it has no policies"
    raise ValueError(f"policy {text!r}: takes {path}:name; {there}")


def _load(path: Path, text: str) -> ModuleType:
    """Import a file as a module of the name that it would have if its folder were on the path."""
    if not path.is_file():
        raise ValueError(f"policy {text!r}: there is no file {path}")
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path.absolute()):
        return known  # a second policy of the same file
    spec = importlib.util.spec_from_file_location(path.stem, path.absolute())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    taken = known is not None
    if not taken:
        sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        if not taken:
            del sys.modules[path.stem]
        raise ValueError(f"policy {text!r}: {path} {_failure(error, path.absolute())}") from error
    return module


def _failure(error: Exception, path: Path) -> str:
    """Say what went wrong, and in which line of a file if it did there."""
    if isinstance(error, SyntaxError):
        return f"fails in line {error.lineno}: {type(error).__name__}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"fails{f' in line {lines[-1]}' if lines else ''}: {type(error).__name__}: {error}"
