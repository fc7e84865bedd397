"""Policies named in text, as on a command line or in a configuration file."""

from __future__ import annotations

import importlib.util
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType

from palace_sim.policies.base import Policy, as_policy

__all__ = ["policy_from_text"]


def policy_from_text(text: str) -> Policy:
    """Return the policy that a text names.

    Parameters
    ----------
    text : str
        A built-in policy, as "random"; with other values for some parameters, as "tight(aggression=0.3)"; or one from a
        Python file, as "path/file.py:name".

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
    from palace_sim.policies import get  # the list of built-in policies is made of the modules beside this one

    path, _, name = text.rpartition(":")
    if path.endswith(".py"):
        return _from_file(Path(path), name, text)
    if text.endswith(".py"):
        return _from_file(Path(text), "", text)
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", text)
    if not match:
        raise ValueError(f"policy {text!r}: takes a name, name(parameter=0.3) or path/file.py:name")
    values = {}
    for pair in filter(str.strip, (match[2] or "").split(",")):
        key, _, value = (part.strip() for part in pair.partition("="))
        try:
            values[key] = float(value)
        except ValueError:
            raise ValueError(f"policy {text!r}: {key} takes a number, got {value!r}") from None
    return get(match[1], **values)


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
