"""What the docstrings say is so: fields, columns, options and functions are those of the code, in both directions."""

import dataclasses
import functools
import importlib
import inspect
import re

import numpy as np
import pandas as pd
import pytest

import palace_sim as ps
from palace_sim import rules, statistics, tables
from palace_sim.hand.stepping import Shown, Step, Steps
from palace_sim.kernels import view as views
from palace_sim.kernels.jit import JIT
from palace_sim.kernels.state import ENDS, MAX_PARAMS, MEMO, OUTCOMES, PLAYER, RULES
from palace_sim.search.measuring import Estimate

# ---- the view --------------------------------------------------------------------------------------------------------


def view_table():
    """Rows of the table in the module's docstring: field, unit, meaning."""
    lines = views.__doc__.splitlines()
    first, second, last = (k for k, line in enumerate(lines) if line.startswith("====="))
    assert lines[first + 1].split() == ["field", "unit", "meaning"]
    widths = [len(part) for part in lines[first].split()]
    starts = [0, widths[0] + 2, widths[0] + widths[1] + 4]
    rows = []
    for line in lines[second + 1 : last]:
        cells = [line[starts[0] : starts[1]].strip(), line[starts[1] : starts[2]].strip(), line[starts[2] :].strip()]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1][2] += " " + cells[2]
    return rows


def test_the_view_is_described_field_by_field_in_its_order():
    assert [field for field, _, _ in view_table()] == list(views.VIEW.names)


def test_types_of_the_view_are_what_its_units_say():
    whole = {"code", "seat", "count", "seats", "chips", "bits", "cards", "0/1", "address", "int64"}
    for field, unit, meaning in view_table():
        kind = views.VIEW[field]
        many = re.search(r"\((\d+)\)|(\d+) numbers", meaning)
        base, shape = kind.subdtype or (kind, ())
        if unit == "10 cards":
            assert (base, shape) == (np.int64, (rules.MAX_SEATS,)), field
        elif unit == "record":
            assert base == RULES and shape == ()
        elif unit == "10 rec.":
            assert base == PLAYER and shape == (rules.MAX_SEATS,)
        elif field == "stream":
            assert base == np.int64
        elif unit == "float64":
            assert (base, shape) == (np.float64, (int(many[1]),)) and int(many[1]) == MAX_PARAMS
        else:
            assert unit in whole, unit
            assert base == np.int64, field
            assert shape == ((int(many[2]),) if many and many[2] else ()), field
    [memo] = [meaning for field, _, meaning in view_table() if field == "memo"]
    assert memo.startswith(f"{MEMO} numbers")


@pytest.mark.parametrize(("field", "record"), [("rules", RULES), ("players", PLAYER)])
def test_records_in_the_view_are_described_field_by_field(field, record):
    [meaning] = [meaning for name, _, meaning in view_table() if name == field]
    names = re.sub(r"\([^()]*\)", "", meaning.split(":", 1)[1])  # brackets say more about the field before them
    assert [name.strip() for name in names.split(";")[0].split(",")] == list(record.names)


def test_a_view_holds_what_its_table_says_of_a_position():
    """A few fields whose meaning can be checked by hand."""
    hand = ps.Hand.from_position(None, ["As/KsKd9c/5s", "2h/?/TdTc", None], to_act=0, dealer=2, pot=60, passed=1)
    view = hand.view(0)
    assert (view.phase, view.to_act, view.seats, view.playing) == (ps.TURN, 0, 3, 0b011)
    assert (view.dealer, view.pot, view.targets, view.price, view.passed) == (2, 60, 0b010, 20, 0b010)
    assert (view.seat, view.foe, view.attacker, view.defender, view.out) == (0, -1, -1, -1, 1)
    assert view.rules.small_bet == 10 and view.rules.blocked == 0 and view.rules.stack == 1 << 40
    assert view.players[1].rivals & view.playing == 0b001 and view.players[0].soldiers == 1 << (16 * 3 + 3)
    answer = hand.copy().attack(1).view(1)
    assert (answer.phase, answer.foe, answer.attacker, answer.defender, answer.price) == (ps.RESPOND, 0, 0, 1, 30)


# ---- columns of the tables -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tournament():
    return ps.round_robin(["maniac", "buyer", "random"], seats=3, deals=40, seed=1, rows=True, luck=True)


def same_columns(table, described, name):
    assert list(table.columns) == list(described), name
    for column, meaning in described.items():
        kind = table[column].dtype
        if "(category)" in meaning:
            assert isinstance(kind, pd.CategoricalDtype), (name, column)
        elif column in ("policy", "group", "interval"):
            assert not pd.api.types.is_numeric_dtype(kind), (name, column)
        else:
            assert pd.api.types.is_numeric_dtype(kind), (name, column)


