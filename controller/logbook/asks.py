"""What can be asked of a table, in the words of the table."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from controller import events
from controller.events import Ask
from controller.game import house, malfunction, moves, shuffle
from controller.game.wagers import SIDE_WAGERS
from controller.money import to_the_cent
from controller.table.procedure_view import QUESTIONS


def ask_words(what: object) -> str:
    """Say what is asked, as it stands in a row; what has no words of its own by its fields."""
    try:
        ask = msgspec.convert(what, Ask)
    except ValueError:
        return _by_fields(what)
    words = _WORDS.get(type(ask))
    return words(ask) if words else _by_fields(what)


def _by_fields(what: object) -> str:
    if not isinstance(what, dict):
        return str(what)
    fields = [f"{key} {value}" for key, value in what.items() if key != "do" and value != []]
    return ", ".join([str(what.get("do", "?")), *fields])


def _box(number: int, player: str = "") -> str:
    return f"box {number} {player}".rstrip()


def _with(players: tuple[str, ...]) -> str:
    return f", with {' and '.join(players)}" if players else ""


def _wager(ask: moves.Wager) -> str:
    what = {True: "a voucher of", False: "chips of", None: "wager"}[ask.voucher]
    sides = [
        f"{side.field.replace('_', ' ')} {to_the_cent(amount) if amount else 'taken back'}"
        for side in SIDE_WAGERS
        if (amount := getattr(ask, side.field)) is not None
    ]
    unsaid = "as it lies" if sides else "without an amount (odds only)"
    stake = unsaid if ask.main is None else to_the_cent(ask.main)
    controls = ["calls the decisions"] if ask.controls else []
    return ", ".join([f"{_box(ask.box, ask.player)}: {what} {stake}", *sides, *controls])


def _away(players: tuple[str, ...]) -> str:
    if not players:
        return "nobody is there to decide"
    return f"{' and '.join(players)} {'is' if len(players) == 1 else 'are'} away"


def _back(players: tuple[str, ...]) -> str:
    if not players:
        return "all who were away are back"
    return f"{' and '.join(players)} {'is' if len(players) == 1 else 'are'} back"


def _spoken(ask: house.SpokenWager) -> str:
    chips = "chips came with it" if ask.chips else "no chips came with it"
    return f"{_box(ask.box, ask.player)}: wager by word of mouth {to_the_cent(ask.main)}, {chips}"


def _limits(ask: house.SetLimits) -> str:
    unit = f" in steps of {to_the_cent(ask.unit)}" if ask.unit else ""
    return f"the limits become {to_the_cent(ask.minimum)} to {to_the_cent(ask.maximum)}{unit}"


def _most_players(ask: house.SetMostPlayers) -> str:
    return f"at most {ask.most} players on {'any box' if ask.box is None else _box(ask.box)}"


def _yes(yes: bool) -> str:  # noqa: FBT001 (an answer)
    return "yes" if yes else "no"


def _damaged(ask: malfunction.AnswerDamaged) -> str:
    return f"{QUESTIONS['damaged-cards']}: {' '.join(ask.cards) or 'none'}"


def _boxes(numbers: tuple[int, ...]) -> str:
    return f"box {', '.join(map(str, numbers))}"


_STEPS: Final[Mapping[str, str]] = {
    "damaged-removed": "the damaged cards were taken out",
    "transferred": "the cards were moved to the other device",
    "replaced": "the damaged cards were replaced",
    "shuffled-and-cut": "the cards were shuffled and cut",
    "shoe-loaded": "the cards lie in the dealing shoe",
}

_RESTRICTIONS: Final[Mapping[str, str]] = {
    "minimum": "the minimum until the reshuffle",
    "further-shoes": "the minimum in further shoes too",
    "one-box": "one box at the minimum",
}

_WORDS: Final[Mapping[type, Callable[[Any], str]]] = {
    moves.Wager: _wager,
    moves.Withdraw: lambda ask: f"{_box(ask.box, ask.player or '')}: take the wager off",
    moves.NoMoreBets: lambda _: "no more bets",
    moves.Stand: lambda _: "stand",
    moves.Double: lambda ask: f"double{_with(ask.players)}",
    moves.Split: lambda ask: f"split{_with(ask.players)}",
    moves.Forfeit: lambda ask: f"take back the doubled portion{_with(ask.players)}",
    moves.Surrender: lambda ask: f"{_box(ask.box)}: surrender{_with(ask.players)}",
    moves.Insure: lambda ask: f"{_box(ask.box, ask.player)}: insure for {to_the_cent(ask.amount)}",
    moves.EvenMoney: lambda ask: f"{_box(ask.box, ask.player)}: even money",
    moves.PressJackpot: lambda ask: f"{_box(ask.box)}: jackpot button",
    moves.CallDecisions: lambda ask: (
        f"{_box(ask.box, ask.player)}: calls the decisions ({ask.because})"
    ),
    moves.Absent: lambda ask: f"{_box(ask.box)}: {_away(ask.players)}",
    moves.Present: lambda ask: f"{_box(ask.box)}: {_back(ask.players)}",
    moves.AcceptCard: lambda _: "the offered card is accepted",
    moves.RefuseCard: lambda _: "the offered card is refused",
    moves.Cleared: lambda _: "paid and cleared",
    moves.Burn: lambda ask: f"{ask.card} was burned",
    events.Read: lambda ask: f"the unread card is {ask.card}",
    events.Amend: lambda ask: f"card {ask.number} of the round was misread: it is {ask.card}",
    events.TakeBack: lambda _: "take back the last step",
    events.ForNext: lambda _: "the last card was for the next hand",
    events.Deal: lambda ask: f"{ask.card}, which waited, is the next card after all",
    events.ErrorNext: lambda _: "the next card is dealt or exposed in error",
    events.EndRound: lambda _: "declare the round void",
    events.NewCards: lambda _: "replace the cards by new, checked ones",
    events.AnswerAlarm: lambda ask: f"the alarm was looked into: {ask.words}",
    events.Use: lambda ask: f"cards come from {ask.device} from now on",
    events.DeclareFault: lambda ask: f"the shuffling device is faulty: {ask.text}",
    events.ConfirmLayout: lambda _: "the layout is as shown",
    events.EnterCard: lambda ask: f"{ask.card} came out, entered by hand",
    events.NewShoe: lambda ask: f"new shoe{f', set {ask.set}' if ask.set else ''}",
    events.NotBurned: lambda _: "no card was burned: the first one stays in play",
    events.CuttingCardSeen: lambda _: "the cutting card is out",
    events.SameAgain: lambda _: "the boxes and wagers of the last round, again",
    events.Resume: lambda _: "let the round go on",
    malfunction.AnswerDamaged: _damaged,
    malfunction.AnswerDisadvantage: lambda ask: (
        f"is the casino or a player at a disadvantage? {ask.who}"
    ),
    malfunction.AnswerSpare: lambda ask: f"{QUESTIONS['spare-available']}? {_yes(ask.yes)}",
    malfunction.AnswerPracticable: lambda ask: (
        f"{QUESTIONS['transfer-practicable']}? {_yes(ask.yes)}"
    ),
    malfunction.Confirm: lambda ask: " ".join([f"done: {_STEPS[ask.step]}", *ask.cards]),
    malfunction.Stay: lambda ask: f"{_box(ask.box, ask.player)}: stays in the round",
    malfunction.TakeRefund: lambda ask: f"{_box(ask.box, ask.player)}: has the wagers back",
    malfunction.WorksAgain: lambda _: "the device works as intended after all",
    shuffle.Shuffled: lambda _: "the cards were shuffled",
    shuffle.RefuseCut: lambda _: "the cut was refused",
    shuffle.Cut: lambda _: "the cards were cut",
    shuffle.Load: lambda _: "the cards lie in the shoe",
    house.SetLimits: _limits,
    house.ShowNotice: lambda ask: f"a sign tells of a minimum of {to_the_cent(ask.minimum)}",
    house.RemoveNotice: lambda _: "the sign of a higher minimum is taken away",
    house.SetOwnLimits: lambda ask: (
        f"{ask.player} has own limits: {to_the_cent(ask.minimum)} to {to_the_cent(ask.maximum)}"
    ),
    house.EndOwnLimits: lambda ask: f"{ask.player} has the table's limits again",
    house.Restrict: lambda ask: f"{ask.player} is held to {_RESTRICTIONS[ask.to]}",
    house.InspectorNotified: lambda ask: f"an inspector was notified about {ask.player}",
    house.Lift: lambda ask: f"{ask.player} is restricted no longer",
    house.Reserve: lambda ask: f"{_boxes(ask.boxes)} for {ask.player} alone",
    house.Release: lambda ask: f"{_boxes(ask.boxes)} for everybody again",
    house.SetMostPlayers: _most_players,
    house.SeatWanted: lambda ask: f"{ask.player} finds no seat",
    house.SeatFound: lambda ask: f"{ask.player} has a seat, or wants none",
    house.Reject: lambda ask: f"{_box(ask.box, ask.player)}: reject the wager",
    house.SpokenWager: _spoken,
    house.Handle: lambda ask: f"{_box(ask.box, ask.player)}: wants to handle the {ask.wager} wager",
}
