"""Rules that stop a tournament: false decisions are rare, what is told afterwards covers, on nets of known truth.

Bounds: with chance 0.05 each, 1,000 runs have 50 false decisions on average, standard deviation √(1000·0.05·0.95) =
6.9; 73 are 3.3 of those more, and 926 covering intervals 3.5 fewer than 950. Quick versions take the same 3.3.
"""

import math

import numpy as np
import pytest
from synthetic import SyntheticConductor, draws, heads_up, totals_of

import palace_sim as ps
from palace_sim import schedule, until
from palace_sim.contest import Contest, _until
from palace_sim.standing import Standing
from palace_sim.statistics import confidence_sequence
from palace_sim.tables import SEQUENCE, difference, summary


def most(runs, chance=0.05):
    """Most false decisions in so many runs: 3.3 standard deviations above the mean."""
    return math.floor(runs * chance + 3.3 * math.sqrt(runs * chance * (1 - chance)))


assert most(1000) == 72


def normal(rng, size):
    return 20 * rng.standard_normal(size)


def heavy(rng, size):
    """Student's t with 3 degrees of freedom: finite variance, infinite kurtosis."""
    return 12 * rng.standard_t(3, size)


def skewed(rng, size):
    """Mostly small losses and now and then a large win, as of a policy that bluffs; mean 0, skewness 3.2."""
    return 20 * (rng.gamma(0.4, 1, size) - 0.4) / math.sqrt(0.4)


NOISES = [normal, heavy, skewed]


def run(strengths, rule, key, noise=normal, deals=10_000, spend="uniform", look=1000):
    """Play until a rule says stop; return the conductor and the reason."""
    many = len(strengths)
    lineups = schedule.every_lineup(many, 2)
    names = [f"p{k}" for k in range(many)]
    conductor = SyntheticConductor(names, lineups, heads_up(strengths, lineups, noise, key), deals)
    reason = _until(conductor, Contest(rule, look, spend == "adaptive", 0))
    return conductor, reason


def truths(strengths):
    """True figures: the mean over the others of the difference to each."""
    strengths = np.asarray(strengths, float)
    many = len(strengths)
    return strengths - (strengths.sum() - strengths) / (many - 1)


def planned(deals):
    return Contest(until.width(1), 1000, False, 0).planned(deals)


def false_runs(runs, noise, rule, kind, deals=10_000):
    """Count the runs of equal policies in which a rule finds a difference."""
    wrong = 0
    for key in range(runs):
        _, reason = run([0.0, 0.0], rule, (kind, key), noise, deals)
        wrong += "played" not in reason
    return wrong


@pytest.mark.parametrize("noise", NOISES)
def test_a_leader_among_equals_is_rarely_found(noise):
    assert false_runs(150, noise, until.leader(0.95), 1) <= most(150)


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("rule", "kind"), [(until.leader(0.95), 2), (until.apart(), 3)])
def test_false_decisions_of_leader_and_apart_in_1000_runs(noise, rule, kind):
    assert false_runs(1000, noise, rule, kind, deals=20_000) <= 73


def sprt_errors(runs, noise, kind, h1=4.0):
    """Errors of the test between 0 and h1 small bets per 100 hands, for each truth half of the runs."""
    wrong = 0
    for key in range(runs):
        truth = 0.0 if key % 2 else h1
        # chips a hand: a - b is twice the strength's difference heads-up
        strengths = [truth / 10 / 4, -truth / 10 / 4]
        _, reason = run(strengths, until.sprt("p0", "p1", h0=0, h1=h1), (kind, key), noise, deals=400_000)
        assert "SPRT decides" in reason
        wrong += ("H1" in reason) != (truth == h1)
    return wrong


@pytest.mark.parametrize("noise", NOISES)
def test_false_decisions_of_the_sequential_test(noise):
    assert sprt_errors(200, noise, 4, h1=8.0) <= most(200)


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_false_decisions_of_the_sequential_test_in_1000_runs(noise):
    assert sprt_errors(1000, noise, 5, h1=5.0) <= 73