def test_columns_are_those_that_are_described(tournament):
    result = ps.play(["maniac", "buyer"], deals=30, seed=1)
    for run in (result, tournament):
        for name in ("seats", "battles", "deals", "summary"):
            same_columns(getattr(run, name), tables.COLUMNS[name], name)
    assert list(tournament.leaderboard.columns) == list(tables.COLUMNS["summary"])
    assert set(tables.COLUMNS) == {"seats", "battles", "deals", "summary"}


def test_tables_that_were_kept_have_the_same_columns(tournament, tmp_path):
    tournament.to_parquet(tmp_path / "kept")
    kept = ps.load(tmp_path / "kept")
    for name in ("seats", "battles", "deals", "summary"):
        same_columns(getattr(kept, name), tables.COLUMNS[name], name)


def test_words_of_categories_are_those_that_are_described(tournament):
    seats, battles = tournament.seats, tournament.battles
    for column, words in (("outcome", OUTCOMES), ("end", ENDS)):
        said = tables.COLUMNS["seats"][column]
        assert said.split(": ")[1].removesuffix(" (category)").split(", ") == list(words[1:])
        assert set(seats[column].unique()) <= set(words[1:])
    assert set(battles["end"].unique()) <= {"fold", "call"}
    assert tables.COLUMNS["battles"]["end"] == "fold or call (category)"


def test_columns_mean_what_is_said(tournament):
    """What can be added up is: net, and the parts of what was paid."""
    seats = tournament.seats
    paid = seats[[name for name in tables.COLUMNS["seats"] if name.startswith("paid_")]].sum(axis=1)
    assert (seats["net"] == seats["won"] - paid).all()
    hands = seats.groupby(["lineup", "deal", "rotation"])
    assert (hands["net"].sum() == 0).all()
    assert (hands["position"].apply(sorted).map(tuple) == (0, 1, 2)).all()
    battles = tournament.battles
    per_hand = battles.groupby(["lineup", "deal", "rotation"]).size()
    attacks = hands["attacks"].sum()
    assert (attacks[attacks > 0] == per_hand).all()
    summary = tournament.summary
    np.testing.assert_allclose(summary["sb100"], summary["mean"] * 10)  # small bets of 10 chips


# ---- options of the rules --------------------------------------------------------------------------------------------


def parameters(docstring, section="Parameters"):
    """Entries of a section of a numpydoc docstring: names and what is said of them."""
    found = re.search(rf"^{section}\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", inspect.cleandoc(docstring), re.DOTALL | re.M)
    entries = {}
    for line in found[1].splitlines() if found else ():
        if line and not line.startswith(" "):
            names = [name.strip().lstrip("*") for name in line.split(" : ")[0].split(",")]
            entries |= dict.fromkeys(names, line)
        else:
            entries |= {name: f"{entries[name]} {line.strip()}" for name in (names if entries else ())}
    return entries


def test_every_option_of_the_rules_is_described_in_its_order():
    assert list(parameters(ps.Rules.__doc__)) == [field.name for field in dataclasses.fields(ps.Rules)]


def test_options_take_what_their_description_says():
    for name, said in parameters(ps.Rules.__doc__).items():
        others = {"stack": 1000} if name == "structure" else {}
        choices = re.search(r"\{(.*?)\}", said)
        if choices:
            words = tuple(word.strip(' "') for word in choices[1].split(","))
            assert words == rules._CHOICES[name]
            for word in words:
                assert getattr(ps.Rules(**{name: word}, **others), name) == word
            with pytest.raises(ValueError, match=name):
                ps.Rules(**{name: "other"})
        bounds = re.search(r"([\d,]+) to ([\d,]+)", said)
        if bounds:
            low, high = (int(bound.replace(",", "")) for bound in bounds.groups())
            for fits in (low, high):
                assert getattr(ps.Rules(**{name: fits}), name) == fits
            for outside in (low - 1, high + 1):
                with pytest.raises(ValueError, match=name):
                    ps.Rules(**{name: outside})
        if "optional" in said:
            assert getattr(ps.Rules(), name) is None
    assert set(rules._CHOICES) < set(parameters(ps.Rules.__doc__))


