"""Events as lines for people: for a terminal that is a pipe, a file or a log."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from controller.money import show
from controller.outcomes import told_so_often


def lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is worth a line in the rows of one event, as JSON objects."""
    for row in rows:
        words = _WORDS.get(row["kind"])
        said = words(row["body"]) if words else ""
        if said:
            yield f"round {row['round']:>4}  {said}"


def opening(view: dict[str, Any]) -> Iterator[str]:
    """Yield what the controller found to be wrong when it looked at itself."""
    for check in view["self_test"]:
        if not check["ok"]:
            yield f"self-test: {check['name']}: {check['words']}"


def news(before: dict[str, Any], view: dict[str, Any]) -> Iterator[str]:
    """Yield what is no event but has changed: why nothing goes on, and a disk that fills up."""
    for what in ("trouble", "warning"):
        words = view[what]
        if words and words != before.get(what):
            yield words
        elif before.get(what) and not words:
            yield f"over: {before[what]}"


def _cited(body: dict[str, Any]) -> str:
    return f"{body['what']} ({body['rule']})" if body["rule"] else str(body["what"])


def _so_often(words: str, body: dict[str, Any]) -> str:
    return told_so_often(words, body.get("times", 1))


def _self_tested(body: dict[str, Any]) -> str:
    found = [f"{one['name']}: {one['words']}" for one in body["checks"] if not one["ok"]]
    return f"self-test: {'; '.join(found) or 'all is well'}"


def _dealt(body: dict[str, Any]) -> str:
    body = {"card": "a card face down", "total": "", **body}
    if body["to"] == "undue":
        return f"{body['card']} came out and was not due"
    place = "dealer" if body["to"] == "dealer" else f"box {body['box']}"
    hand = f" hand {body['hand']}" if body.get("hand", 1) > 1 else ""
    return f"{body['card']} to {place}{hand}: {body['total']}"


def _accepted(body: dict[str, Any]) -> str:
    what = body["what"]
    if what["do"] == "wager":
        stake = show(what["main"]) if what.get("main") is not None else "in odds"
        return f"box {what['box']} {what['player']} wagers {stake}"
    box = body.get("box") or what.get("box")
    names = " ".join(what.get("players", ()))
    return " ".join(part for part in (f"box {box}" if box else "", what["do"], names) if part)


def _settled(body: dict[str, Any]) -> str:
    row = body["row"]
    place = f"box {row['box']} " if row["box"] else ""
    hand = f" hand {row['hand']}" if (row["hand"] or 1) > 1 else ""
    odds = f" {row['odds']}" if row["odds"] else ""
    pays = f", pay {show(row['pays'])}" if row["pays"] else ""
    wager = f"{place}{row['player']} {row['wager']}{hand}"
    return f"{wager}: {row['result']}{odds}{pays} ({row['rule']})"


def _burned(body: dict[str, Any]) -> str:
    return "the first card is burned" if body.get("face_down") else f"{body['card']} is burned"


def _operator(did: str) -> Callable[[dict[str, Any]], str]:
    def words(body: dict[str, Any]) -> str:
        # Of a sign-in that was refused watchers are told no more than that.
        return f"{body['who']} ({body['role']}) {did}" if body.get("who") else f"somebody {did}"

    return words


_WORDS: Final[Mapping[str, Callable[[dict[str, Any]], str]]] = {
    "self-tested": _self_tested,
    "dealt": _dealt,
    "burned": _burned,
    "accepted": _accepted,
    "refused": lambda body: f"refused: {body['why']} ({body['rule']})",
    "settled": _settled,
    "flagged": lambda body: f"note: {_cited(body)}",
    "alarm": lambda body: f"ALARM: {_so_often(_cited(body), body)}",
    "alarm-answered": lambda body: f"alarm answered: {_so_often(body['what'], body)}",
    "layout-in-doubt": lambda body: f"is the layout as shown? {body['why']}",
    "undecided": lambda body: f"SUSPENDED: {body['error']}",
    "device-online": lambda body: f"{body['device']} is there",
    "device-lost": lambda body: f"{body['device']} is gone: {body['why']}",
    "device-fault": lambda body: f"{body['device']}: {body['text']}",
    "device-cleared": lambda body: f"{body['device']} is well again",
    "signed-in": _operator("signed in"),
    "signed-out": _operator("signed out"),
    "refusals-counted": lambda body: (
        f"{body['refused'] + body['meaningless'] + body['sign_ins']} more refusals of user"
        f" {body['uid']}: too fast for a row each"
    ),
    "sign-in-refused": _operator("was refused to sign in"),
    "operator-added": _operator("was added as an operator"),
    "operator-new-pin": _operator("got another PIN"),
    "operator-disabled": _operator("was disabled"),
}