def covering(runs, noise, kind, spend, rule, strengths, deals=8000):
    """Count the runs after which the sequences of one policy, and of one pair, cover; each run takes the next."""
    figures = pairs = 0
    many = len(strengths)
    true = truths(strengths)
    for key in range(runs):
        conductor, _ = run(strengths, rule, (kind, key), noise, deals, spend)
        standing = conductor.standing()
        table = summary(standing, 10, planned(deals)).set_index("policy")
        assert (table["interval"] == SEQUENCE).all()
        i, j = key % many, (key + 1) % many
        row = table.loc[f"p{i}"]
        figures += row.ci_low <= true[i] <= row.ci_high
        told = difference(standing, f"p{i}", f"p{j}", planned(deals))
        pairs += told["ci_low"] <= true[i] - true[j] <= told["ci_high"]
    return figures, pairs


CASES = [
    ("uniform", until.width(0.75), [0.0, 0.0]),
    ("uniform", until.leader(), [0.6, 0.3, 0.0]),
    ("adaptive", until.apart(), [0.8, 0.4, 0.0]),
    ("adaptive", until.leader(0.9), [0.5, 0.3, 0.0, 0.0]),
]


@pytest.mark.parametrize(("spend", "rule", "strengths"), CASES)
def test_after_a_stop_sequences_cover(spend, rule, strengths):
    runs = 60
    least = runs - most(runs)
    assert min(covering(runs, heavy, 6, spend, rule, strengths)) >= least


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("spend", "rule", "strengths"), CASES)
def test_after_a_stop_sequences_cover_in_1000_runs(spend, rule, strengths, noise):
    assert min(covering(1000, noise, 7, spend, rule, strengths)) >= 926


# --- adaptive spending ------------------------------------------------------------------------------------------------


def spent(strengths, close, key, spend, deals=200_000):
    """Deals over all line-ups until every pair but the close one is told apart; equal spreads of 15 chips a deal."""

    def noise(rng, size):
        return 15 * rng.standard_normal(size)

    rule = until.apart(but=[(f"p{close}", f"p{close + 1}")])
    conductor, _ = run(strengths, rule, key, noise, deals, spend)
    return int(conductor.spent.sum())


# Ten policies a chip apart, but for one close pair, which need not be told apart, and one that is nearer than the rest.
# A policy sits in 9 of the 45 line-ups, one of a pair in 17: once only the nearer pair is left, a look costs 17/45 of a
# uniform one or less.
ONE_CLOSE = np.array([0.0, 1.0, 2.0, 2.2, 3.2, 4.2, 5.2, 5.25, 6.25, 7.25])


def halved(keys):
    return [sum(spent(ONE_CLOSE, 6, key, how) for key in keys) for how in ("adaptive", "uniform")]


def test_adaptive_spending_takes_half_of_the_deals_or_fewer():
    adaptive, uniform = halved(range(2))
    assert adaptive <= uniform / 2, (adaptive, uniform)


@pytest.mark.slow
def test_adaptive_spending_takes_half_of_the_deals_or_fewer_in_10_tournaments():
    adaptive, uniform = halved(range(10, 20))
    assert adaptive <= uniform / 2, (adaptive, uniform)


@pytest.mark.slow
def test_adaptive_spending_saves_deals_with_strengths_drawn_at_random():
    """Gaps of many sizes, the least one left out: the more even they are, the less there is to save.

    Over 12 tournaments 0.55 of uniform's deals were met; three quarters are a bound against getting worse.
    """
    adaptive = uniform = 0
    for key in range(6):
        strengths = 12 * np.sort(draws(77, key).random(10))
        close = int(np.diff(strengths).argmin())
        adaptive += spent(strengths, close, (78, key), "adaptive", 100_000)
        uniform += spent(strengths, close, (78, key), "uniform", 100_000)
    assert adaptive <= 0.75 * uniform, (adaptive, uniform)


def test_adaptive_spending_leaves_the_others_alone():
    """Two that are near and one that is far: after the first look only line-ups of the two are played."""
    conductor, _ = run([5.0, 0.1, 0.0, -5.0], until.apart(), 3, deals=20_000, spend="adaptive")
    lineups = conductor.plan.lineups.tolist()
    alone = [conductor.spent[k] for k, lineup in enumerate(lineups) if not {1, 2} & set(lineup)]
    assert alone == [1000] and conductor.spent.max() > 5000


def test_adaptive_spending_follows_the_rule():
    """For a leader only pairs with the leader count; for a width those policies that are too wide."""
    conductor, reason = run([3.0, 0.0, 0.0, 0.0], until.leader(), 1, spend="adaptive")
    assert reason == "p0 leads at 95 %" and conductor.spent.max() == 1000
    _, reason = run([3.0, 0.0, -3.0], until.width(0.5), 1, spend="adaptive", deals=100_000)
    assert reason == "every half-width is at most 0.5 chips a hand"


