"""A refusal names a clause that there is, and one of the game that is played.

Everything that can be asked is asked at tables of every game, in rounds as luck has them.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, Final, get_args

import msgspec
import pytest
from msgspec import inspect

from controller.events import AnyEvent, Ask, Asked, EndRound, Pressed
from controller.game.moves import EvenMoney, Forfeit, PressJackpot, Stand, Surrender
from controller.game.options import Game
from controller.game.play import RoundState
from controller.outcomes import Outcome, Refused, Settled
from controller.rulebook.index import rule_index
from controller.table.controls import DEFAULT_CONTROLS
from controller.table.decide import decide
from controller.table.roles import ROLES
from controller.table.state import TableState
from tests.controller.table.tale import SUPERVISOR, Tale, dealt, opening, refused
from tests.controller.table.wandering import GAMES, next_event

KINDS: Final = tuple(get_args(Ask))
WALKS: Final = 5
STEPS: Final = 45
ASKED_AT_ONCE: Final = 12

INDEX: Final = rule_index()

SAID_IN_NEW_ZEALAND: Final = (
    *("2", "3.1", "18.1.1", "18.4.1"),  # boxes and decks: nz:3.1, nz:3.3(a)
    *("5.1", "5.2", "5.3"),  # wagers are chips, made in time, and lie: nz:5.2, nz:5.5
    *("5.10", "5.11", "5.12"),  # held to the minimum: nz:5.8
    *("14.", "18.14."),  # optional wagers are insurance, double and split: nz:5.6
    *("18.6.1", "18.7.1", "9.1."),  # surrender (nz:1), pontoon wins (nz:5.1(c))
)
"""Clauses of New South Wales, or what they begin with, whose matter the division says itself."""


def is_of_the_game(game: Game, rule: str) -> bool:
    """Tell whether a clause is of the game: the New Zealand text ends, and that of NSW goes on."""
    if not game.is_pontoon:
        return not rule.startswith(("18.", "nz:"))
    return game.is_nz or not rule.startswith("nz:")


def is_said_otherwise(game: Game, rule: str) -> bool:
    """Tell whether the New Zealand division has words of its own for what is refused."""
    begins = tuple(one for one in SAID_IN_NEW_ZEALAND if one.endswith("."))
    return game.is_nz and (rule in SAID_IN_NEW_ZEALAND or rule.startswith(begins))


# --- anything that can be asked -------------------------------------------------------------------


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    return described.fields


def _value(described: inspect.Type, luck: Random) -> Any:
    """Return something of the type that might be said at a table."""
    match described:
        case inspect.BoolType():
            return luck.random() < 0.5
        case inspect.IntType():
            least, most = described.ge or 0, described.le or 2500
            return luck.choice([n for n in (1, 1, 2, 3, 500, 2500) if least <= n <= most])
        case inspect.StrType():
            is_face = described.pattern is not None and "TJQK" in described.pattern
            return luck.choice(("7S", "AH", "KD") if is_face else ("ann", "bob", "cam"))
        case inspect.LiteralType():
            return luck.choice(described.values)
        case inspect.UnionType():
            return _value(luck.choice(described.types), luck)
        case inspect.VarTupleType():
            return [_value(described.item_type, luck) for _ in range(luck.randint(1, 2))]
        case inspect.NoneType():
            return None
    raise AssertionError(f"nothing is known to say for {described}")


def anything_of(kind: type[msgspec.Struct], luck: Random) -> Ask:
    """Return a request of the kind."""
    plain = {
        one.encode_name: _value(one.type, luck)
        for one in _fields(kind)
        if one.required or luck.random() < 0.5
    }
    config = kind.__struct_config__
    ask: Ask = msgspec.convert({config.tag_field: config.tag, **plain}, Ask, str_keys=True)
    return ask


def _presses() -> Iterator[Pressed]:
    for name in DEFAULT_CONTROLS:
        device, _, control = name.partition(".")
        yield Pressed(device=device, control=control.removesuffix(" hold"), held="hold" in name)


PRESSES: Final = tuple(_presses())


# --- tables ---------------------------------------------------------------------------------------


def _walk(game: Game, luck: Random) -> Iterator[TableState]:
    """Yield the table after each event of a round or more."""
    state: TableState | None = None
    for event in opening(game):
        state = decide(state, event).state
    assert state is not None
    for _ in range(STEPS):
        yield state
        state = decide(state, next_event(state, luck)).state


def _at_every_state(game: Game) -> Iterator[TableState]:
    """Yield a table at each state that a round comes to."""
    tale = Tale(game)
    yield tale.state
    tale.wager()
    for words in ("9S", "9D 8S", "2C"):
        yield tale.state
        tale.deal(words)
    yield tale.state
    yield decide(tale.state, Asked(ask=EndRound(), by=SUPERVISOR)).state
    tale.ask(Stand())
    yield tale.state
    tale.deal("KD")
    yield tale.state


def _rules(outcomes: tuple[Outcome, ...]) -> Iterator[str]:
    for one in outcomes:
        rule = one.row.rule if isinstance(one, Settled) else getattr(one, "rule", "")
        if rule:
            yield rule


def _everything(state: TableState, luck: Random) -> Iterator[AnyEvent]:
    for kind in luck.sample(KINDS, ASKED_AT_ONCE):
        yield Asked(ask=anything_of(kind, luck), by=luck.choice(ROLES))
    yield from luck.sample(PRESSES, 5)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_whatever_is_asked_is_refused_by_a_clause_of_the_game(game: Game) -> None:
    luck = Random(4711)
    refusals: Counter[str] = Counter()
    met: set[RoundState] = set()
    kinds: set[type[Any]] = set()
    for walk in (_at_every_state(game), *(_walk(game, luck) for _ in range(WALKS))):
        for state in walk:
            met.add(state.play.state)
            for event in _everything(state, luck):
                decided = decide(state, event)
                kinds.add(type(event.ask) if isinstance(event, Asked) else Pressed)
                for rule in _rules(decided.outcomes):
                    assert rule in INDEX, (event, decided.outcomes)
                    assert is_of_the_game(game, rule), (event, decided.outcomes)
                for one in decided.outcomes:
                    if isinstance(one, Refused):
                        assert not is_said_otherwise(game, one.rule), (event, one)
                        refusals[one.rule] += 1
    assert met >= set(RoundState) - {RoundState.CLEARED}, "everything was asked everywhere"
    assert kinds >= {*KINDS, Pressed}
    assert len(refusals) > 30


# --- what a game does not have --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "rule"),
    [(Surrender(1), "10.1"), (Forfeit(), "10.1"), (PressJackpot(1), "14.1")],
    ids=["surrender", "forfeit", "jackpot"],
)
@pytest.mark.parametrize("words", ["", "9S KD 6H", "9S KD 6H 2C"])
def test_blackjack_has_no_choice_of_pontoon(move: Ask, rule: str, words: str) -> None:
    tale = dealt(words) if words else Tale()
    (told,) = [one for one in tale.ask(move).outcomes if isinstance(one, Refused)]
    assert told.rule == rule
    assert told.why.startswith("Blackjack has no")


@pytest.mark.parametrize(("key", "rule"), [("S", "10.1"), ("F", "10.1")])
@pytest.mark.parametrize("place", ["", "1", "1 . 2", "9"])
def test_by_key_neither(key: str, rule: str, place: str) -> None:
    tale = dealt("9S KD 6H")
    for one in place.split():
        tale.key(one)
    assert refused(tale.key(key)) == rule


@pytest.mark.parametrize(
    ("game", "rule"), [(GAMES[1], "18.7.1"), (GAMES[2], "nz:5.1(c)")], ids=["nsw", "nz"]
)
def test_pontoon_has_no_even_money(game: Game, rule: str) -> None:
    tale = dealt("AS AD KH", game)
    assert refused(tale.ask(EvenMoney(1, "ann"))) == rule
    assert refused(tale.key("E")) == rule


@pytest.mark.parametrize(
    ("moves", "rule"),
    [
        (["withdraw"], "nz:5.5(b)"),
        (["wager"], "nz:5.5(a)"),
        (["jackpot"], "nz:5.6"),
        (["surrender"], "nz:1 surrender"),
    ],
)
def test_new_zealand_has_clauses_of_its_own(moves: list[str], rule: str) -> None:
    asks = {
        "withdraw": '{"do": "withdraw", "box": 1}',
        "wager": '{"do": "wager", "box": 1, "player": "ann", "main": 500}',
        "jackpot": '{"do": "jackpot", "box": 1}',
        "surrender": '{"do": "surrender", "box": 1}',
    }
    tale = dealt("9S 8D 6H", GAMES[2])
    for move in moves:
        assert refused(tale.ask(msgspec.json.decode(asks[move], type=Ask))) == rule


def test_a_wager_of_pontoon_is_none_of_blackjack() -> None:
    ask = '{"do": "wager", "box": 1, "player": "ann", "main": 500, "pandemonium": 500}'
    assert refused(Tale().ask(msgspec.json.decode(ask, type=Ask))) == "14.2"


def test_nz_3_1_a_box_that_the_table_does_not_have() -> None:
    assert refused(Tale(GAMES[2]).wager(box=9)) == "nz:3.1"
