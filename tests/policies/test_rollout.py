"""The `rollout` policy: legal, blind to what is hidden, the same in plain Python, as good as what it plays on with."""

import os
import subprocess
import sys

import numpy as np
import pytest

import palace_sim as ps
from palace_sim import check
from palace_sim.kernels import rollout as kernels
from palace_sim.kernels.engine import apply, fault
from palace_sim.kernels.jit import JIT
from palace_sim.kernels.knowledge import redraw
from palace_sim.kernels.rng import SAMPLING, open_stream
from palace_sim.kernels.view import PUBLIC_SIZE, fill_view
from palace_sim.policies.base import as_policy

quick = ps.policies.get("rollout", rollouts=4)
RULES = {
    "limit": ps.Rules(),
    "short stacks": ps.Rules(stack=25),
    "no limit": ps.Rules(structure="no_limit", stack=300, max_raises=7),
    "no soldiers": ps.Rules(max_soldiers=0, max_buys=3),
    "no buys, no raises": ps.Rules(max_buys=0, max_raises=0, ante=0),
    "ranks block": ps.Rules(blocked="rank", last_two="showdown"),
    "shrunken": ps.Rules(deck=range(28, 52), palace_cards=1, max_buys=2),
    "shrunken, endless": ps.Rules(deck=range(12, 52), palace_cards=2, max_turns=60, max_soldiers=2, ante=100),
}


def at(players, pot=60, to_act=0):
    return ps.Hand.from_position(None, players, to_act=to_act, dealer=0, pot=pot)


def test_it_is_built_in_but_not_in_the_default_line_up():
    assert ps.policies.get("rollout").name == "rollout"
    assert "rollout" not in ps.policies.NAMES
    assert "rollout" in ps.policies.SLOW
    text = " ".join((ps.policies.get("rollout").__doc__ or "").split())
    assert "rollouts : hands a move, 1 to 100000 Samples" in text and "Default 100." in text


@pytest.mark.parametrize("seats", [2, 5, 10])
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_it_plays_legally_at_every_table(rules, seats):
    if not JIT and seats > 2:
        pytest.skip("takes plain Python minutes")
    line = ["random", quick, "maniac", "patriot", "tight", quick, "random", "buyer", "hunter", quick][:seats]
    deals = 4 if JIT and seats == 2 else 1
    result = ps.play(line, rules, deals=deals, seed=seats, rows=False, illegal="stop", progress=False)
    assert result.summary["hands"].sum() == deals * seats * seats


def test_it_keeps_to_the_contract():
    report = ps.check_policy(quick, 1_500 if JIT else 20)
    assert report.ok, str(report)


SMALL = (
    (5, ps.Rules(deck=range(16, 52), max_raises=0)),
    (4, ps.Rules(deck=range(24, 52), palace_cards=2)),
    (6, ps.Rules(deck=range(24, 52))),
    (5, ps.Rules(deck=range(28, 52), palace_cards=1, ante=40)),
)


@pytest.mark.parametrize("tables", [check.TABLES, SMALL], ids=["all rules", "many reshuffles"])
def test_a_state_made_of_a_view_looks_the_same_to_its_seat(tables):
    """With what was learnt, and what rose again from a palace shuffled back; a redraw changes nothing of it."""
    learnt = back = risen = 0
    buyer = ps.policies.get("patriot", buys=40, share=1.0)  # buys and throws away, so that the pile runs out
    for number, decision in enumerate(check.walk(buyer, tables, 4)):
        if number == (4_000 if JIT else 60):
            break
        room = kernels.new_room()
        made, seat = room.work.blank, decision.seat
        kernels.state_of_view(made, decision.view)
        known = int(made.players[seat].learnt)
        learnt += known != 0
        back += any(known >> s & 1 and made.players[s].out <= made.back for s in range(made.seats))
        risen += bool(made.risen.any())
        for _ in range(2):
            again = decision.view.copy()
            fill_view(again, made, seat)
            assert again.tobytes() == decision.view.tobytes()
            open_stream(made.stream, number, 0, SAMPLING, 0, 0)
            redraw(made, seat)
        # every card once: palaces in play, face-up cards, discards and the draw pile
        sets = [made.discards, *(1 << 16 * (c & 3) + (c >> 2) for c in made.pile[: made.draw_size].tolist())]
        for other in range(made.seats):
            if made.players[other].active:
                banner = int(made.players[other].banner)
                sets += [made.palace[other], made.players[other].soldiers, 1 << 16 * (banner & 3) + (banner >> 2)]
        assert made.undrawn == made.draw_size
        assert sum(map(int, sets)) == made.deck
        assert int(made.discards).bit_count() == made.discard_size
    if JIT and tables is SMALL:
        assert learnt > 50 and back > 50 and risen > 50


