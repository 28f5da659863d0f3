"""Every fault of a script is told with its line, what is wrong and what is allowed."""

from typing import NamedTuple

import pytest

from controller.game.options import OPTIONS
from controller.scripts.read import BadScript, parse_script
from controller.scripts.script import Script
from tests.controller.scripts.playing import (
    BET,
    EXPECT,
    GAME,
    GOOD,
    OPTION,
    STAND,
    TITLE,
    changed,
)


class Bad(NamedTuple):
    """A script with one fault: where it is told, and all that is said of it."""

    text: str | bytes
    line: int
    says: str

    @property
    def data(self) -> bytes:
        return self.text.encode() if isinstance(self.text, str) else self.text


KEYS = "title, game, options, bets, play, expect"
CARDS = "write rank (A 2 to 9 T J Q K) and suit (S H D C), as in 7S or TD"
BETS = "box, player, main, super_sevens, perfect_pairs, pandemonium, voucher, controls"
MONEY = "is no amount: write dollars with at most two decimals, as 7.50"
ROW = "box, player, hand, wager, stake, result, odds, pays, returns, rule"
FIVE_PLAYERS = "\n".join(f"  - {{box: 1, player: {name}, main: 10}}" for name in "vwxyz")


def step(text: str, says: str) -> Bad:
    """Return the good script with a bad step."""
    return Bad(changed(STAND, f"  - {text}"), STAND, says)


def bet(text: str, says: str) -> Bad:
    """Return the good script with a bad bet."""
    return Bad(changed(BET, f"  - {text}"), BET, says)


def expecting(text: str, says: str) -> Bad:
    """Return the good script with a bad expected row."""
    return Bad(changed(EXPECT, f"  - {text}"), EXPECT, says)


def option(text: str, says: str) -> Bad:
    """Return the good script with bad options."""
    return Bad(changed(OPTION, f"options: {text}"), OPTION, says)


