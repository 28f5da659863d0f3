"""A table's view, drawn for a terminal.

Everything that comes from the view is drawn as a `Text`: Rich reads markup in anything else.
"""

from collections.abc import Iterator
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from controller.characters import printable, printable_in
from controller.money import show

_SUITS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_RED: Final = "bold red"
_BLACK: Final = "bold"
_COLUMNS: Final = (
    ("", 1),
    ("box", 2),
    ("player", 7),
    ("wager", 10),
    ("cards", 10),
    ("total", 4),
    ("", 8),
)
_SIDE_WAGERS: Final = {
    "super_sevens": "Super Sevens",
    "perfect_pairs": "Perfect Pairs",
    "pandemonium": "Pandemonium",
}


def screen(view: dict[str, Any], note: str = "") -> RenderableType:
    """Return the whole picture: boxes, dealer, what comes next, payments, devices."""
    view = printable_in(view)
    if "state" not in view:  # nothing could be shown yet
        return Panel(Text(view.get("trouble", ""), "bold white on red"), border_style="red")
    parts: list[RenderableType] = [_boxes(view), _dealer(view), Text(), _next(view)]
    parts.extend(_warnings(view))
    if view["procedure"]:
        parts += [Text(), _procedure(view["procedure"])]
    if rows := view["settlements"]:
        parts += [Text(), _payments(rows)]
    parts.extend(_corrections(view["corrections"]))
    parts.extend(_self_test(view.get("self_test", [])))
    parts += [Text(), _devices(view)]
    heading = f" · {view['game']} · round {view['round']} · {view['state']}"
    title = Text.assemble((view["table"], "bold"), heading)
    subtitle = Text(printable(note))
    return Panel(
        Group(*parts), title=title, title_align="left", subtitle=subtitle, border_style="cyan"
    )


def cards(faces: list[str]) -> Text:
    """Return cards as they are printed: ``7♠ K♥``."""
    text = Text()
    for face in faces:
        if face == "##":
            text.append("▒▒ ", "dim")
            continue
        rank, suit = face[0], face[1]
        shown = "??" if face == "??" else f"{'10' if rank == 'T' else rank}{_SUITS[suit]}"
        text.append(shown, _RED if suit in "HD" else _BLACK)
        text.append(" ")
    return text


def _boxes(view: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, expand=True, header_style="dim")
    for name, ratio in _COLUMNS:
        table.add_column(name, ratio=ratio)
    for box in view["boxes"]:
        for row in _box_rows(box):
            table.add_row(*row)
    if not view["boxes"]:
        table.add_row("", "", Text("no box is in play", "dim"))
    return table


def _box_rows(box: dict[str, Any]) -> Iterator[tuple[RenderableType, ...]]:
    players = [_player(box, bet) for bet in box["players"]]
    wagers = [_wagers(bet) for bet in box["players"]]
    hands = box["hands"] or [None]
    for at in range(max(len(players), len(hands))):
        hand = hands[at] if at < len(hands) else None
        yield (
            Text("▶", "bold yellow") if hand and hand["in_turn"] else "",
            Text(str(box["box"]) if at == 0 else ""),
            players[at] if at < len(players) else "",
            wagers[at] if at < len(wagers) else "",
            cards(hand["cards"]) if hand else "",
            Text(hand["total"], "bold") if hand else "",
            _says(hand) if hand else "",
        )


def _player(box: dict[str, Any], bet: dict[str, Any]) -> Text:
    text = Text(bet["player"])
    if bet["player"] == box["controls"] and len(box["players"]) > 1:
        text.append(" ●", "cyan")
    return text


def _wagers(bet: dict[str, Any]) -> Text:
    main = show(bet["main"]) if bet["main"] is not None else "in odds"
    if bet.get("voucher"):
        main += " voucher"
    aside = [f"{name} {show(bet[key])}" for key, name in _SIDE_WAGERS.items() if bet.get(key)]
    return Text(" + ".join([main, *aside]))


def _says(hand: dict[str, Any]) -> Text:
    style = {"bust": "red", "pontoon": "bold green", "blackjack": "bold green", "21": "bold green"}
    return Text(hand["says"], style.get(hand["says"], "dim"))


def _dealer(view: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, expand=True)
    for _, ratio in _COLUMNS:
        table.add_column(ratio=ratio)
    dealer = view["dealer"]
    table.add_row(
        "",
        "",
        Text("dealer", "bold"),
        "",
        cards(dealer["cards"]),
        Text(dealer["total"], "bold"),
        "",
    )
    return table


