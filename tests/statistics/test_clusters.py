"""Means over line-ups, against the formula in plain Python, exact sums of complete tournaments, and simulation."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palace_sim.statistics import differences, interval, means
from palace_sim.statistics.clusters import lineup_difference, lineup_means, variance_reduction


def draws(key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=key))


def complete(names: str, deals: int, key: int, hands: int = 2) -> pd.DataFrame:
    """Heads-up line-ups of all pairs over the same deals."""
    rng = draws(key)
    rows = []
    for lineup, pair in enumerate(itertools.combinations(names, 2)):
        for deal in range(deals):
            net = int(rng.integers(-500, 501))
            rows += [(lineup, deal, pair[0], hands, net), (lineup, deal, pair[1], hands, -net)]
    return pd.DataFrame(rows, columns=["lineup", "deal", "policy", "hands", "net"])


def by_hand(table: pd.DataFrame, policy: str) -> tuple[float, float, int]:
    """The formula of the design."""
    rows = [r for r in table.itertuples() if r.policy == policy]
    lineups = sorted({r.lineup for r in rows})
    x = {(r.lineup, r.deal): r.net / r.hands for r in rows}
    n = {k: sum(1 for r in rows if r.lineup == k) for k in lineups}
    m = {k: sum(x[key] for key in x if key[0] == k) / n[k] for k in lineups}
    deals = sorted({r.deal for r in rows})
    u = [sum((x[k, d] - m[k]) / (len(lineups) * n[k]) for k in lineups if (k, d) in x) for d in deals]
    count = len(deals)
    se = math.sqrt(count / (count - 1) * sum(v * v for v in u)) if count > 1 else math.nan
    return sum(m.values()) / len(lineups), se, count


def test_same_deals_everywhere_is_means_and_differences() -> None:
    table = complete("abcd", 50, 1)
    found = lineup_means(table)
    wide = table.groupby(["deal", "policy"])["net"].sum().unstack().sort_index(axis=1)
    figures = wide.to_numpy()
    totals, products, hands = figures.sum(axis=0), figures.T @ figures, [6] * 4
    mean, se = means(totals, products, 50, hands)
    low, high = interval(mean, se, 50)
    order = [list(wide.columns).index(p) for p in found.policy]
    assert found["mean"].to_numpy() == pytest.approx(mean[order], rel=1e-12)
    assert found.se.to_numpy() == pytest.approx(se[order], rel=1e-12)
    assert found.ci_low.to_numpy() == pytest.approx(low[order])
    assert found.ci_high.to_numpy() == pytest.approx(high[order])
    assert found.hands.tolist() == [300] * 4 and found.deals.tolist() == [50] * 4 and found.lineups.tolist() == [3] * 4
    gap, gap_se = differences(totals, products, 50, hands)
    pair = lineup_difference(table, "b", "d")
    assert (pair["mean"], pair["se"]) == pytest.approx((gap[1, 3], gap_se[1, 3]), rel=1e-12)
    assert pair["deals"] == 50


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_deals_by_the_formula(data: st.DataObject) -> None:
    rows = []
    for lineup in range(data.draw(st.integers(1, 4))):
        deals = data.draw(st.sets(st.integers(0, 8), min_size=2, max_size=8))
        hands = data.draw(st.integers(1, 4))
        for deal in deals:
            rows.append((lineup, deal, "x", hands, data.draw(st.integers(-100, 100))))
    table = pd.DataFrame(rows, columns=["lineup", "deal", "policy", "hands", "net"])
    found = lineup_means(table.sample(frac=1, random_state=1)).iloc[0]
    mean, se, count = by_hand(table, "x")
    assert (found["mean"], found.se) == pytest.approx((mean, se), rel=1e-9, abs=1e-12)
    assert found.deals == count


def test_order_of_rows_does_not_show() -> None:
    table = complete("abcde", 40, 2)
    table["policy"] = table.policy.astype("category")
    found = lineup_means(table)
    for key in range(3):
        pd.testing.assert_frame_equal(lineup_means(table.sample(frac=1, random_state=key)), found, check_exact=True)


def test_a_lineup_of_one_deal_has_no_error() -> None:
    table = complete("abc", 20, 3)
    table = table[(table.lineup != 0) | (table.deal == 5)]  # a and b met once
    found = lineup_means(table).set_index("policy")
    assert found.se.isna().to_dict() == {"a": True, "b": True, "c": False}
    assert found.ci_low.isna().to_dict() == {"a": True, "b": True, "c": False}
    assert np.isfinite(found["mean"]).all()
    assert math.isnan(lineup_difference(table, "a", "c")["se"])


def test_differences_use_the_deals_that_both_played() -> None:
    table = complete("ab", 10, 4)
    extra = table[table.policy == "a"].assign(deal=lambda t: t.deal + 10, net=10**6)
    both = pd.concat([table, extra])
    assert lineup_difference(both, "a", "b") == lineup_difference(table, "a", "b")


def test_intervals_cover_where_deals_are_shared_in_part() -> None:
    # Three line-ups; deals 0-59, 40-99 and 80-139, luck of a deal (sd 3) shared between line-ups, own noise of sd 1.
    # 400 tables: 380 covered expected, sd √(400·0.95·0.05) = 4.36. With 60 deals a line-up the error is too small by
    # under a hundredth.
    rng = draws(5)
    covered = naive = 0
    lineup = np.repeat([0, 1, 2], 60)
    deal = np.concatenate([np.arange(60), np.arange(40, 100), np.arange(80, 140)])
    for _ in range(400):
        luck = rng.normal(0, 3, 140)
        net = np.rint(1000 * (luck[deal] + rng.normal(0, 1, 180) + np.array([0, 5, -2])[lineup])).astype(np.int64)
        table = pd.DataFrame({"lineup": lineup, "deal": deal, "policy": "x", "hands": 1, "net": net})
        row = lineup_means(table).iloc[0]
        covered += row.ci_low <= 1000 <= row.ci_high
        alone = math.sqrt(sum(net[lineup == k].var(ddof=1) / 60 for k in range(3))) / 3
        naive += abs(row["mean"] - 1000) <= 1.98 * alone
    assert 380 - 4 * 4.36 <= covered <= 380 + 4 * 4.36
    # Luck counted as if no deal were shared: 20 shared deals of 60 twice raise the variance by 0.9·4·20/180 = 0.40, so
    # 1.98 alone is 1.67 true errors, which cover 0.905: 362, sd √(400·0.905·0.095) = 5.9.
    assert naive == pytest.approx(362, abs=4 * 5.9)


class TestVarianceReduction:
    def table(self, deals: int, own: float, key: int = 6) -> pd.DataFrame:
        # Heads-up, two seatings: the luck of the cards is turned round, the luck of a hand is not.
        rng = draws(key)
        cards = rng.normal(0, 10, deals)
        rows = []
        for rotation, sign in enumerate([1, -1]):
            net = np.rint(100 * (sign * cards + rng.normal(0, own, deals) + 1)).astype(np.int64)
            for policy, side in (("x", 1), ("y", -1)):
                rows.append(
                    pd.DataFrame(
                        {"lineup": 0, "deal": range(deals), "rotation": rotation, "policy": policy, "net": side * net}
                    )
                )
        return pd.concat(rows)

    def test_planted_factor(self) -> None:
        # A hand has variance 10² + 5², of the mean of N hands 125/N. With deals the luck of the cards cancels: 25/N.
        # The factor is 5; the variances are of 5,000 figures or more, relative sd √(2/5000) = 0.02 and √(2/10000).
        found = variance_reduction(self.table(5000, 5.0))
        assert found.policy.tolist() == ["x", "y"]
        assert found.factor.to_numpy() == pytest.approx([5.0, 5.0], rel=4 * 0.025)
        assert found.factor[0] == pytest.approx(found.factor[1])
        assert found.hands.tolist() == [10_000] * 2 and found.deals.tolist() == [5000] * 2

    def test_nothing_gained_without_shared_luck(self) -> None:
        table = self.table(4000, 5.0)
        table["net"] = draws(7).integers(-100, 101, len(table))
        assert variance_reduction(table).factor.to_numpy() == pytest.approx([1.0, 1.0], rel=4 * 0.03)

    def test_nothing_left_to_chance(self) -> None:
        assert variance_reduction(self.table(100, 0.0).assign(net=lambda t: t.net - t.net % 1)).factor.min() > 1000
        turned = pd.DataFrame({"lineup": 0, "deal": [0, 0, 1, 1], "policy": "x", "net": [5, -5, 9, -9]})
        assert variance_reduction(turned).factor.tolist() == [math.inf]

    def test_a_single_deal_says_nothing(self) -> None:
        one = pd.DataFrame({"lineup": 0, "deal": [0, 0], "policy": "x", "net": [5, -3]})
        assert variance_reduction(one).factor.isna().all()


def test_bad_tables_are_named() -> None:
    table = complete("abc", 3, 8)
    with pytest.raises(ValueError, match="no rows"):
        lineup_means(table.iloc[:0])
    with pytest.raises(ValueError, match="'a' twice in line-up 0, deal 0"):
        lineup_means(pd.concat([table, table.iloc[:1]]))
    with pytest.raises(ValueError, match="1 hand or more"):
        lineup_means(table.assign(hands=0))
    with pytest.raises(ValueError, match="'z' did not play; there are: a, b, c"):
        lineup_difference(table, "a", "z")
    with pytest.raises(ValueError, match="both 'a'"):
        lineup_difference(table, "a", "a")
    with pytest.raises(ValueError, match="no deal in common"):
        lineup_difference(table[(table.policy == "a") == (table.deal < 2)], "a", "b")