# ---- functions for policies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", [ps.see, ps.act], ids=["see", "act"])
def test_helpers_of_policies_are_listed(module):
    """All that is defined there in words of the game, and nothing else."""
    own = {
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__ and not name.startswith("_")
    }
    inner = {ps.see: {"least_target"}, ps.act: {"as_card_set", "verb_of", "target_of", "amount_of", "cards_of"}}
    assert own - inner[module] == set(module.__all__) == set(dir(module))
    assert list(module.__all__) == sorted(module.__all__)
    for name in module.__all__:
        assert_sentence(getattr(module, name), name)


def test_moves_of_policies_are_the_moves_of_hands():
    for name in ps.act.__all__:
        assert list(inspect.signature(getattr(ps.act, name)).parameters) == [
            each for each in inspect.signature(getattr(ps.Hand, name)).parameters if each != "self"
        ]


# ---- columns that docstrings list ------------------------------------------------------------------------------------


def listed(text):
    """Words in a description that are the names of columns for sure: in double backticks, or with an underscore."""
    text = re.sub(r"(?<!`)`[^`]+`(?!`)", "", text)  # references to functions
    return set(re.findall(r"``([a-z]\w*)``", text)) | set(re.findall(r"\b[a-z0-9]+_[a-z0-9_]+\b", text))


def check_columns(text, table, but=(), beside=()):
    """Compare the columns of a table with its description, both ways."""
    columns = [column for column in table.columns if column not in but]
    if "as in `Estimate`" in text:
        text += " " + " ".join(parameters(Estimate.__doc__, "Attributes"))
    words = set(re.findall(r"\w+", text))
    assert [column for column in columns if column not in words] == []
    assert listed(text) - set(columns) - {"attrs", *beside} == set()


def returned(function):
    return " ".join(inspect.cleandoc(function.__doc__).split("Returns\n-------\n")[1].split("\n\n")[0].split())


def described(owner, name):
    return parameters(owner.__doc__, "Attributes")[name]


def test_columns_of_tournaments(tournament):
    # one function makes the tables of both
    mixture = ps.round_robin(["maniac", "random"], deals=20, seed=1).alpha_rank()
    for function in (ps.Tournament.nash, ps.Tournament.alpha_rank):
        check_columns(returned(function), mixture)
    check_columns(inspect.getdoc(ps.Tournament.ratings), tournament.ratings)
    check_columns(returned(ps.Tournament.without_luck), tournament.without_luck(pilot=50))
    why = tournament.why("maniac", "buyer", deals=40)
    check_columns(described(type(why), "parts"), why.parts, but=["maniac", "buyer"])
    check_columns(described(type(why), "deals"), why.deals)
    check_columns(returned(statistics.lineup_means), statistics.lineup_means(tournament.deals))
    check_columns(returned(statistics.variance_reduction), statistics.variance_reduction(tournament.seats))


def test_columns_of_odds():
    check_columns(returned(ps.odds_by_soldiers), ps.odds_by_soldiers(samples=200))
    check_columns(returned(ps.odds_by_usable), ps.odds_by_usable(samples=200))
    check_columns(returned(ps.odds_by_price), ps.odds_by_price(samples=200))
    check_columns(returned(ps.battle_odds_table), ps.battle_odds_table(["As/KsKc9c/"], "2d/?/TcTh"))
    check_columns(returned(ps.showdown_odds), ps.showdown_odds(["As/AhKd9c/", "2d/2c2h7d/5h"]))
    check_columns(returned(ps.Range.frame), ps.Range.text("AsAdAh").frame(), beside=["se"])


@pytest.mark.skipif(not JIT, reason="searches play too many hands for plain Python")
def test_columns_of_searches():
    small = {"budget": 2_000, "deals": 10, "popsize": 4}
    found = ps.search.optimize("tight", against="stay", **small)
    for name, but in {"course": (), "candidates": ["aggression"], "finalists": ["aggression"], "tables": ()}.items():
        check_columns(described(type(found), name), getattr(found, name), but)
    response = ps.search.best_response("stay", family="tight", **small)
    check_columns(described(type(response), "table"), response.table)
    table = ps.search.response_table(["stay"], family="tight", **small)
    check_columns(returned(ps.search.response_table), table)
    league = ps.search.league(["stay", "tight"], family="tight", rounds=1, **small)
    check_columns(described(type(league), "rounds"), league.rounds)
    names = [policy.name for policy in league.policies]
    assert list(league.payoffs) == list(league.payoffs_se) == list(league.mixtures) == names


