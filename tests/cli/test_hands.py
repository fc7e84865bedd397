"""The commands `hand` and `rank`."""

from cli.running import run, works

import palace_sim as ps


def replayed():
    result = ps.play(["maniac", "random", "stay"], deals=4, seed=7, rotate=False)
    return ps.replay(result, deal=3)


def story_of(out):
    """Rows of the story: number of the move, what happened, pot after it; wrapped lines are put together."""
    text = out[out.index("pot\n") + 4 :]
    rows = [(line[:3].strip(), line[5:90].rstrip(), line[90:].strip()) for line in text.splitlines()[:-1]]
    told = []
    for number, line, pot in rows:
        if line.startswith("    "):
            told[-1] = (told[-1][0], f"{told[-1][1]} {line.strip()}", pot)
        else:
            told.append((number, line, pot))
    return told


def test_hand_is_told_as_it_was_played(capsys):
    out = works(capsys, "hand", "maniac", "random", "stay", "--seed", 7, "--deal", 3)
    told = replayed()
    story = story_of(out)
    assert [line for _, line, _ in story if " alone sees " not in line] == [str(event) for event in told.history]
    pots = [told.rewound(move).pot for move in range(len(told.decisions) + 1)]
    assert [int(pot) for _, _, pot in story if pot] == pots
    assert [int(number) for number, _, _ in story if number] == list(range(len(pots)))
    for name, net in zip(["maniac", "random", "stay"], told.nets, strict=True):
        assert f"{name} {net:+d}" in out.splitlines()[-1]
    assert sum(told.nets) == 0


def test_hand_is_told_as_a_seat_saw_it(capsys, tmp_path):
    words = ["hand", "maniac", "random", "stay", "--seed", 7, "--deal", 3, "--seat", 1]
    out = works(capsys, *words, "--html", tmp_path / "hand.html")
    told = replayed()
    assert "as seat 1 saw it" in out.splitlines()[0]
    assert str(told.steps(seat=1)) in out
    own = " ".join(told.history[0].palaces[1])
    assert f"palaces ?, {own}, ?" in out
    page = told.steps(1, ["maniac", "random", "stay"]).html()
    assert (tmp_path / "hand.html").read_text(encoding="utf-8") == page
    assert works(capsys, *words, "--html", tmp_path / "hand.html") == out
    assert run(capsys, *words, "--html", "-") == (0, page, "")


def test_hand_refuses_before_it_plays(capsys, tmp_path):
    code, out, err = run(capsys, "hand", "--seats", 3, "--seat", 3)
    assert (code, out) == (2, "") and "seat takes a seat from 0 to 2" in err
    code, out, err = run(capsys, "hand", "--html", tmp_path / "nowhere" / "hand.html")
    assert (code, out) == (2, "") and "--html takes a file in a folder that exists" in err


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
