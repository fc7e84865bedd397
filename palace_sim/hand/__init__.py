"""One hand of Palace Poker in plain words: `Hand`, its history, and why a move is refused.

=============  ======================================================================================================
module         holds
=============  ======================================================================================================
`hand`         `Hand`: making a hand, its moves
`standing`     what can be seen of a hand: its attributes
`positions`    the records that hands begin with: dealt, from cards, from a position
`history`      the events of a hand
`recording`    the events of a move, read off the records before and after it
`refusals`     why a move is not allowed, with the clause
`showing`      a hand as text
`markup`       a hand as HTML
`stepping`     a hand move by move, and as one seat saw it: `Steps`, `Shown`
`telling`      the part of `Hand` that tells it
=============  ======================================================================================================
"""

from palace_sim.hand.hand import Hand, IllegalMove

__all__ = ["Hand", "IllegalMove"]