@pytest.mark.skipif(not JIT, reason="solvers work too long in plain Python")
def test_columns_of_end_games():
    deck = ps.Rules(deck="2c 3c 4c 2d 3d 4d 5d", palace_cards=1, max_buys=0)
    end = ps.search.solve_endgame(["2c/?", "2d/?"], pot=30, rules=deck, iterations=5)
    moves = ["stay", "fold", "call", "attack", "raise"]
    check_columns(returned(type(end).strategy), end.strategy(0), but=moves)
    check_columns(returned(type(end).frequencies), end.frequencies())
    check_columns(returned(type(end).discards), end.discards())


# ---- docstrings of all that is public --------------------------------------------------------------------------------

CLASSES = [ps.Hand, ps.Result, ps.Tournament, ps.Policy, ps.Rules, ps.Range, ps.Odds, Shown, Step, Steps]
MODULES = {"search": ps.search, "statistics": statistics, "plots": ps.plots, "until": ps.until, "policies": ps.policies}


def public():
    """All public names that have a docstring of their own: functions, classes, methods and properties."""
    found = {f"ps.{name}": getattr(ps, name) for name in ps.__all__ if name != "__version__"}
    for module, value in MODULES.items():
        found |= {f"ps.{module}.{name}": getattr(value, name) for name in value.__all__}
    found = {name: value for name, value in found.items() if callable(value)}
    of_search = {value for name, value in found.items() if name.startswith("ps.search.") and inspect.isclass(value)}
    for owner in {*CLASSES, *of_search}:
        for name, value in vars(owner).items():
            if not name.startswith("_"):
                found[f"{owner.__module__}.{owner.__qualname__}.{name}"] = value
    found = {name: under(value) for name, value in found.items()}
    return {name: value for name, value in found.items() if value is not None}


def under(value):
    """Return what carries the docstring and the parameters; None for data."""
    if isinstance(value, classmethod | staticmethod):
        return value.__func__
    if isinstance(value, property):
        return value.fget
    if isinstance(value, functools.cached_property):
        return value.func
    value = getattr(value, "py_func", value)
    return value if inspect.isfunction(value) or inspect.isclass(value) else None


PUBLIC = public()


def assert_sentence(value, name):
    summary = inspect.cleandoc(value.__doc__ or "").split("\n\n")[0]
    assert summary.endswith((".", ":")), f"{name}: {summary!r}"
    assert summary[0].isupper() or summary[0] == "`", f"{name}: {summary!r}"


def test_all_that_is_public_says_what_it_is():
    assert len(PUBLIC) > 200
    attributes = "".join(inspect.getdoc(owner) for owner in CLASSES)
    for name, value in PUBLIC.items():
        if value.__doc__ is None:  # a property that stands in the Attributes of its class
            owner = name.split(".")[-2]
            attributes = inspect.getdoc(getattr(importlib.import_module(name.rsplit(".", 2)[0]), owner))
            assert re.search(rf"\b{name.split('.')[-1]}\b", attributes), name
        else:
            assert_sentence(value, name)


def test_parameters_are_described():
    """All of them, and none that are not there."""
    wrong = {}
    for name, value in PUBLIC.items():
        if not inspect.isfunction(value):
            continue
        taken = [each for each in inspect.signature(value).parameters if each not in ("self", "cls")]
        said = list(parameters(value.__doc__ or ""))
        if sorted(said) != sorted(taken):
            wrong[name] = (said, taken)
    assert wrong == {}


def test_functions_have_examples_and_say_what_they_raise():
    wrong = []
    for name, value in PUBLIC.items():
        if not inspect.isfunction(value) or not name.startswith("ps."):
            continue
        if ">>>" not in value.__doc__:
            wrong.append((name, "no example"))
        if name.count(".") == 1 and inspect.signature(value).parameters and not parameters(value.__doc__, "Raises"):
            wrong.append((name, "says nothing of errors"))
    assert wrong == []


def test_what_hands_do_has_an_example():
    for name, value in vars(ps.Hand).items():
        if name.startswith("_") or not callable(getattr(ps.Hand, name)):
            continue
        assert ">>>" in under(value).__doc__, name


def test_examples_of_all_that_is_public_are_run(request):
    """Those of the package as it is installed: `testpaths` names it, and `--pyargs` finds it wherever it is."""
    chosen = request.config.option
    run = {item.name for item in request.session.items if isinstance(item, pytest.DoctestItem)}
    if not run or chosen.keyword or any("::" in name and "palace_sim" in name for name in request.config.args):
        pytest.skip("only where the examples are collected, all of them")
    missing = []
    for value in PUBLIC.values():
        if ">>>" in (value.__doc__ or "") and value.__module__.startswith("palace_sim"):
            name = f"{value.__module__}.{value.__qualname__}"
            if name not in run:
                missing.append(name)
    assert missing == []