FAULTS = {
    # the file
    "empty": Bad("", 0, "is empty: title, game, bets and play are needed"),
    "only a comment": Bad("# nothing\n", 0, "is empty: title, game, bets and play are needed"),
    "binary": Bad(b"\x00\xff\xfe", 0, "is not UTF-8 text"),
    "latin-1": Bad(GOOD.replace("a round", "caf\u00e9").encode("latin-1"), 0, "is not UTF-8 text"),
    "a list": Bad("- a\n- b\n", 1, f"a script is key: value pairs: {KEYS}"),
    "a word": Bad("hello\n", 1, f"a script is key: value pairs: {KEYS}"),
    # the keys
    "unknown key": Bad(GOOD + "plays: []\n", 12, f"unknown key 'plays': {KEYS}"),
    "duplicate key": Bad(GOOD + "title: again\n", 12, "title stands twice"),
    "a key that is a list": Bad(GOOD + "? [a]\n: b\n", 12, "a key is one line of text"),
    "no game": Bad(changed(GAME, "# no game"), 1, "game is missing"),
    "no title": Bad(changed(TITLE, "# no title"), 2, "title is missing"),
    "title is empty": Bad(changed(TITLE, "title:"), 1, "title is one line of text"),
    "title is a list": Bad(changed(TITLE, "title: [a, b]"), 1, "title is one line of text"),
    "bets is a word": Bad(
        GOOD.replace("bets:\n  - {box: 1, player: ann, main: 10}", "bets: ann"),
        4, "bets is a list, one line each, begun with -",
    ),
    "no bet": Bad(GOOD.replace("\n  - {box: 1, player: ann, main: 10}", ""), 4,
                  "bets is empty: a round needs a wager"),
    "game is not known": Bad(
        changed(GAME, "game: baccarat"), GAME,
        "game 'baccarat' is not known: blackjack-nsw, pontoon-nsw, pontoon-nz",
    ),
    # options
    "options is a word": Bad(
        changed(OPTION, "options: many"), OPTION,
        f"options is key: value pairs: source, {', '.join(OPTIONS)}",
    ),
    "five decks": option("{decks: 5}", "decks = 5 cannot be at blackjack-nsw: 3, 4, 6, 8 (3.1)"),
    "half a deck": option("{decks: 6.5}", "decks = 6.5 cannot be: a whole number "
                          "(3.1, 18.4.1, nz:3.3(a))"),
    "super sevens with three decks": option(
        "{decks: 3, super_sevens: true}", "super_sevens needs six or eight decks, not 3 (3.1)"
    ),
    "perfect pairs with four decks": option(
        "{decks: 4, perfect_pairs: true}", "perfect_pairs needs six or eight decks, not 4 (3.1)"
    ),
    "ten boxes": option("{boxes: 10}", "boxes = 10 cannot be at blackjack-nsw: 1 to 9 (2)"),
    "yes for true": option("{resplit: yes}", "resplit = yes cannot be: true or false (12.5)"),
    "chip of nothing": option("{smallest_chip: 0}", "smallest_chip = 0 cannot be: dollars above 0, "
                              "at most two decimals (5.9)"),
    "minimum above maximum": option("{minimum: 50, maximum: 20}", "minimum is above maximum (6.1)"),
    "pandemonium at blackjack": option(
        "{pandemonium: true}", "pandemonium is not offered at blackjack-nsw (18.14.1)"
    ),
    "super bonus in New Zealand": Bad(
        GOOD.replace("blackjack-nsw", "pontoon-nz").replace("decks: 6", "super_bonus: true"), 3,
        "super_bonus is not offered at pontoon-nz (18.13.1)",
    ),
    # bets
    "a bet that is a word": bet("ann", f"a bet is key: value pairs: {BETS}"),
    "bet without box": bet("{player: ann, main: 10}", "box is missing in the bet"),
    "bet without player": bet("{box: 1, main: 10}", "player is missing in the bet"),
    "bet without wager": bet("{box: 1, player: ann}", "main is missing in the bet"),
    "bet with an unknown key": bet(
        "{box: 1, player: ann, main: 10, tip: 1}", f"unknown key 'tip': {BETS}"
    ),
    "bet with a key twice": bet("{box: 1, box: 2, player: ann, main: 10}", "box stands twice"),
    "box 0": bet("{box: 0, player: ann, main: 10}", "box: '0' is not 1 to 7"),
    "box 8 of seven": bet("{box: 8, player: ann, main: 10}", "box: '8' is not 1 to 7"),
    "box one": bet("{box: one, player: ann, main: 10}", "box: 'one' is not 1 to 7"),
    "box in other digits": bet("{box: \u0661, player: ann, main: 10}",
                               "box: '\u0661' is not 1 to 7"),
    "money as 1e3": bet("{box: 1, player: ann, main: 1e3}", f"main: '1e3' {MONEY}"),
    "money below nothing": bet("{box: 1, player: ann, main: -5}", f"main: '-5' {MONEY}"),
    "money in thirds": bet("{box: 1, player: ann, main: 7.505}", f"main: '7.505' {MONEY}"),
    "money with a sign": bet("{box: 1, player: ann, main: $5}", f"main: '$5' {MONEY}"),
    "money not a number": bet("{box: 1, player: ann, main: .nan}", f"main: '.nan' {MONEY}"),
    "money in other digits": bet("{box: 1, player: ann, main: \u0665}", f"main: '\u0665' {MONEY}"),
    "nothing wagered": bet("{box: 1, player: ann, main: 0.00}",
                           "main: a wager is more than nothing"),
    "side wager of nothing": bet("{box: 1, player: ann, main: 5, super_sevens: 0}",
                                 "super_sevens: a wager is more than nothing"),
    "side wager not offered": bet("{box: 1, player: ann, main: 5, pandemonium: 5}",
                                  "pandemonium is not offered at this blackjack-nsw table"),
    "two words for a player": bet("{box: 1, player: ann lee, main: 5}",
                                  "player: 'ann lee' is not one word"),
    "voucher: no": bet("{box: 1, player: ann, main: 5, voucher: no}",
                       "voucher: 'no' is not true or false"),
    "the same player twice": Bad(
        changed(BET, "  - {box: 1, player: ann, main: 10}\n  - {box: 1, player: ann, main: 5}"),
        6, "ann has a bet on box 1 already",
    ),
    "two players who control a box": Bad(
        changed(BET, "  - {box: 1, player: ann, main: 10, controls: true}\n"
                     "  - {box: 1, player: bob, main: 5, controls: true}"),
        6, "box 1 is controlled by one player (5.5)",
    ),
    "four players on a box": Bad(
        changed(BET, "\n".join(FIVE_PLAYERS.splitlines()[:4])), 8,
        "more than 3 players on box 1 (5.4)",
    ),
    # steps
    "a step that is a list": step("[cards, 7S]", "a step is one line of words, as: cards 7S KD"),
    "an empty step": step("", "a step is one line of words, as: cards 7S KD"),
    "a bad card": step("cards 7S 11H", f"'cards 7S 11H': '11H' is no card: {CARDS}. "
                       "Write it: cards C [C ...]"),
    "a card in small letters": step("cards 7s", f"'cards 7s': '7s' is no card: {CARDS}. "
                                    "Write it: cards C [C ...]"),
    "no card": step("cards", "'cards': at least one card follows it. Write it: cards C [C ...]"),
    "burned unread": step("burned ??", f"'burned ??': '??' is no card: {CARDS}. "
                          "Write it: burned C"),
    "two cards read": step("read 7S 8S", "'read 7S 8S': exactly one card follows it. "
                           "Write it: read C"),
    "more after stand": step("stand ann", "'stand ann': nothing follows it. Write it: stand"),
    "insured without amount": step(
        "insure 1 ann", "'insure 1 ann': a box, a player and an amount follow it. "
        "Write it: insure BOX PLAYER AMOUNT"
    ),
    "insured for 1e3": step(
        "insure 1 ann 1e3", f"'insure 1 ann 1e3': '1e3' {MONEY}. "
        "Write it: insure BOX PLAYER AMOUNT"
    ),
    "absent without box": step("absent", "'absent': a box follows. "
                               "Write it: absent BOX [PLAYER ...]"),
    "absent box 10": step("absent 10", "'absent 10': '10' is no box: 1 to 9. "
                          "Write it: absent BOX [PLAYER ...]"),
    "even money without player": step(
        "even-money 1", "'even-money 1': a box and a player follow it. "
        "Write it: even-money BOX PLAYER"
    ),
    "unplugged what": step("unplug", "'unplug': exactly one device follows it. "
                           "Write it: unplug DEVICE"),
    "a key without name": step("key", "'key': exactly one control follows it. Write it: key NAME"),
    "forfeit at blackjack": step(
        "forfeit ann", "forfeit is no step at blackjack-nsw: only at pontoon-nsw, pontoon-nz"
    ),
    "surrender at blackjack": step(
        "surrender 1", "surrender is no step at blackjack-nsw: only at pontoon-nsw, pontoon-nz"
    ),
    "even money at pontoon": Bad(
        changed(STAND, "  - even-money 1 ann").replace("blackjack-nsw", "pontoon-nsw"), STAND,
        "even-money is no step at pontoon-nsw: only at blackjack-nsw",
    ),
    # expected rows
    "an empty row": expecting("{}", f"an expected row says something: {ROW}"),
    "a row that is a word": expecting("ann", f"an expected row is key: value pairs: {ROW}"),
    "an unknown key in a row": expecting("{boxes: 1}", f"unknown key 'boxes': {ROW}"),
    "an unknown wager": expecting(
        "{wager: tips}", "wager: 'tips' is none of main, split, double, insurance, super-sevens, "
        "perfect-pairs, pandemonium, super-bonus-share"
    ),
    "an unknown result": expecting(
        "{result: won}", "result: 'won' is none of win, lose, stand-off, surrendered, forfeited, "
        "void"
    ),
    "pays 1e3": expecting("{pays: 1e3}", f"pays: '1e3' {MONEY}"),
    "box 10 expected": expecting("{box: 10}", "box: '10' is not 1 to 9"),
    "expect is a mapping": Bad(
        GOOD.replace("  - {box: 1, player: ann, wager: main, result: stand-off}\n", "  box: 1\n"),
        11, "expect is a list, one line each, begun with -",
    ),
}  # fmt: skip


