"""The decorator and what a policy carries."""

import pickle

import numpy as np
import pytest

import palace_sim as ps
from palace_sim.policies.base import as_policy


@ps.policy(params={"courage": (0.6, 0.0, 1.0), "patience": (3, 0, 9)})
def bold(view):
    """Fold or stay."""
    return ps.act.fold() if view.params[0] > 0.5 and view.phase == ps.RESPOND else ps.act.stay()


def test_name_shows_parameters_that_are_not_default():
    assert bold.name == "bold"
    assert bold.with_(courage=0.25).name == "bold(courage=0.25)"
    assert bold.with_(patience=4, courage=0).name == "bold(courage=0, patience=4)"
    assert bold.with_(courage=0.6).name == "bold"
    assert bold.named("x").with_(courage=0.1).name == "x"


def test_policies_are_frozen_and_copies_leave_the_original():
    changed = bold.with_(courage=0.9)
    assert bold.params == {"courage": 0.6, "patience": 3} and changed.params["courage"] == 0.9
    with pytest.raises(AttributeError):
        bold.salt = 3
    assert bold.__doc__ == "Fold or stay."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: bold.with_(courag=1), "no parameter 'courag'; did you mean courage"),
        (lambda: bold.with_(courage=1.5), "bold: courage takes 0 to 1, got 1.5"),
        (lambda: bold.with_(courage="much"), "courage takes a number, got 'much'"),
        (lambda: bold.with_(courage=float("nan")), "courage takes a finite number"),
        (lambda: bold.named(""), "name takes a text"),
        (lambda: bold.named("x", salt=-1), "salt takes a whole number"),
        (lambda: ps.policies.get("tigth"), "'tigth'; did you mean tight"),
        (lambda: ps.policies.get("tight", agression=1), "no parameter 'agression'; did you mean aggression"),
        (lambda: ps.policy(params={"a": (2, 0, 1)})(lambda view: 0), "default of a takes 0 to 1, got 2"),
        (lambda: ps.policy(params={"a": (0, 1, 0)})(lambda view: 0), "a has bounds 1 to 0"),
        (lambda: ps.policy(params={"a": 3})(lambda view: 0), r"a takes \(default, low, high\)"),
        (lambda: ps.policy(params={f"p{i}": (0, 0, 1) for i in range(49)})(lambda view: 0), "at most 48"),
        (lambda: ps.policy(keep="all")(lambda view: 0), "takes 'best' or 'ask'"),
        (lambda: ps.policy(5), "policy takes a function"),
        (lambda: ps.policy(lambda: 0), "takes one argument, the view"),
        (lambda: ps.policy(bold), "bold is a policy already"),
        (lambda: ps.policy(lambda view, x=3: 0), "takes one argument, the view"),
        (lambda: ps.policy(name=5)(lambda view: 0), "name takes a text, got 5"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        change()


def test_parameters_change_what_is_played_and_compile_nothing():
    from palace_sim.policies.entry import _COMPILED

    ps.play([bold, "random"], deals=5)
    before = len(_COMPILED)
    folds = []
    for courage in np.linspace(0, 1, 8):
        seats = ps.play([bold.with_(courage=courage), "random"], deals=40, illegal="fold").seats
        folds.append((seats.policy != "random").sum())
    assert len(_COMPILED) == before and len(folds) == 8


def test_compilations_grow_with_policies_not_with_pairs():
    from palace_sim.policies.entry import _COMPILED

    ps.round_robin(list(ps.policies.NAMES), deals=2)
    before = len(_COMPILED)
    ps.round_robin([ps.policies.get(name).named(f"{name} again") for name in ps.policies.NAMES], seats=3, deals=2)
    assert len(_COMPILED) == before


def test_an_undecorated_function_and_an_object_play_as_plain_python():
    class Stays:
        def __call__(self, view):
            return ps.act.stay() if view.phase == ps.TURN else ps.act.fold()

    def stays(view):
        return ps.act.stay() if view.phase == ps.TURN else ps.act.fold()

    same = [ps.play([p, "tight"], deals=30).seats.net.tolist() for p in (stays, Stays())]
    assert same[0] == same[1] == ps.play(["stay", "tight"], deals=30).seats.net.tolist()
    assert as_policy(stays) is as_policy(stays)


def test_a_called_policy_reads_its_own_parameters():
    view = ps.Hand.deal(seats=2, dealer=1).attack(1).view(1)
    assert bold(view) == ps.act.fold() and view.params[0] == 0.6
    assert bold.with_(courage=0.2)(view) == ps.act.stay() and view.params[1] == 3


def test_plain_and_compiled_policies_play_the_same():
    compiled = ps.policies.get("random")
    plain = ps.policy(compile=False, name="random")(compiled.function)
    a = ps.play([compiled, "tight", "maniac"], deals=60)
    b = ps.play([plain, "tight", "maniac"], deals=60)
    assert a.seats.equals(b.seats)


def test_a_salt_gives_other_choices():
    plain, salted = (ps.policies.get("random").named("r", salt=salt) for salt in (0, 1))
    a, b = (ps.play([p, "stay"], deals=100).seats.net.tolist() for p in (plain, salted))
    assert a != b


def test_policies_of_a_module_pickle_by_name():
    copy = pickle.loads(pickle.dumps(ps.policies.get("tight", aggression=0.3).named("t", salt=4)))
    original = ps.policies.get("tight", aggression=0.3)
    assert copy.family is original.family and copy.values == original.values and (copy.name, copy.salt) == ("t", 4)
    assert pickle.loads(pickle.dumps(bold)).family is bold.family


def test_a_plain_policy_may_keep_its_view():
    seen = []

    def collects(view):
        seen.append(view)
        return ps.act.stay() if view.phase == ps.TURN else ps.act.fold()

    ps.play([collects, "stay"], deals=20)
    assert len({(view.palace, view.players[0].banner) for view in seen}) > 15
    assert all(view.seats == 2 for view in seen)


def test_memo_lasts_through_a_hand_and_no_longer():
    bad = []

    def counts(view):
        if view.turns < 2 and view.memo[0] != 0:
            bad.append(view.turns)
        view.memo[0] += 1
        return ps.act.stay() if view.turns > 8 else ps.act.buy() if ps.see.can_buy(view) else ps.act.stay()

    def patient(view):
        return ps.act.fold() if view.phase == ps.RESPOND else ps.act.stay()

    ps.play([counts, patient], deals=30)
    assert not bad


# --- views -----------------------------------------------------------------------------------------------------------


def vandal_source(answer):
    """Source of a policy that writes into every field of its view, and reads none."""
    from palace_sim.kernels.view import VIEW

    lines = ["def vandal(view):"]

    def write(path, dtype):
        if dtype.names:
            for name in dtype.names:
                write(f"{path}.{name}", dtype[name])
        elif dtype.shape:
            base, size = dtype.subdtype[0], dtype.shape[0]
            if base.names:
                for i in range(size):
                    write(f"{path}[{i}]", base)
            else:
                lines.extend(f"    {path}[{i}] = {77 + i}" for i in range(size))
        else:
            lines.append(f"    {path} = 123456789")

    write("view", VIEW)
    return "\n".join([*lines, f"    return {answer}"])


@pytest.mark.parametrize("answer", ["ps.act.fold()", "ps.act.call()"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_vandal_changes_nothing_about_any_decision(answer, workers):
    """It and a policy that only gives the same answers leave the same tables, whoever else plays."""
    scope = {"ps": ps}
    exec(vandal_source(answer), scope)
    exec(f"def quiet(view):\n    return {answer}", scope)
    tables = []
    for name in ("vandal", "quiet"):
        policy = ps.policy(scope[name]).named("x")
        result = ps.play([policy, "random", "tight", "buyer"], deals=150, illegal="fold", workers=workers)
        tables.append([t.to_csv() for t in (result.summary, result.seats, result.battles, result.deals)])
    assert tables[0] == tables[1]


def test_no_field_of_a_record_hides_behind_an_attribute_of_numpy():
    from palace_sim.kernels import play, state, view

    for dtype in (state.STATE, state.PLAYER, state.RULES, state.TALLY, state.BATTLE, view.VIEW, play.WORK, play.JOB):
        assert not [name for name in dtype.names if hasattr(np.record, name)]


def test_every_field_of_the_view_is_documented():
    from palace_sim.kernels import state, view

    for name in view.VIEW.names:
        assert f"\n{name} " in view.__doc__, name
    for name in [*state.PLAYER.names, *state.RULES.names]:
        assert name in view.__doc__, name
