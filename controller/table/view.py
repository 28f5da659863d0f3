"""What may be seen of a table: the same for the terminal, the page, the scripts and the runner.

Pure data, made anew from the state after every event.  What must not be exposed is not in it:
the burn card (4.7) least of all.
"""

from typing import Any

import msgspec

from controller.game import offers
from controller.game.doubling import may_forfeit_now
from controller.game.exposure import FACE_DOWN, is_face_down
from controller.game.hands import has_natural, is_bust, low_aces, points, said
from controller.game.machine import machine_for
from controller.game.moves import Double, Expose, Move, Split, Stand
from controller.game.play import Box, Hand, Play, RoundState, find_hand
from controller.game.prizes import percent, theoretical_return
from controller.game.settlement import Settlement, pending, settlements
from controller.game.shuffle import ShuffleState, offered_to
from controller.game.side_wagers import jackpot_due
from controller.game.turns import (
    DEALER,
    UNDUE,
    awaits_double_card,
    hand_in_turn,
    next_place,
    stands_by_absence,
)
from controller.table.controls import GO_ON, going_on
from controller.table.decision import by_wager
from controller.table.house_view import house_view
from controller.table.mending import last_step, needs_supervisor, unread
from controller.table.procedure_view import procedure_view
from controller.table.prompt import going_on_says, prompt
from controller.table.roles import WHO_ANSWERS
from controller.table.shuffling import under_way, words
from controller.table.state import TableState, cards_in_pack
from controller.table.wagering import limits_of

VERSION = 1
"""Of the view's shape; grows when a key changes its meaning."""


def view(state: TableState) -> dict[str, Any]:
    """Return the table's whole view, ready to be written as JSON: the cards as they lie (3.5.1)."""
    play = state.play
    turn = hand_in_turn(play)
    return {
        "version": VERSION,
        "game": play.game.name,
        "round": state.round,
        "state": play.state.value,
        "boxes": [_box(play, box, turn) for box in play.boxes],
        "dealer": {"cards": list(play.dealer), "total": said(play.dealer) if play.dealer else ""},
        "turn": {"box": turn[0].number, "hand": turn[1].number} if turn else None,
        "next": prompt(state),
        "next_card": _next_card(state),
        "allowed": _allowed(play),
        "offers": list(offers.standing(play)),
        "may_forfeit": _may_forfeit(play),
        "labels": _labels(state),
        "go_on": msgspec.to_builtins(meant) if (meant := going_on(state)) else None,
        "settlements": [msgspec.to_builtins(row) for row in settlements(play)],
        "pending": [msgspec.to_builtins(row) for row in pending(play)],
        "jackpots": [box.number for box in play.boxes if jackpot_due(play, box)],
        "corrections": _corrections(state),
        "offered": play.error_card,
        "offered_behind": list(play.errors_behind),
        "error_next": state.error_is_next,
        "undue": [*state.in_hand, *play.undue],
        "unread": unread(state),
        "take_back": _take_back(state),
        "in_doubt": state.in_doubt,
        "suspended": state.suspended,
        "procedure": procedure_view(state),
        "shuffle": _shuffle(state),
        "alarms": list(state.alarms),
        "answers_alarms": WHO_ANSWERS,
        "source": state.source,
        "shoe": {
            "number": state.ledger.shoe,
            "out": state.ledger.count,
            "left": cards_in_pack(play.game) - state.ledger.count,
            "rounds_since_count": state.ledger.rounds_since_count,
            "cutting_card": state.ledger.cutting_card,
            "burn_is_due": state.ledger.burn_is_due,
        },
        "devices": {name: msgspec.structs.asdict(one) for name, one in state.devices.items()},
        "limits": msgspec.structs.asdict(limits_of(state)),
        "house": house_view(state),
        "pandemonium_returns": _returns(play),
        "boxes_at_table": play.game.boxes,
        "can_repeat": play.state is RoundState.WAGERS and bool(state.last_boxes),
    }


def is_complete(seen: dict[str, Any]) -> bool:
    """Tell whether a view is of a round that is over: all settled, nothing waiting, no alarm."""
    return (
        seen["state"] == RoundState.FINAL_SETTLEMENT.value
        and not seen["pending"]
        and not seen["jackpots"]
        and not seen["undue"]
        and not seen["offered"]
        and not seen["unread"]
        and not seen["alarms"]
        and not seen["in_doubt"]
        and not seen["suspended"]
        and not seen["procedure"]
    )


def is_between_rounds(seen: dict[str, Any]) -> bool:
    """Tell whether a view is of a table at which nothing lies: no wager, no card, no question."""
    return (
        seen["state"] == RoundState.WAGERS.value
        and not seen["boxes"]
        and not seen["undue"]
        and not seen["offered"]
        and not seen["unread"]
        and not seen["in_doubt"]
        and not seen["suspended"]
        and not seen["procedure"]
    )