def faults_of(data: bytes) -> list[tuple[int, str]]:
    """Return what is told of a script that is bad."""
    with pytest.raises(BadScript) as bad:
        parse_script(data)
    return [(fault.line, fault.what) for fault in bad.value.faults]


@pytest.mark.parametrize("bad", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_with_its_line(bad: Bad) -> None:
    assert faults_of(bad.data) == [(bad.line, bad.says)]


def test_the_good_script_is_good() -> None:
    assert isinstance(parse_script(GOOD.encode()), Script)


SYNTAX = {
    "an open bracket": (changed(BET, "  - {box: 1, player: ann"), 6),
    "a tab": (changed(STAND, "\t- stand"), STAND),
    "a colon too many": (changed(TITLE, "title: a: b"), 1),
    "an alias of nothing": (changed(STAND, "  - *nothing"), STAND),
    "two documents": (GOOD + "---\n" + GOOD, 12),
    "a control character": (changed(TITLE, "title: a\x07b"), 0),
}


@pytest.mark.parametrize(("text", "line"), SYNTAX.values(), ids=SYNTAX)
def test_what_is_not_yaml_is_told_with_its_line(text: str, line: int) -> None:
    ((told, what),) = faults_of(text.encode())
    assert told == line
    assert what.startswith("is not YAML: ")


@pytest.mark.parametrize("word", ["dance", "Stand", "shuffle"])
def test_an_unknown_step_is_told_with_those_that_there_are(word: str) -> None:
    ((line, what),) = faults_of(step(word, "").data)
    assert line == STAND
    assert what.startswith(f"'{word}' is no step: no-more-bets, cards, cutting-card, stand, ")


def test_every_fault_is_told_at_once_in_the_order_of_its_lines() -> None:
    text = changed(STAND, "  - stand up").replace("main: 10", "main: ten") + "  - {wager: tips}\n"
    assert [line for line, _ in faults_of(text.encode())] == [BET, STAND, 12]


def test_an_anchor_stands_for_what_it_names() -> None:
    text = GOOD.replace(
        "- {box: 1, player: ann, main: 10}", "- &ann {box: 1, player: ann, main: 10}"
    )
    assert parse_script(text.encode()).wagers == parse_script(GOOD.encode()).wagers


def test_plain_words_mean_what_they_look_like() -> None:
    text = GOOD.replace("player: ann", "player: no").replace(
        "result: stand-off", "result: win, odds: 3:2"
    )
    script = parse_script(text.encode())
    assert script.wagers[0].player == "no"
    assert script.expected[0].row == {
        "box": 1, "player": "no", "wager": "main", "result": "win", "odds": "3:2",
    }  # fmt: skip


@pytest.mark.parametrize("left", ["[", "- ", "{a: ", "? "])
def test_deep_nesting_is_a_bad_script_and_no_crash(left: str) -> None:
    assert len(faults_of((left * 20_000).encode())) == 1
