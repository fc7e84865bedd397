"""Where nets come from, and luck taken off: beside rows, planted truths and known sums."""

import numpy as np
import pandas as pd
import pytest

import palace_sim as ps
from palace_sim import until
from palace_sim.explaining import fit_weights, luck_controls
from palace_sim.kernels.luck import FEATURES
from palace_sim.statistics import confidence_sequence, interval
from palace_sim.tables import SEQUENCE


def patriots(deals, seed=1, **how):
    """The named table: four patriots with 20, 12, 6 and 3 buys at an ante of 40."""
    table = [ps.policies.get("patriot", buys=buys).named(f"patriot{buys}") for buys in (20, 12, 6, 3)]
    return ps.round_robin(table, ps.Rules(ante=40), seats=4, deals=deals, seed=seed, luck=True, **how)


@pytest.fixture(scope="module")
def table():
    return patriots(1500)


# --- luck at the draws ------------------------------------------------------------------------------------------------


def test_luck_taken_off_cuts_the_variance_of_the_named_table(table):
    """Four patriots with 20, 12, 6 and 3 buys at an ante of 40: by more than 1.2 for the best three of them.

    The factor of the last, who hardly buys, was met at 1.17 with four times as many deals.
    """
    found = table.without_luck(pilot=2000).set_index("policy")
    assert (found.factor[["patriot20", "patriot12", "patriot6"]] > 1.2).all(), found.factor
    assert found.factor.mean() > 1.2
    assert (found.rotations > 1).all()
    assert not found.attrs["weights"].isna().any(axis=None)


def check_unbiased(table, weights=None, pilot=1000):
    """The two means are of the same truth: their difference, luck alone, is within 4 of its own errors."""
    found = table.without_luck(pilot=pilot, weights=weights).set_index("policy")
    standing = table.standing
    used = found.attrs["weights"].loc[standing.names].to_numpy()
    controls = luck_controls(standing)[:, 0]  # batch, member, feature; one line-up
    taken = np.einsum("bmf,mf->bm", controls, used) / standing.rotations
    counts = standing.batch_deals[:, 0]
    deals = counts.sum()
    shift = taken.sum(axis=0) / deals
    rest = taken - counts[:, None] * shift
    se = np.sqrt(len(rest) / (len(rest) - 1) * (rest**2).sum(axis=0)) / deals
    found = found.loc[standing.names]
    np.testing.assert_allclose(found["mean"] - found.without_luck, shift, atol=1e-9)
    assert (np.abs(shift) < 4 * se).all() and (se > 0).any()
    np.testing.assert_allclose(found["mean"], standing.means[0], rtol=1e-9)
    np.testing.assert_allclose(found.se, standing.figures.se, rtol=1e-9)
    return found


def test_the_mean_is_unchanged_within_its_error_for_a_fitted_value_function(table):
    found = check_unbiased(table)
    low, high = interval(found.without_luck, found.without_luck_se, 1000)
    np.testing.assert_allclose(found.ci_low, low)
    np.testing.assert_allclose(found.ci_high, high)


def test_and_for_a_silly_one(table):
    found = check_unbiased(table, weights=[-3.0, 40, 0.5, 7, 9, -2, 0.1, 60])
    assert (found.factor < 1).all()  # it only adds noise


def test_no_weight_changes_nothing(table):
    found = table.without_luck(weights=np.zeros(2 * FEATURES))
    assert (found["mean"] == found.without_luck).all() and (found.factor == 1).all()


def test_planted_luck_is_recovered(table):
    """Nets that are luck by known weights, and noise: the weights are found within their errors, the noise is left."""
    import copy

    rng = np.random.Generator(np.random.Philox(key=3))
    standing = copy.copy(table.standing)
    planted = rng.normal(0, 2, (4, 2 * FEATURES))
    controls = luck_controls(standing)
    value = np.einsum("blsf,lsf->bls", controls, planted[standing.members])
    noise = rng.normal(0, 1, value.shape)
    batches = standing.batches.astype(float)
    batches[:, :, :4] = 5.0 * standing.batch_deals[:, :, None] + value + noise
    standing.__dict__["batches"] = batches  # its columns of luck are as they were
    found = fit_weights(standing)
    for member, policy in enumerate(standing.members[0]):
        x = controls[:, 0, member]
        error = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * noise[:, 0, member].var())
        assert (np.abs(found[policy] - planted[policy]) < 4.5 * error).all()


def test_luck_is_the_same_for_any_workers(table):
    again = table.without_luck(pilot=200, workers=1)
    pd.testing.assert_frame_equal(again, table.without_luck(pilot=200, workers=2))


def test_after_a_data_driven_stop_it_is_a_confidence_sequence():
    t = ps.round_robin(["buyer", "random"], deals=4000, luck=True, until=until.leader(), look=1000)
    assert (t.leaderboard["interval"] == SEQUENCE).all()
    found = t.without_luck(pilot=100)
    deals = int(t.leaderboard.deals.max())
    low, high = confidence_sequence(found.without_luck, found.without_luck_se, deals, planned=t.sequential)
    np.testing.assert_allclose(found.ci_low, low)
    np.testing.assert_allclose(found.ci_high, high)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"pilot": 5}, "pilot takes a number of deals from 20"),
        ({"weights": [1, 2]}, "weights takes 8 numbers"),
        ({"workers": 0}, "workers takes"),
    ],
)
def test_bad_arguments_are_named(table, arguments, said):
    with pytest.raises(ValueError, match=said):
        table.without_luck(**arguments)


