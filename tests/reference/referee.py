"""One hand of Palace Poker, refereed slowly and literally from the clauses R10-R38.

Cards are words, sets are sets, and every move ends with a count of all cards and chips.
"""

from .table import Battle, Table


class Referee(Table):
    """A hand from its cards on.

    Parameters
    ----------
    rules : dict
        Options of `Rules`; those left out have their default.
    banners : list of str
        One a seat.
    palaces : list of list of str
    draw_pile : list of str
        Top card first.
    dealer : int
    reshuffle : callable
        Takes the discard pile in ascending order, gives the new draw pile, top first (R13).

    Examples
    --------
    >>> hand = Referee({}, ["As", "Kd"], [["2c"], ["3c"]], ["4c"], dealer=0)
    >>> hand.to_act, hand.pot, sorted(hand.legal())
    (1, 10, ['attack', 'buy', 'fold', 'stay'])
    >>> hand.fold()
    >>> hand.phase, hand.nets
    ('over', [5, -5])
    """

    def __init__(self, rules, banners, palaces, draw_pile, dealer, reshuffle=list):
        super().__init__(rules, banners, palaces, draw_pile, dealer, reshuffle)
        ante = self.rules["small_bet"] // 2 if self.rules["ante"] is None else self.rules["ante"]
        for seat in range(self.seats):
            self._pay(seat, "paid_ante", self._afford(seat, ante))  # R5, R36
        if not self._over():  # R31 before the first turn
            self._give_turn_after(dealer)
        self._check()

    # ---- what can be seen --------------------------------------------------------------------------------------------

    @property
    def targets(self):
        """Seats that the one to act may attack, ascending."""
        if self.phase != "turn" or not self._has(self.to_act, self._r18(self.to_act)):
            return []
        return [s for s in range(self.seats) if self._attack_fault(s, None) is None]

    @property
    def price(self):
        """On a turn the own R18; in a battle the full call, more than the chips perhaps; else None."""
        if self.phase == "turn":
            return self._r18(self.to_act)
        return self._battle.call if self.phase == "respond" else None

    @property
    def min_raise(self):
        """The least raise on top of the call, None where no raise is legal."""
        return self._least_raise() if self.phase == "respond" and self._raise_fault(None) is None else None

    def legal(self):
        """The verbs open to the one to act."""
        if self.phase == "keep":
            return {"keep"}
        if self.phase == "respond":
            return {"fold", "call"} | ({"raise"} if self._raise_fault(None) is None else set())
        if self.phase == "over":
            return set()
        verbs = {"stay", "fold"}
        if self._buy_fault() is None:
            verbs.add("buy")
        if self.soldiers[self.to_act]:
            verbs.add("discard")
        if self.targets:
            verbs.add("attack")
        return verbs

    # ---- moves on a turn ---------------------------------------------------------------------------------------------

    def buy(self):
        """R12, R13."""
        self._refuse(self._phase_fault("turn", "buy") or self._buy_fault())
        seat = self.to_act
        if not self.draw_pile:
            self._shuffle_discards()
        self._pay(seat, "paid_buy", self.rules["small_bet"])
        self.tallies[seat]["buys"] += 1
        card = self.draw_pile.pop(0)
        self.soldiers[seat].append(card)
        self._face_up.add(card)
        self._passed.clear()
        self._ask_keep(seat)
        self._check()

    def stay(self):
        """R15."""
        self._refuse(self._phase_fault("turn", "stay"))
        self._passed.add(self.to_act)
        self._end_turn()
        self._check()

    def discard(self, cards):
        """R14."""
        cards = _listed(cards)
        self._refuse(
            self._phase_fault("turn", "discard")
            or ("R14: a discard throws away one soldier or more" if not cards else None)
            or self._own_soldiers_fault(cards, "R14")
        )
        self._throw_away(self.to_act, cards)
        self._passed.add(self.to_act)
        self._end_turn()
        self._check()

    def attack(self, target, amount=None):
        """R17-R20. `amount` is the whole bet; None is the least, R18."""
        self._refuse(self._phase_fault("turn", "attack") or self._attack_fault(target, amount))
        seat, price = self.to_act, self._r18(self.to_act)
        amount = price if amount is None else amount
        self._pay(seat, "paid_attack", amount)
        self.tallies[seat]["attacks"] += 1
        self.tallies[target]["defences"] += 1
        self._passed.clear()
        excess = amount - price
        self._battle = Battle(seat, target, self._r18(target) + excess, excess, seat, "paid_attack")
        self.phase, self.to_act = "respond", target
        self._check()

    def fold(self):
        """R16 on a turn, R23 in a battle."""
        if self.phase == "respond":
            loser, battle = self.to_act, self._battle
            self._give_back(battle.raiser, battle.kind, battle.last)
            self.tallies[loser]["battles_folded"] += 1
            self._end_battle(winner=battle.other(loser), end="fold", learns=False)
        else:
            self._refuse(self._phase_fault("turn", "fold"))
            self._put_out(self.to_act, face_up_too=True)
            self._end_turn()
        self._check()

    # ---- moves in a battle, and the choice of soldiers ---------------------------------------------------------------

    def call(self):
        """R24-R26, R36."""
        self._refuse(self._phase_fault("respond", "call"))
        seat, battle = self.to_act, self._battle
        paid = self._afford(seat, battle.call)
        self._pay(seat, "paid_call", paid)
        first_r18 = battle.call - battle.last
        matched = max(0, paid - first_r18)
        self._give_back(battle.raiser, battle.kind, battle.last - matched)
        foe = battle.other(seat)
        mine, theirs = self._battle_value(seat, foe), self._battle_value(foe, seat)
        if mine == theirs:
            self._end_battle(winner=None, end="call", learns=False)
        else:
            winner = seat if mine > theirs else foe
            self.tallies[battle.other(winner)]["battles_lost"] += 1
            self._end_battle(winner, end="call", learns=winner == seat)
        self._check()

    def raise_(self, amount=None):
        """R21, R22. `amount` comes on top of the call; None is the least."""
        self._refuse(self._phase_fault("respond", "raise") or self._raise_fault(amount))
        seat, battle = self.to_act, self._battle
        amount = self._least_raise() if amount is None else amount
        self._pay(seat, "paid_call", battle.call)
        self._pay(seat, "paid_raise", amount)
        battle.call = battle.last = amount
        battle.raiser, battle.kind = seat, "paid_raise"
        battle.raises += 1
        self.to_act = battle.other(seat)
        self._check()

    def keep(self, cards):
        """The choice of soldiers after a buy (R12) or a won battle (R27)."""
        cards = _listed(cards)
        clause, limit = ("R27" if self._battle else "R12"), self.rules["max_soldiers"]
        self._refuse(
            self._phase_fault("keep", "keep")
            or self._own_soldiers_fault(cards, clause)
            or (f"{clause}: at most {limit} soldiers may remain" if len(cards) > limit else None)
        )
        seat = self.to_act
        self._throw_away(seat, [c for c in self.soldiers[seat] if c not in cards])
        self._end_turn()
        self._check()

    # ---- why a move is refused ---------------------------------------------------------------------------------------

    def _refuse(self, fault):
        if fault:
            raise ValueError(fault)

    def _phase_fault(self, phase, verb):
        return None if self.phase == phase else f"R11: no {verb} in phase {self.phase}"

    def _buy_fault(self):
        seat, most = self.to_act, self.rules["max_buys"]
        if not self._has(seat, self.rules["small_bet"]):
            return "R36: not the chips to buy"
        if not self.draw_pile and not self.discard_pile:
            return "R13: no card is left to buy"
        if most is not None and self.tallies[seat]["buys"] >= most:
            return f"max_buys: no more than {most} buys a hand"
        return None

    def _attack_fault(self, target, amount):
        seat, price = self.to_act, self._r18(self.to_act)
        if not _is_int(target) or not 0 <= target < self.seats or not self.active[target]:
            return f"R17: {target!r} is nobody in the hand"
        if self.banners[target][1] == self.banners[seat][1]:
            return "R17: a banner of one's own suit"  # also forbids oneself
        if not self._has(seat, price):
            return "R36: not the chips to attack"
        if amount is None:
            return None
        if not _is_int(amount) or amount < price:
            return f"R20: an attack is {price} or more, not {amount!r}"
        if self.rules["structure"] == "limit" and amount != price:
            return f"R20: under limit an attack is exactly {price}"
        return None if self._has(seat, amount) else "R20: more than all one has"

    def _least_raise(self):
        if self.rules["structure"] == "no_limit" or self.soldiers[self.to_act]:
            return self.rules["large_bet"]
        return self.rules["small_bet"] * (2 if self.rules["bare_raise"] == "double" else 1)

    def _raise_fault(self, amount):
        battle, seat, least = self._battle, self.to_act, self._least_raise()
        if battle.raises >= self.rules["max_raises"]:
            return "R22: no more raises in this battle"
        if not self._has(battle.other(seat), 1):
            return "R36: the other side has no chips left"
        if not self._has(seat, battle.call + least):
            return "R36: not the chips to raise"
        if amount is None:
            return None
        if not _is_int(amount) or amount < least:
            return f"R21: a raise is {least} or more, not {amount!r}"
        if self.rules["structure"] == "limit" and amount != least:
            return f"R21: under limit a raise is exactly {least}"
        return None if self._has(seat, battle.call + amount) else "R36: not the chips for that raise"

    def _own_soldiers_fault(self, cards, clause):
        if len(set(cards)) != len(cards):
            return f"{clause}: a card is named twice"
        strange = [c for c in cards if c not in self.soldiers[self.to_act]]
        return f"{clause}: {strange} are not one's soldiers" if strange else None

    # ---- how battles, turns and hands end ----------------------------------------------------------------------------

    def _end_battle(self, winner, end, learns):
        battle = self._battle
        self._note_battle(winner, end)
        sides = (battle.attacker, battle.defender)
        if winner is None:
            if len(self._in()) == 2:
                self._count_turn()
                self._share(sides)  # R26: the last two do not go out
                return
            for seat in sides:
                self._put_out(seat, face_up_too=True)
            self._end_turn()
            return
        loser = battle.other(winner)
        self.tallies[winner]["battles_won"] += 1
        self._put_out(loser, face_up_too=False)
        self.soldiers[winner] += [*self.soldiers[loser], self.banners[loser]]  # R27
        self.soldiers[loser] = []
        if learns:
            self._learnt[winner].update(self.palaces[loser])
            self._known_discards[winner].update(self.palaces[loser])
        if self._over():
            self._count_turn()
        else:
            self._ask_keep(winner)

    def _note_battle(self, winner, end):
        a, d = self._battle.attacker, self._battle.defender
        self.battles.append({
            "turn": self.turns, "attacker": a, "defender": d,
            "attacker_soldiers": len(self.soldiers[a]), "defender_soldiers": len(self.soldiers[d]),
            "attacker_usable": len(self._usable(a, d)), "defender_usable": len(self._usable(d, a)),
            "attacker_price": self._r18(a), "defender_price": self._r18(d),
            "pot": self.pot, "raises": self._battle.raises, "end": end, "winner": -1 if winner is None else winner,
        })  # fmt: skip

    def _ask_keep(self, seat):
        self.phase, self.to_act = "keep", seat

    def _count_turn(self):
        self.turns += 1
        self.tallies[self._turn_of]["turns"] += 1

    def _end_turn(self):
        self._count_turn()
        if self._over():
            return
        if self.turns >= self.rules["max_turns"]:
            self.truncated = True  # R38
            self._settle()
        else:
            self._give_turn_after(self._turn_of)  # R10, R29

    def _give_turn_after(self, seat):
        self._battle = None
        order = [(seat + k) % self.seats for k in range(1, self.seats + 1)]
        self._turn_of = next(s for s in order if self.active[s])
        self.phase, self.to_act = "turn", self._turn_of

    def _over(self):
        """Test R30, R31, R32, and end the hand where one of them says so."""
        left = self._in()
        one_suit = len(left) in (2, 3) and len({self.banners[s][1] for s in left}) == 1
        if len(left) == 1 or one_suit:
            self._share(left)
        elif self._passed.issuperset(left):
            self._settle()
        else:
            return False
        return True

    def _settle(self):
        left = self._in()
        if len(left) == 2 and self.rules["last_two"] == "battle":  # R34; R31 has ended the hand for equal suits
            values = {s: self._battle_value(s, left[1 - k]) for k, s in enumerate(left)}
        else:
            values = {s: self._showdown_value(s) for s in left}
        self._share([s for s in left if values[s] == max(values.values())])

    def _share(self, sharers):
        """R35."""
        order = [(self.dealer + k) % self.seats for k in range(1, self.seats + 1)]
        each, odd = divmod(self.pot, len(sharers))
        for k, seat in enumerate(s for s in order if s in sharers):
            self.won[seat] = self.tallies[seat]["won"] = each + (k < odd)
        self.pot = 0
        self.phase, self.to_act = "over", None


def _listed(cards):
    return cards.split() if isinstance(cards, str) else list(cards)


def _is_int(x):
    return isinstance(x, int) and not isinstance(x, bool)