def test_positions_with_seats_out_from_the_start():
    for discards in ("", "?3", "4c5c?3"):
        hidden = discards.replace("?3", "???")
        hand = ps.Hand.from_position(
            None, ["As/KsKd9c/", "2h/?/TdTc", None, "3d/?/"], to_act=0, pot=60, discards=hidden
        )
        room = kernels.new_room()
        kernels.state_of_view(room.work.blank, hand.view(0))
        made = room.work.blank
        open_stream(made.stream, 1, 0, SAMPLING, 0, 0)
        redraw(made, 0)
        again = hand.view(0)
        fill_view(again, made, 0)
        assert again.tobytes() == hand.view(0).tobytes()
        assert made.undrawn == made.draw_size
        assert (int(made.palace[2]) != 0) == ("???" in hidden)


def test_it_changes_nothing_of_a_view_but_its_stream_and_draws_from_nothing_else():
    view = at(["As/AdAcKs/", "5h/?/", "6d/?/"]).view(0)
    view.params[0] = 8
    before = view.copy()
    state = np.random.get_state()[1].copy()
    moves = {quick.function(view.copy()) for _ in range(3)}
    assert len(moves) == 1
    quick.function(view)
    changed = [name for name in view.dtype.names if view[name].tobytes() != before[name].tobytes()]
    assert changed == ["stream"]
    assert (np.random.get_state()[1] == state).all()


def test_it_sees_what_is_certain():
    """Three aces against a bare heart cannot lose (its quads would need a spade); nothing against trips can win.

    A called win brings 60 and what the foe pays, a fold gives up the pot.
    """
    strong = at(["As/AdAcKs/", "5h/?/"], to_act=1).attack(0)
    weak = at(["2s/3d5c7d/", "Ah/?/AdAcKh"], to_act=1).attack(0)
    policy = ps.policies.get("rollout", rollouts=20)

    def answer(hand):
        view = hand.view(0)
        view.params[0] = 20
        return policy.function(view)

    assert answer(strong) in (ps.act.call(), ps.act.raise_())
    assert answer(weak) == ps.act.fold()


SCRIPT = """
import palace_sim as ps
quick = ps.policies.get("rollout", rollouts=2)
t = ps.play([quick, "random", "tight"], deals=2, seed=3, progress=False)
print(t.seats.net.tolist())
import numba
if not numba.config.DISABLE_JIT:
    from palace_sim.kernels.rollout import best_move
    print(sum(best_move.stats.cache_misses.values()))
"""


def run(**environment):
    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_plain_python_plays_the_same():
    here = ps.play([ps.policies.get("rollout", rollouts=2), "random", "tight"], deals=2, seed=3, progress=False)
    assert run(NUMBA_DISABLE_JIT="1")[0] == str(here.seats.net.tolist())


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_a_fresh_process_with_a_warm_cache_plays_the_same():
    first, second = run(), run()
    assert first[0] == second[0]
    assert second[1] == "0"  # nothing was compiled anew


@pytest.mark.skipif(not JIT, reason="needs thousands of hands")
def test_it_gains_on_the_policy_that_it_plays_on_with():
    """Against one `patriot`, whom it has a true model of, and against `stay`: not below 0 by four standard errors.

    Policy improvement says that it gains; the error of its means could cost it that, not more.
    """
    for foe in ("patriot", "stay"):
        result = ps.play([ps.policies.get("rollout", rollouts=50), foe], deals=400, seed=11, rows=False, progress=False)
        row = result.summary.set_index("policy").loc["rollout(rollouts=50)"]
        assert row["mean"] > -4 * row.se


def test_the_reference_moves_are_legal():
    for number, decision in enumerate(check.walk(as_policy("random"), check.TABLES, 8)):
        if number == (500 if JIT else 30):
            break
        room = kernels.new_room()
        many = int(kernels.list_moves(decision.view, room.grid, False, room.codes))
        assert many >= 1
        for code in room.codes[:many].tolist():
            assert fault(decision.state, code) == 0
    apply(decision.state, int(room.codes[0]))
    assert decision.state.itemsize > PUBLIC_SIZE
