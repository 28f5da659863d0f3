"""A round written down as a round script, so that a disagreement can be played again."""

from collections.abc import Iterable, Iterator

from controller.events import Read
from controller.game import moves as m
from controller.game.options import OPTIONS, Game
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
    """The wagers as they stood at the first card; a changed one keeps its place."""
    standing: dict[tuple[int, str], m.Wager] = {}
    for move in moves:
        if isinstance(move, m.Wager):
            standing[move.box, move.player] = move
        elif isinstance(move, m.Withdraw):
            gone = [key for key in standing if key[0] == move.box and move.player in (None, key[1])]
            for key in gone:
                del standing[key]
    for wager in standing.values():
        words = [
            f"box: {wager.box}",
            f"player: {wager.player}",
            f"main: {_dollars(wager.main or 0)}",
        ]
        words += [
            f"{name}: {_dollars(amount)}"
            for name, amount in (
                ("super_sevens", wager.super_sevens),
                ("perfect_pairs", wager.perfect_pairs),
                ("pandemonium", wager.pandemonium),
            )
            if amount
        ]
        words += ["voucher: true"] if wager.voucher else []
        words += ["controls: true"] if wager.controls else []
        yield ", ".join(words)


def _steps(moves: list[m.Made | Read]) -> Iterator[str]:
    for move in moves:
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
                yield f"absent {move.box}"
            case m.VoidRound():
                yield "supervisor casino-supervisor void-round"
            case _:
                pass


def _expected(row: Row) -> str:
    where = "" if row.box is None else f"box: {row.box}, "
    where += f"player: {row.player}, " + ("" if row.hand is None else f"hand: {row.hand}, ")
    money = f"pays: {_dollars(row.pays)}, returns: {_dollars(row.returns)}"
    return f"{where}wager: {row.wager}, result: {row.result}, {money}"
