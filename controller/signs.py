"""``tablekeeper signs``: what must stand on signs at the table, as text or a page to print."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from controller.errors import UsageError
from controller.game.options import NAMES, PONTOON_NSW, Game
from controller.game.pontoon import (
    HIGH_SUPER_BONUS,
    HIGH_SUPER_BONUS_FROM,
    SUPER_BONUS,
    SUPER_BONUS_FROM,
)
from controller.game.settlement import SUPER_BONUS_SHARE
from controller.money import show
from controller.settings import read_game, read_settings

_TABLE_1: Final = (
    ("Pontoon", "3 to 2"),
    ("21 in five cards *", "3 to 2"),
    ("21 in six cards *", "2 to 1"),
    ("21 in seven or more cards *", "3 to 1"),
    ("6-7-8 or 7-7-7 of mixed suits *", "3 to 2"),
    ("6-7-8 or 7-7-7 of one suit, not spades *", "2 to 1"),
    ("6-7-8 or 7-7-7 of spades *", "3 to 1"),
    ("Every other winning wager", "1 to 1"),
)
"""What a winning wager is paid at Pontoon (18.13.1)."""

_STYLE: Final = """
body { font: 14pt Georgia, serif; max-width: 18cm; margin: 0 auto; color: #000; }
section { border: 2pt solid #000; padding: 0.6cm 1cm; margin: 0.8cm 0; break-inside: avoid; }
h1 { font-size: 26pt; text-align: center; }
h2 { font-size: 20pt; margin: 0 0 0.4cm; }
table { width: 100%; border-collapse: collapse; }
td { padding: 0.15cm 0; border-bottom: 0.5pt solid #888; }
td + td { text-align: right; white-space: nowrap; font-weight: bold; }
footer, .clause { font-size: 9pt; color: #444; }
@page { size: A4; margin: 1.5cm; }
"""


class Sign(NamedTuple):
    """One sign: its heading, lines of two columns, notes under them, and the clause behind it."""

    heading: str
    lines: Sequence[tuple[str, str]]
    notes: Sequence[str]
    rule: str


def signs(game: Game) -> Iterator[Sign]:
    """Yield what must stand at a table of the game."""
    limits = (("Minimum wager", show(game.minimum)), ("Maximum wager", show(game.maximum)))
    yield Sign("On each box", limits, (), "6.1")
    side = [
        name
        for name, offered in (
            ("Super Sevens", game.super_sevens),
            ("Perfect Pairs", game.perfect_pairs),
        )
        if offered
    ]
    if side:
        amounts = [(f"{name} wager from", show(game.side_wager)) for name in side]
        yield Sign("Side wagers", amounts, ("Only beside a wager on a box.",), "14.3")
    if choices := tuple(_choices(game)):
        rules = ", ".join(rule for _, rule in choices)
        yield Sign("Also offered here", [(words, "") for words, _ in choices], (), rules)
    if game.is_pontoon:
        yield _table_1(game)
    if game.pandemonium:
        amount = [("Pontoon Pandemonium wager from", show(game.side_wager))]
        yield Sign("Pontoon Pandemonium", amount, ("Only beside a wager on a box.",), "18.14.3")
        prizes = [(show(prize * 100), "") for prize, _ in game.prizes]
        notes = ("One of these, drawn when the jackpot button is pressed.",)
        yield Sign("Prizes for each $1 on Pontoon Pandemonium", prizes, notes, "18.14.6")


def _choices(game: Game) -> Iterator[tuple[str, str]]:
    """Yield what a casino may offer and the players are told of before play (11.2.1, 12.5.1)."""
    if game.double_with_ace:
        yield "Doubling 9, 10 or 11 with an ace, which then counts 1", "11.2.1"
    if game.resplit:
        yield "Splitting once more, to a third hand", "12.5.1"


def _table_1(game: Game) -> Sign:
    """Return Table 1; it fills in for the missing one of the New Zealand text (nz:5.4)."""
    notes = ["* Doubled wagers that win are paid 1 to 1."]
    lines = list(_TABLE_1)
    if game.super_bonus:
        low, high = show(SUPER_BONUS_FROM), show(HIGH_SUPER_BONUS_FROM)
        lines.append((f"Super Bonus **, wager from {low} to below {high}", show(SUPER_BONUS)))
        lines.append((f"Super Bonus **, wager of {high} or more", show(HIGH_SUPER_BONUS)))
        lines.append(("... to every other player in the round", show(SUPER_BONUS_SHARE)))
        notes.append("** 7-7-7 of one suit, and the dealer's first card is any 7.")
        notes.append("No Super Bonus on a hand that was split or doubled.")
    return Sign("What pontoon pays", lines, notes, "18.13.2")


def as_text(title: str, shown: Sequence[Sign]) -> str:
    """Return the signs as text."""
    wide = max(len(left) for sign in shown for left, _ in sign.lines)
    parts = [title]
    for sign in shown:
        parts += ["", f"{sign.heading} ({sign.rule})"]
        parts += [f"  {left:<{wide}}  {right}".rstrip() for left, right in sign.lines]
        parts += [f"  {note}" for note in sign.notes]
    return "\n".join(parts) + "\n"


def as_page(title: str, shown: Sequence[Sign]) -> str:
    """Return the signs as one HTML page to print: no script, nothing fetched."""
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
    ]
    for sign in shown:
        parts.append(f"<section><h2>{escape(sign.heading)}</h2><table>")
        parts += [
            f"<tr><td>{escape(left)}</td><td>{escape(right)}</td></tr>"
            for left, right in sign.lines
        ]
        parts.append("</table>")
        parts += [f"<p>{escape(note)}</p>" for note in sign.notes]
        parts.append(f'<p class="clause">Rule {escape(sign.rule)}</p></section>')
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def add_signs(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``signs``."""
    command = commands.add_parser("signs", help="what must stand on signs at the table")
    command.add_argument("--config", type=Path, metavar="FILE", help="the table's configuration")
    command.add_argument(
        "--game", choices=NAMES, help=f"a game as it ships ({PONTOON_NSW}, if nothing is named)"
    )
    command.add_argument("--page", action="store_true", help="an HTML page to print")
    command.set_defaults(run=_signs)


def _signs(options: argparse.Namespace) -> int:
    if options.config and options.game:
        raise UsageError("signs: --config FILE says the game: leave --game out")
    if options.config:
        settings = read_settings(options.config)
        title, game = settings.name, settings.game
    else:
        title = options.game or PONTOON_NSW
        game = read_game(title, {})
    write = as_page if options.page else as_text
    sys.stdout.write(write(title, list(signs(game))))
    return 0
