"""What seldom happens at a table, by name, so that a test can tell that it did happen here."""

from collections.abc import Iterator
from typing import Final

from controller.game.options import BLACKJACK_NSW, PONTOON_NSW, PONTOON_NZ
from tests.oracle.ended import Case, Ended
from tests.oracle.rare_anywhere import ANYWHERE
from tests.oracle.rare_blackjack import BLACKJACK
from tests.oracle.rare_pontoon import NSW, NZ, PONTOON

_CASES: Final = {
    BLACKJACK_NSW: ANYWHERE + BLACKJACK,
    PONTOON_NSW: ANYWHERE + PONTOON + NSW,
    PONTOON_NZ: ANYWHERE + PONTOON + NZ,
}


def cases(game: str) -> tuple[Case, ...]:
    """Return the rare cases that the game must come across."""
    return _CASES[game]


def seen(ended: Ended) -> Iterator[str]:
    """Yield the names of all rare cases in the round."""
    for case in cases(ended.referee.game.name):
        if case.happened(ended):
            yield case.name
