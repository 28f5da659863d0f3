"""What must never reach a screen, told from a list of its own: the product's is not used here."""

import unicodedata
from typing import Final

from hypothesis import strategies as st

_CATEGORIES: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
"""Control, format, half of a pair, private use, not assigned; separators, of which one is seen."""

_BLANKS: Final = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u2800\u3164\ufe0e\ufe0f\uffa0\U000e0101"

HIDDEN: Final = {
    "direction": "an\u202enom",
    "isolate": "\u2066ann\u2069",
    "mark of direction": "ann\u200f",
    "tags": "ann\U000e0041\U000e007f",
    "filler of Hangul": "\u3164",
    "filler of an initial": "a\u115fb",
    "blank of Braille": "\u2800\u2800",
    "zero width": "an\u200bn",
    "joiner": "an\u200dn",
    "byte order mark": "\ufeffann",
    "soft hyphen": "an\xadn",
    "private use": "ann\ue000",
    "private plane": "ann\U000f0000",
    "not assigned": "ann\U000e0fff",
    "selector": "a\ufe0fnn",
    "escape": "ann\x1b[2J",
    "introducer": "ann\x9b2J",
    "bell": "ann\x07",
    "delete": "ann\x7f",
    "flood of marks": "a" + "\u0301\u0302" * 20,
    "mark on nothing": "\u0301ann",
}
"""Names that nobody may have, by what is wrong with each."""

SEEN: Final = (
    "ann",
    "O'Brien",
    "Zoë",
    "Łukasz",
    "Nguyễn-Thị",
    "李小龙",
    "さくら",
    "김민준",
    "محمد",
    "שלמה",
    "नीरज",
    "สมชาย",
    "🎲",
    "👍🏽",
    "[/b]",
    "[bold]x[/bold]",
    ":smile:",
    "{0}",
    "%s",
    "<b>",
    "ann\\",
    "=1+1",
)
"""Names that people have, or may have: shown as they are."""

MARKED_UP: Final = ("[/b]", "[/]", "[bold]x[/bold]", "[red", "[link=a]y[/link]", ":smile:")

hidden_characters: Final = st.one_of(
    st.characters(categories=_CATEGORIES, exclude_characters=" "), st.sampled_from(_BLANKS)
)
texts: Final = st.text(
    st.one_of(hidden_characters, st.characters(), st.sampled_from("[/]ab\u0301"))
)


def hidden_in(text: str, but: str = "\n") -> list[str]:
    """Return what can't be seen in a text that was shown, and letters with marks piled on them."""
    found = [
        f"U+{ord(char):04X}"
        for char in text
        if char not in but
        and char != " "
        and (unicodedata.category(char) in _CATEGORIES or char in _BLANKS)
    ]
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if marks == 5:
            found.append(f"five marks, U+{ord(char):04X}")
    return found