def _next(view: dict[str, Any]) -> Table:
    """Return what comes next, and what the pedal means."""
    table = Table.grid(expand=True)
    table.add_column(ratio=3)
    table.add_column(ratio=2, justify="right")
    label = next((says for name, says in view["labels"].items() if says and "pedal" in name), "")
    pedal = Text(f"pedal: {label}", "bold black on yellow") if label else Text("")
    table.add_row(Text(f"→ {view['next']}", "bold yellow"), pedal)
    return table


def _warnings(view: dict[str, Any]) -> Iterator[Text]:
    for alarm in view["alarms"]:
        yield Text(f"ALARM {alarm}", "bold white on red")
    if view["alarms"]:
        yield Text(f"Call {view['answers_alarms']}, who says: answer-alarm WHAT IT WAS", "bold red")
    if view["trouble"]:
        yield Text(view["trouble"], "bold white on red")
    if warning := view.get("warning"):
        yield Text(f"! {warning}", "yellow")
    if line := view.get("write_down"):
        yield Text(f"A new day. Write down or photograph: {line}", "cyan")
    if view["shoe"]["cutting_card"]:
        yield Text("the cutting card is out: shuffle after this round", "magenta")
    for line in view["house"]["words"]:
        yield Text(line, "magenta")


def _procedure(procedure: dict[str, Any]) -> Panel:
    """Return the procedure of rule 17: what is known, what is asked, what is to be done."""
    lines: list[Text] = []
    for question, answer in procedure["answers"].items():
        if answer is not None:
            said = " ".join(answer) or "none" if isinstance(answer, list) else _said(answer)
            lines.append(Text(f"  ✓ {question}: {said}", "dim"))
    lines += [Text(f"  ? {one['words']}", "bold yellow") for one in procedure["questions"]]
    for number, step in enumerate(procedure["steps"], start=1):
        done = step["done"]
        mark = "✓" if done else str(number)
        lines.append(Text(f"  {mark} {step['words']}", "dim" if done else "bold yellow"))
    for one in procedure["electors"]:
        choice = one["choice"] or "stay, or wagers back?"
        lines.append(Text(f"  box {one['box']} {one['player']}: {choice}"))
    rule = procedure["branch"] or "17.1"
    title = Text(f"rule {rule} · {procedure['device']}: {procedure['text']}", "bold red")
    return Panel(Group(*lines), title=title, title_align="left", border_style="red")


def _said(answer: bool | str) -> str:  # noqa: FBT001 - as the view has it
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return answer


def _corrections(rows: list[dict[str, Any]]) -> Iterator[Text]:
    for row in rows:
        hand = f" hand {row['hand']}" if (row["hand"] or 1) > 1 else ""
        what = f"correct: box {row['box']} {row['player']} {row['wager']}{hand}"
        if row["was"] is not None:
            what += f", {show(row['was'])} is now {show(row['now'])}"
        yield Text(what, "bold magenta")


def _self_test(checks: list[dict[str, Any]]) -> Iterator[Text]:
    """Yield what the controller found when it looked at itself, until the first card."""
    if checks:
        yield Text()
    for check in checks:
        mark, style = ("✓", "dim") if check["ok"] else ("!", "yellow")
        yield Text(f"{mark} {check['name']}: {check['words']}", style)


def _payments(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, expand=True, header_style="dim")
    table.add_column("settled")
    table.add_column("wager")
    table.add_column("result")
    table.add_column("pay", justify="right")
    table.add_column("give back", justify="right")
    table.add_column("clause", style="dim")
    for row in rows:
        place = f"box {row['box']} " if row["box"] else ""
        hand = f" (hand {row['hand']})" if (row["hand"] or 1) > 1 else ""
        stake = f" {show(row['stake'])}" if row["stake"] else ""
        odds = f" {row['odds']}" if row["odds"] else ""
        won = row["result"] == "win"
        table.add_row(
            Text(f"{place}{row['player']}{hand}"),
            Text(f"{row['wager']}{stake}"),
            Text(f"{row['result']}{odds}", "green" if won else ""),
            Text(show(row["pays"]) if row["pays"] else "", "bold green"),
            Text(show(row["returns"]) if row["returns"] else ""),
            Text(row["rule"]),
        )
    return table


def _devices(view: dict[str, Any]) -> Text:
    text = Text()
    for name, device in view["devices"].items():
        health = view.get("health", {}).get(name, {})
        state = health.get("state", "online" if device["online"] else "lost")
        good = device["online"] and not device.get("trouble") and state == "online"
        quiet = device["online"] and state == "quiet"
        text.append("● ", "green" if good else "yellow" if quiet else "bold red")
        text.append(name)
        words = device.get("trouble") or ("quiet" if quiet else "" if good else state)
        text.append(f" {words}" if words else "", "dim" if good or quiet else "red")
        text.append("   ")
    shoe = view["shoe"]
    text.append(f"shoe {shoe['number']}: {shoe['out']} cards out, {shoe['left']} left", "dim")
    return text