def test_a_tournament_without_luck_says_how_to_ask():
    with pytest.raises(ValueError, match="played with luck=True"):
        ps.round_robin(["tight", "stay"], deals=5).without_luck()


def test_summing_up_luck_changes_no_table():
    plain = ps.round_robin(["buyer", "random", "stay"], deals=100)
    assert plain.leaderboard.equals(ps.round_robin(["buyer", "random", "stay"], deals=100, luck=True).leaderboard)


# --- why --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def duel():
    return ps.round_robin(["maniac", "tight", "random", "buyer"], seats=3, deals=300, rows=True, seed=4)


def test_parts_add_up_to_the_net_and_the_net_is_that_of_the_tournament(duel):
    why = duel.why("tight", "maniac", deals=300)
    parts = why.parts.set_index("part")
    for column in ("tight", "maniac", "difference"):
        assert parts[column].iloc[:-1].sum() == pytest.approx(parts.loc["net", column])
    told = duel.difference("tight", "maniac")
    assert parts.loc["net", ["difference", "se", "ci_low", "ci_high"]].tolist() == pytest.approx(
        [told[key] for key in ("mean", "se", "ci_low", "ci_high")]
    )


def test_parts_are_those_of_the_rows(duel):
    why = duel.why("tight", "maniac", deals=300)
    parts = why.parts.set_index("part")
    for name in ("tight", "maniac"):
        mine = duel.seats[duel.seats.policy == name]
        # every line-up has as many hands: the plain mean is the mean over line-ups
        for part, column in [("antes", "paid_ante"), ("buys", "paid_buy"), ("attacks made", "paid_attack")]:
            assert parts.loc[part, name] == pytest.approx(-mine[column].mean())
        for part, column in [("attacks met", "paid_call"), ("raises", "paid_raise")]:
            assert parts.loc[part, name] == pytest.approx(-mine[column].mean())
        won = {
            "pots of the last one left": mine.won[mine.end == "one left"],
            "splits": mine.won[(mine.outcome == "split") & (mine.end != "one left")],
            "showdowns": mine.won[(mine.outcome == "won") & (mine.end != "one left")],
        }
        for part, chips in won.items():
            assert parts.loc[part, name] == pytest.approx(chips.sum() / len(mine))
    assert why.parts["part"].is_unique and len(why.parts) == 9


def test_deals_that_differ_most_can_be_replayed(duel):
    why = duel.why("tight", "maniac", deals=300)
    seats = duel.seats
    signed = seats.net.where(seats.policy == "tight", -seats.net)[seats.policy.isin(["tight", "maniac"])]
    total = signed.groupby(seats.deal).sum()
    assert why.deals.difference.abs().tolist() == sorted(total.abs(), reverse=True)[:10]
    for row in why.deals.itertuples():
        assert total[row.deal] == row.difference
        hand = ps.replay(duel, row.deal, row.rotation, row.lineup)
        mine = seats[(seats.deal == row.deal) & (seats.rotation == row.rotation) & (seats.lineup == row.lineup)]
        assert list(hand.nets) == mine.sort_values("seat").net.tolist()
        # the hand shown leans to the side that is ahead in the deal
        both = mine[mine.policy.isin(["tight", "maniac"])]
        assert np.sign(both.net.where(both.policy == "tight", -both.net).sum()) in (0, np.sign(row.difference))


def test_it_works_without_rows_and_prints(duel):
    bare = ps.round_robin(["maniac", "tight", "random", "buyer"], seats=3, deals=300, seed=4)
    mine, wanted = bare.why("tight", "buyer", deals=100), duel.why("tight", "buyer", deals=100)
    pd.testing.assert_frame_equal(mine.parts, wanted.parts)
    assert "Deals that differ most" in str(mine) and "<table" in mine._repr_html_()


def test_why_of_names_that_cannot_be(duel):
    with pytest.raises(ValueError, match="policy 'x' did not play; there are: buyer, maniac, random, tight"):
        duel.why("tight", "x")
    with pytest.raises(ValueError, match="a and b are both 'tight'"):
        duel.why("tight", "tight")
    with pytest.raises(ValueError, match="deals takes a number of deals"):
        duel.why("tight", "buyer", deals=0)


def test_why_of_a_single_deal_has_no_errors(duel):
    assert duel.why("tight", "buyer", deals=1).parts.se.isna().all()


def test_twins_differ_in_nothing():
    t = ps.round_robin(["tight", ps.policies.get("tight").named("twin")], deals=50)
    why = t.why("tight", "twin")
    assert (why.parts.difference.abs() < 1e-12).all() and (why.deals.difference == 0).all()
