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
`showing`      a hand as text and as HTML
=============  ======================================================================================================
"""

from palace_sim.hand.hand import Hand, IllegalMove

__all__ = ["Hand", "IllegalMove"]