def test_evidence_is_the_number_of_deals_where_all_have_played_the_same():
    nets = heads_up([0, 0, 0], schedule.every_lineup(3, 2), normal, 1)(0, 3000)
    lineups = schedule.every_lineup(3, 2)
    whole = Standing(["a", "b", "c"], 2, [totals_of(nets, lineups, 3)])
    assert whole.evidence.tolist() == [3000.0] * 3
    # b and c met in 1,000 more deals; each line-up has about as much variance a deal, so b's deals of 4,000 and 3,000
    # count as 1/4,000 to 1/3,000: their mean is 2/(1/3000 + 1/4000), about 3,429
    more = heads_up([0, 0, 0], lineups, normal, 1)(3000, 4000)[:, 2:]
    apart = Standing(["a", "b", "c"], 2, [totals_of(nets, lineups, 3), totals_of(more, lineups[2:], 3, first=3000)])
    assert apart.evidence[0] == pytest.approx(3000)
    assert apart.evidence[1:] == pytest.approx([3429, 3429], rel=0.02)


# --- the rules on their own -------------------------------------------------------------------------------------------


def test_width_is_reached_by_the_widest_sequence():
    lineups = schedule.every_lineup(2, 2)
    standing = Standing(["a", "b"], 2, [totals_of(heads_up([0, 0], lineups, normal, 5)(0, 2000), lineups, 2)])
    mean, se = standing.means
    low, high = confidence_sequence(mean, se, 2000, planned=2500)
    half = float(((high - low) / 2).max())
    assert until.width(half * 1.001).reached(standing, 2500, 10)
    assert until.width(half * 0.999).reached(standing, 2500, 10) is None


def test_sprt_counts_in_small_bets_of_all_hands():
    """Differences of exactly 0 and 4 chips a deal of two hands in turn: mean 1 a hand, 10 small bets of 10 per 100."""
    nets = np.tile([[[0, 0]], [[2, -2]]], (1000, 1, 1))
    standing = Standing(["a", "b"], 2, [totals_of(nets, schedule.every_lineup(2, 2), 2)])
    # 2000/2·log((4 + 2²)/(4 + 0²)) = 693 for h0 = 0 and h1 = 10
    said = until.sprt("a", "b", h0=0, h1=10).reached(standing, 0, small_bet=10)
    assert "decides H1: a less b is 10 small bets" in said and "ratio 693.15" in said
    assert "decides H0" in until.sprt("b", "a", h0=0, h1=10).reached(standing, 0, small_bet=10)


@pytest.mark.parametrize(
    "rule",
    [until.width(0.25), until.leader(0.9), until.apart(), until.apart([("a", "b")]), until.sprt("a", "b", h1=3)],
)
def test_rules_are_kept_as_they_are(rule):
    import json

    assert until.from_dict(json.loads(json.dumps(rule.as_dict()))) == rule


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: until.width(0), "half_width takes chips a hand above 0, got 0"),
        (lambda: until.leader(1.0), "level takes a number between 0 and 1"),
        (lambda: until.sprt("a", "b", h0=1, h1=1), "two different numbers"),
        (lambda: until.sprt("a", "b", alpha=0.6), "alpha"),
        (lambda: ps.round_robin(["tight", "stay"], until=until.sprt("tight", "x")), "until names policy 'x'"),
        (lambda: ps.round_robin(["tight", "stay"], until=until.apart([("y", "tight")])), "until names policy 'y'"),
        (lambda: ps.round_robin(["tight", "stay"], until="leader"), "until takes None or a rule"),
        (lambda: ps.round_robin(["tight", "stay"], spend="all"), "spend takes 'uniform' or 'adaptive'"),
        (lambda: ps.round_robin(["tight", "stay"], look=1), "look takes a number of deals from 10"),
        (lambda: ps.round_robin(["tight", "stay"], confirm=-1), "confirm takes a number of deals from 0"),
        (lambda: ps.round_robin(["tight", "stay"], luck=1), "luck takes True or False"),
        (
            lambda: ps.round_robin(["tight", "stay"], until=until.sprt("tight", "stay"), spend="adaptive"),
            "does not go with until.sprt",
        ),
    ],
)
def test_bad_arguments_are_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_draws_depend_on_their_key_only():
    assert draws(1, 2).random() == draws(1, 2).random() != draws(1, 3).random()
