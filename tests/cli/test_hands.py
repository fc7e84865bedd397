"""The commands `hand` and `rank`."""

import re

from cli.running import works

import palace_sim as ps


def test_hand_is_told_as_it_was_played(capsys):
    out = works(capsys, "hand", "maniac", "random", "stay", "--seed", 7, "--deal", 3)
    result = ps.play(["maniac", "random", "stay"], deals=4, seed=7, rotate=False)
    told = ps.replay(result, deal=3)
    story = re.sub(r"\n +", " ", out).splitlines()  # long lines are wrapped
    assert [str(event) for event in told.history] == story[6:-1]
    for name, net in zip(["maniac", "random", "stay"], told.nets, strict=True):
        assert f"{name} {net:+d}" in out.splitlines()[-1]
    assert sum(told.nets) == 0


def test_hand_without_policies_seats_built_in_ones(capsys):
    out = works(capsys, "hand", "--seats", 6, "--seed", 7)
    assert "seat 5 is " in out
    assert "seat 6 is " not in out


def test_rank_puts_the_best_hand_first(capsys):
    assert works(capsys, "rank", "2c 2d", "As Ks Qs Js Ts", "").splitlines() == [
        "9841  straight flush  As Ks Qs Js Ts",
        "2370  one pair        2c 2d",
        "   0  high card",
    ]
