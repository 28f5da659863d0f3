"""A round written down as a round script, so that a disagreement can be played again."""

import itertools
from collections.abc import Iterable, Iterator

from controller.events import Read
from controller.game import moves as m
from controller.game.options import OPTIONS, Game, build
from tests.oracle.referee import Referee
from tests.oracle.settling import Row


def script(title: str, game: Game, moves: Iterable[m.Made | Read], expected: Iterable[Row]) -> str:
    """Return the YAML of the round; what the referee expects stands under ``expect``."""
    moves = list(moves)
    options = ", ".join(f"{key}: {_option(key, getattr(game, key))}" for key in OPTIONS)
    lines = [f'title: "{title}"', f"game: {game.name}", f"options: {{{options}}}", "bets:"]
    lines += [f"  - {{{bet}}}" for bet in _bets(moves)]
    lines += ["play:", *(f"  - {step}" for step in _steps(moves))]
    lines += ["expect:", *(f"  - {{{row}}}" for row in map(_expected, expected))]
    return "\n".join(lines) + "\n"


def _option(key: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if key in ("minimum", "maximum", "smallest_chip", "side_wager"):
        assert isinstance(value, int)
        return _dollars(value)
    return str(value)


def _dollars(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _bets(moves: list[m.Made | Read]) -> Iterator[str]:
    """The wagers as they stood at the first card, in the order in which boxes list them."""
    for box in _before_the_deal(moves).boxes:
        for stakes in box.stakes:
            words = [f"box: {box.number}, player: {stakes.player}, main: {_dollars(stakes.main)}"]
            words += [
                f"{name}: {_dollars(amount)}"
                for name in ("super_sevens", "perfect_pairs", "pandemonium")
                if (amount := getattr(stakes, name))
            ]
            words += ["voucher: true"] if stakes.voucher else []
            words += ["controls: true"] if stakes.player == box.seated else []
            yield ", ".join(words)


def _before_the_deal(moves: list[m.Made | Read]) -> Referee:
    """Return a referee of any game who has seen the wagers and nothing else."""
    referee = Referee(build("pontoon-nsw", {}))
    for move in itertools.takewhile(lambda move: not isinstance(move, m.CardDealt), moves):
        referee.apply(move)
    return referee


def _callers(moves: list[m.Made | Read]) -> Iterator[str]:
    """Say who decides where nobody sits: a script's first listed would, if nothing was said."""
    for box in _before_the_deal(moves).boxes:
        if len(box.players) > 1 and not box.seated:
            because = "highest" if len(box.leaders(box.players)) == 1 else "nearest"
            yield f"controls {box.number} {box.decides()} because {because}"


def _steps(moves: list[m.Made | Read]) -> Iterator[str]:
    yield from _callers(moves)
    dealt = False
    for move in moves:
        dealt = dealt or isinstance(move, m.CardDealt)
        match move:
            case m.NoMoreBets():
                yield "no-more-bets"
            case m.CardDealt():
                yield f"cards {move.card}"
            case Read():
                yield f"read {move.card}"
            case m.Burn():
                yield f"burned {move.card}"
            case m.Stand():
                yield "stand"
            case m.Double():
                yield " ".join(("double", *move.players))
            case m.Split():
                yield " ".join(("split", *move.players))
            case m.Forfeit():
                yield " ".join(("forfeit", *move.players))
            case m.Surrender():
                yield " ".join(("surrender", str(move.box), *move.players))
            case m.Insure():
                yield f"insure {move.box} {move.player} {_dollars(move.amount)}"
            case m.EvenMoney():
                yield f"even-money {move.box} {move.player}"
            case m.Absent():
                yield " ".join(("absent", str(move.box), *move.players))
            case m.Present():
                yield " ".join(("present", str(move.box), *move.players))
            case m.CallDecisions() if dealt:
                yield f"controls {move.box} {move.player} because {move.because}"
            case m.VoidRound():
                yield "supervisor casino-supervisor void-round"
            case _:
                pass


def _expected(row: Row) -> str:
    where = "" if row.box is None else f"box: {row.box}, "
    where += f"player: {row.player}, " + ("" if row.hand is None else f"hand: {row.hand}, ")
    money = f"pays: {_dollars(row.pays)}, returns: {_dollars(row.returns)}"
    return f"{where}wager: {row.wager}, result: {row.result}, {money}"
