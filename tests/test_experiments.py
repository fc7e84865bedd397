"""Experiments run at a small size, go on where they were, and say in their README what they found."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import palace_sim as ps
from palace_sim.cards import format_cards, set_cards

HERE = Path(__file__).parents[1] / "experiments"
NAMES = sorted(path.parent.name for path in HERE.glob("*/quick.toml"))
FIGURE = re.compile(r"[−\d][\d.,]* \([−\d][\d.,]* to [−\d∞][\d.,]*\)")

pytestmark = pytest.mark.skipif(not HERE.exists(), reason="the tests stand without the experiments")


def load(path):
    """A script as a module of its own; those that it imports from beside it stay what they are."""
    spec = importlib.util.spec_from_file_location(f"_{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    before = sys.path[:]
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


def experiment_of(name):
    module = load(HERE / name / "run.py")
    (made,) = [thing for thing in vars(module).values() if type(thing).__name__ == "Experiment"]
    return module, made


def test_every_experiment_that_is_asked_for_is_there():
    assert set(NAMES) == {"banner_luck", "exploitability", "luck", "position", "soldiers", "table_size"}
    for name in NAMES:
        assert {path.name for path in (HERE / name).iterdir()} >= {"README.md", "config.toml", "run.py", "finding.csv"}


@pytest.mark.parametrize("name", NAMES)
def test_quick_run_resumes_and_gives_the_same(name, tmp_path, capsys):
    _, experiment = experiment_of(name)
    config = HERE / name / "quick.toml"
    finding = experiment.run(config, tmp_path)
    first = capsys.readouterr().out.splitlines()
    assert len(first) == len(experiment.split(experiment.settings(config))) > 1
    assert all(", played: " in line for line in first)
    text = (tmp_path / "finding.csv").read_text()
    pictures = sorted(path.name for path in tmp_path.glob("*.png"))
    assert pictures and all((tmp_path / name).stat().st_size > 5_000 for name in pictures)
    assert finding[["ci_low", "mean", "ci_high"]].apply(lambda row: row.is_monotonic_increasing, axis=1).all()

    parts = sorted(tmp_path.glob("*.json"))
    parts[0].unlink()  # as a run that was stopped leaves it
    experiment.run(config, tmp_path)
    again = capsys.readouterr().out.splitlines()
    assert [line.replace(", stored: ", ", played: ") for line in again] == first
    assert sum(", stored: " in line for line in again) == len(first) - 1
    assert (tmp_path / "finding.csv").read_text() == text
    back = sys.modules["experiment"].read_finding(tmp_path / "finding.csv")
    assert experiment.tables(back) == experiment.tables(finding)


@pytest.mark.parametrize("name", NAMES)
def test_readme_says_what_is_kept(name):
    _, experiment = experiment_of(name)
    readme = (HERE / name / "README.md").read_text(encoding="utf-8")
    assert readme.splitlines()[0].startswith("# ") and readme.splitlines()[0].endswith("?")
    helper = sys.modules["experiment"]
    tables = experiment.tables(helper.read_finding(HERE / name / "finding.csv"))
    for title, table in tables.items():
        found = helper.block(title).search(readme)
        assert found, f"{name}: no table {title}"
        assert found[1] == table
    assert readme.count("<!-- finding: ") == len(tables)
    # figures in the prose are some of the tables'
    prose = re.sub(r"<!-- finding: .*?<!-- end -->", "", readme, flags=re.DOTALL)
    told = set(FIGURE.findall(" ".join(tables.values())))
    said = FIGURE.findall(re.sub(r"\s+", " ", prose))
    assert said, "the answer has figures"
    assert [figure for figure in said if figure not in told] == []


@pytest.mark.parametrize("name", NAMES)
def test_finding_is_that_of_the_settings(name):
    """All pieces that config.toml names are in finding.csv, and no others."""
    _, experiment = experiment_of(name)
    pieces = experiment.split(experiment.settings(HERE / name / "config.toml"))
    helper = sys.modules["experiment"]
    kept = helper.read_finding(HERE / name / "finding.csv")
    keys = [key for key in ("field", "game", "policy", "seats") if key in kept.columns]
    if name == "table_size":
        keys.remove("policy")
    wanted = {tuple(str(piece.get(key, len(piece.get("foes", [])) + 1)) for key in keys) for piece in pieces.values()}
    assert set(kept[keys].astype(str).itertuples(index=False, name=None)) == wanted


def test_settings_that_mean_nothing_are_refused(tmp_path):
    _, experiment = experiment_of("luck")
    config = tmp_path / "config.toml"
    config.write_text("sedd = 2\n" + (HERE / "luck" / "quick.toml").read_text())
    with pytest.raises(SystemExit, match="too many or missing: sedd"):
        experiment.run(config, tmp_path)


def test_comparison_tells_tables_apart():
    compare = load(HERE / "compare.py")
    table = pd.DataFrame({"policy": ["a", "b"], "mean": [1.0, np.nan], "deals": [3, 4]})
    assert compare.differences(table, table.copy()) == []
    assert compare.differences(table.assign(mean=[1.0 + 1e-12, np.nan]), table) == []
    assert compare.differences(table.assign(mean=[1.0 + 1e-7, np.nan]), table) != []
    assert compare.differences(table.assign(policy=["a", "c"]), table) != []
    assert compare.differences(table.iloc[:1], table) != []
    assert compare.kept() == NAMES


def test_ratio_and_jackknife_are_those_of_the_books():
    helper = sys.modules.get("experiment") or load(HERE / "experiment.py")
    rng = np.random.Generator(np.random.Philox(3))
    x = rng.normal(2, 1, 200)
    plain = helper.estimate(x)
    assert plain["mean"] == pytest.approx(x.mean()) and plain["se"] == pytest.approx(x.std(ddof=1) / np.sqrt(200))
    # of a mean, the jackknife's error is the textbook's
    (mean,) = helper.jackknife(lambda m: m, x[:, None])
    assert mean["mean"] == pytest.approx(x.mean()) and mean["se"] == pytest.approx(plain["se"])
    # two deals of 1 and 3 figures: (2 + 9)/4, residuals 2 − 11/4 and 9 − 33/4
    ratio = helper.estimate(np.array([2, 9]), np.array([1, 3]))
    assert ratio["mean"] == 11 / 4
    assert ratio["se"] == pytest.approx(np.sqrt(2 * (0.75**2 + 0.75**2)) / 4)


def test_cards_of_banner_luck_are_those_that_are_played():
    module, _ = experiment_of("banner_luck")
    banners, palaces = module.cards(3, 5, 9)
    for deal in range(5):
        hand = ps.Hand.deal(seats=3, seed=9, deal=deal)
        for seat in range(3):
            assert format_cards([int(banners[deal, seat])]) == hand.players[seat].banner
            assert palaces[deal, seat] == hand.record.palace[seat]
    held = module.of_suit(palaces, banners & 3)
    hand = ps.Hand.deal(seats=3, seed=9, deal=2)
    suit = hand.players[1].banner[1]
    assert held[2, 1] == sum(card[1] == suit for card in format_cards(set_cards(int(palaces[2, 1]))).split())


def test_shares_of_the_variance_add_up_and_find_what_was_put_in():
    """Nets made of parts of known variance: skill 4, company 0, seat 1, cards 9, choices 2."""
    module, _ = experiment_of("luck")
    rng = np.random.Generator(np.random.Philox(5))
    deals, seats, batches = 20_000, 2, 50
    who = np.array([[0, 1], [0, 2], [1, 2]])
    skill = np.array([1.0, -1.0, 0.0]) * np.sqrt(6)  # mean square 4
    place = np.array([1.0, -1.0])
    cards = 3 * rng.normal(size=(3, 2, seats, deals))
    nets = skill[who][:, :, None, None] + place[:, None] + cards
    both = np.stack([nets + np.sqrt(2) * rng.normal(size=nets.shape) for _ in range(2)])
    parts = both.reshape(*both.shape[:-1], batches, -1)
    means = np.moveaxis(parts.mean(axis=-1), -1, 0).reshape(batches, -1)
    square = (parts**2).mean(axis=(0, 1, 2, 3, 5))
    gap = ((parts[0] - parts[1]) ** 2).mean(axis=(0, 1, 2, 4)) / 2
    sums = np.concatenate([means, np.stack([square, gap], axis=1)], axis=1)
    *found, spread = module.shares(sums, np.array([2, 3, 2, seats]), who)
    assert sum(part["mean"] for part in found) == pytest.approx(100)
    for part, truth in zip(found, [25.0, 0.0, 6.25, 56.25, 12.5], strict=True):
        # five intervals, each five standard errors wide on each side: one in a million by chance
        assert abs(part["mean"] - truth) < 5 * part["se"] + 1e-9
        assert part["se"] < 1
    assert spread["mean"] == pytest.approx(4, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_full_run_gives_the_finding_that_is_kept(name):
    assert load(HERE / "compare.py").compare(name) == []
