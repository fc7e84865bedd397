"""Whom candidates meet: tables of opponents with weights."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

from palace_sim.policies import Policy, as_policy
from palace_sim.policies.base import as_policies
from palace_sim.rules import MAX_SEATS, Rules

MAX_TABLES = 2_000


class Table(NamedTuple):
    """A table at which a candidate takes one seat.

    Attributes
    ----------
    others : tuple of int
        Who has the other seats, as indices of the field's policies.
    weight : float
        Its part of a candidate's value.
    """

    others: tuple[int, ...]
    weight: float

    @property
    def seats(self) -> int:
        return len(self.others) + 1

    @property
    def single(self) -> bool:
        """Whether all other seats are one policy's."""
        return len(set(self.others)) == 1


@dataclasses.dataclass(frozen=True, eq=False)
class Field:
    """Tables of opponents; a candidate's value is its weighted mean net at them.

    Fields add up, and a factor changes their weight: ``0.5 * a + 0.5 * b``.

    Attributes
    ----------
    policies : tuple of Policy
        The different opponents.
    tables : tuple of Table
        The tables.

    Examples
    --------
    >>> import palace_sim as ps
    >>> field = ps.search.Field.of(["stay", "maniac"], seats=3)
    >>> [(table.others, table.weight) for table in field.tables]
    [((0, 0), 0.25), ((0, 1), 0.5), ((1, 1), 0.25)]
    >>> field.hands
    9
    """

    policies: tuple[Policy, ...]
    tables: tuple[Table, ...]

    @property
    def hands(self) -> int:
        """Hands that a candidate plays in a deal."""
        return sum(table.seats for table in self.tables)

    @classmethod
    def of(cls, against: Any, seats: int = 2, copies: bool = False, what: str = "against") -> Field:
        """Make the tables of some opponents.

        Parameters
        ----------
        against : policy, list of policies or dict of policy to weight
            The opponents, and how often each is met.
        seats : int
            Players at a table.
        copies : bool
            All other seats of a table are one policy's; else each is drawn by the weights.
        what : str
            What to call the opponents in an error.

        Raises
        ------
        ValueError
            An argument is not what it should be; named.
        """
        policies, weights = weighted(against, what)
        if not isinstance(copies, bool):
            raise ValueError(f"copies takes True or False, got {copies!r}")
        others = seats - 1
        if copies:
            tables = [Table((k,) * others, weight) for k, weight in enumerate(weights)]
        else:
            many = math.comb(len(policies) + others - 1, others)
            if many > MAX_TABLES:
                raise ValueError(
                    f"{what} has {len(policies)} policies, which make {many} tables of seats={seats}, over "
                    f"{MAX_TABLES}: pass copies=True or fewer"
                )
            places = combinations_with_replacement(range(len(policies)), others)
            tables = [Table(chosen, _chance(chosen, weights)) for chosen in places]
        return cls(tuple(policies), tuple(tables))

    @classmethod
    def at(cls, tables: Sequence[Sequence[Any]]) -> Field:
        """Make a field of tables of equal weight, each given by the policies at its other seats.

        Parameters
        ----------
        tables : list of lists of policies
            For each table those who sit there beside the one that is measured, 1 to 9 of them.

        Examples
        --------
        >>> import palace_sim as ps
        >>> ps.search.Field.at([["stay", "maniac"], ["tight", "stay"]]).hands
        6
        """
        found = [as_policies(others, "a list of policies") for others in tables]
        if not found:
            raise ValueError("tables takes a list of lists of policies, got none")
        fields = [cls((), ())]
        for others in found:
            if not 1 <= len(others) < MAX_SEATS:
                raise ValueError(f"tables takes 1 to {MAX_SEATS - 1} other policies at a table, got {len(others)}")
            unique = list({policy.name: policy for policy in others}.values())
            names = [policy.name for policy in unique]
            place = tuple(sorted(names.index(policy.name) for policy in others))
            fields.append(cls(tuple(unique), (Table(place, 1 / len(found)),)))
        return cls.join(fields)

    @classmethod
    def join(cls, fields: Iterable[Field]) -> Field:
        """Put fields together, with the weights that they have.

        Parameters
        ----------
        fields : iterable of Field
            The fields.

        Examples
        --------
        >>> import palace_sim as ps
        >>> one = ps.search.Field.at([["stay"]])
        >>> len(ps.search.Field.join([one, one]).tables)
        2
        """
        policies: list[Policy] = []
        tables: list[Table] = []
        for field in fields:
            places = []
            for policy in field.policies:
                known = next((k for k, other in enumerate(policies) if other.name == policy.name), len(policies))
                if known == len(policies):
                    policies.append(policy)
                elif not policies[known].same_as(policy):
                    raise ValueError(f"two different opponents are named {policy.name!r}: rename one with .named()")
                places.append(known)
            tables += [Table(tuple(places[k] for k in table.others), table.weight) for table in field.tables]
        return cls(tuple(policies), tuple(tables))

    def __add__(self, other: Field) -> Field:
        return Field.join([self, other])

    def __rmul__(self, factor: float) -> Field:
        return Field(self.policies, tuple(Table(table.others, factor * table.weight) for table in self.tables))

    def even(self) -> Field:
        """Return the field with weights that add up to 1."""
        total = math.fsum(table.weight for table in self.tables)
        if not total > 0 or any(table.weight < 0 for table in self.tables):
            raise ValueError("against is a field whose weights are not 0 or more with a sum above 0")
        return (1 / total) * self


def weighted(against: Any, what: str) -> tuple[list[Policy], list[float]]:
    """Return opponents with weights that add up to 1, those of weight 0 left out."""
    if isinstance(against, Mapping):
        pairs = list(against.items())
    elif isinstance(against, str | Policy) or not isinstance(against, Iterable):
        pairs = [(against, 1.0)]
    else:
        pairs = [(thing, 1.0) for thing in against]
    policies = [as_policy(thing, what) for thing, _ in pairs]
    names = [policy.name for policy in policies]
    for name, (_, weight) in zip(names, pairs, strict=True):
        if names.count(name) > 1:
            raise ValueError(f"{what} has {name!r} twice: rename one with .named()")
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            raise ValueError(f"{what} takes weights of 0 or more, got {weight!r} for {name}")
    total = math.fsum(weight for _, weight in pairs)
    if total <= 0:
        raise ValueError(f"{what} takes a policy, a list of them or a dict of policy to weight, with one above 0")
    kept = [k for k, (_, weight) in enumerate(pairs) if weight > 0]
    return [policies[k] for k in kept], [pairs[k][1] / total for k in kept]


def _chance(chosen: tuple[int, ...], weights: list[float]) -> float:
    """Chance that seats filled by these weights are these, in any order."""
    ways: float = math.factorial(len(chosen))
    for k, times in Counter(chosen).items():
        ways *= weights[k] ** times / math.factorial(times)
    return ways


def as_field(against: Any, seats: Any, copies: Any, rules: Rules, what: str = "against") -> Field:
    """Return the field that a search's arguments speak of; of several sizes of tables, each has the same weight."""
    if isinstance(against, Field):
        for table in against.tables:
            rules.check_seats(table.seats)
        return against.even()
    sizes = tuple(seats) if isinstance(seats, tuple | list) else (seats,)
    checked = tuple(rules.check_seats(size) for size in sizes)
    if not checked or len(set(checked)) < len(checked):
        raise ValueError(f"seats takes a number of players or several different ones, got {seats!r}")
    return Field.join(1 / len(checked) * Field.of(against, size, copies, what) for size in checked)