def _box(play: Play, box: Box, turn: tuple[Box, Hand] | None) -> dict[str, Any]:
    in_turn = turn[1].number if turn and turn[0].number == box.number else None
    return {
        "box": box.number,
        "controls": box.controls,
        "players": [msgspec.structs.asdict(bet) for bet in box.bets],
        "hands": [_hand(play, box, hand, in_turn=hand.number == in_turn) for hand in box.hands],
        "surrendered": list(box.surrendered),
        "left": list(box.left),
        "insured": dict(box.insured),
        "even_money": list(box.even_money),
        "absent": box.absent,
        "away": list(box.away),
        "prize": box.prize,
    }


def _hand(play: Play, box: Box, hand: Hand, *, in_turn: bool) -> dict[str, Any]:
    hidden = is_face_down(play, box, hand)
    total = said(hand.cards, low_aces(hand, play.game)) if hand.cards and not hidden else ""
    return {
        "hand": hand.number,
        "players": list(hand.players),
        "cards": [FACE_DOWN] * len(hand.cards) if hidden else list(hand.cards),
        "total": total,
        "in_turn": in_turn,
        "says": "" if hidden else _says(play, box, hand),
        "doubled": list(hand.doubled),
        "forfeited": list(hand.forfeited),
    }


def _says(play: Play, box: Box, hand: Hand) -> str:
    """Return what is to be said of a hand in a word or two."""
    if is_bust(hand, play.game):
        return "bust"
    if box.surrendered:
        return "surrendered"
    if has_natural(hand):
        return "pontoon" if play.game.is_pontoon else "blackjack"
    if points(hand, play.game) == 21:
        return "21"
    if hand.forfeited:
        return "forfeited"
    if awaits_double_card(hand):
        return "doubled, one card"
    if hand.doubled:
        return "doubled"
    return "stands" if hand.stood or stands_by_absence(play, box, hand) else ""


def _next_card(state: TableState) -> str:
    if state.ledger.burn_is_due:
        return "burn card"
    place = next_place(state.play)
    if place == UNDUE:
        return ""
    return "dealer" if place == DEALER else f"box {place.box}"


def _allowed(play: Play) -> list[str]:
    machine = machine_for(play.game)
    choices: dict[str, Move] = {"stand": Stand(), "double": Double(), "split": Split()}
    if turn := hand_in_turn(play):
        choices["expose"] = Expose(turn[0].number)
    return [word for word, move in choices.items() if machine.allows(play, move)]


def _corrections(state: TableState) -> list[dict[str, Any]]:
    """Return the wagers that were settled otherwise before; of one that is gone nothing is due.

    ``was`` and ``now`` are None where the wager has no amount: its row tells the odds.
    """
    now = {by_wager(row): row for row in settlements(state.play)}
    still_open = {by_wager(one) for one in pending(state.play)}
    return [
        {
            "box": was.box,
            "player": was.player,
            "hand": was.hand,
            "wager": was.wager,
            "was": _worth(was),
            "now": _worth(row) if row else None if was.stake is None else 0,
        }
        for was in state.settled_before
        if by_wager(was) not in still_open and _due(was) != _due(row := now.get(by_wager(was)))
    ]


def _due(row: Settlement | None) -> tuple[object, ...]:
    """Return what the dealer hands over for a wager: an amount, or odds where there is none."""
    if row is not None and row.stake is None:
        return row.result, row.odds
    return (_worth(row) if row else 0,)


def _worth(row: Settlement) -> int | None:
    return None if row.stake is None else (row.pays or 0) + (row.returns or 0)


def _take_back(state: TableState) -> dict[str, Any] | None:
    """Return what would be taken back now, and whether a supervisor must."""
    step = last_step(state)
    if step is None:
        return None
    told = msgspec.to_builtins(step)
    told.pop("card", None)  # it may lie face down (3.5.2)
    return {**told, "needs_supervisor": needs_supervisor(state)}


def _shuffle(state: TableState) -> dict[str, Any] | None:
    """Return the shuffle that is due or under way (4)."""
    shuffle = under_way(state)
    if shuffle is None:
        return None
    who = offered_to(shuffle) if shuffle.state is ShuffleState.OFFERED else None
    return {
        "state": shuffle.state.value,
        "why": shuffle.why,
        "offered_to": {"box": who[0], "player": who[1]} if who else None,
        "words": words(shuffle),
    }


def _returns(play: Play) -> str:
    """Return what Pandemonium gives back in theory, in percent; empty where it is not offered."""
    game = play.game
    if not game.pandemonium or not game.prizes:
        return ""
    return percent(theoretical_return(game.prizes, game.decks))


def _may_forfeit(play: Play) -> list[str]:
    """Return who may take the doubled portion back just now (18.9.5)."""
    if play.may_forfeit is None:
        return []
    box = play.box(play.may_forfeit[0])
    assert box is not None
    return may_forfeit_now(box, find_hand(play, *play.may_forfeit))


def _labels(state: TableState) -> dict[str, str]:
    """Return what each control that means *go on* does at this moment."""
    says = going_on_says(state)
    return {name: says for name, action in state.controls.items() if action == GO_ON}
