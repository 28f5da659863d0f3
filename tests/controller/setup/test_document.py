"""A configuration as text: reading it gives back what was written, whatever it holds."""

import tomllib
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from controller.setup.document import text_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.decimals(allow_nan=False)
PLAIN = st.booleans() | NUMBERS | TEXTS | st.datetimes() | st.dates() | st.times()
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(TEXTS, VALUES, max_size=4)


@given(DOCUMENTS, TEXTS)
def test_reading_gives_back_what_was_written(document: dict[str, object], heading: str) -> None:
    heading = "".join(sign for sign in heading if sign.isprintable() or sign == "\n")
    text = text_of(document, heading)

    assert tomllib.loads(text, parse_float=Decimal) == document


def test_it_tells_what_is_what() -> None:
    table = {"name": 'The "7"', "game": "pontoon-nsw", "state": "/s", "source": "shoe"}
    shoe = {"driver": "angel-eye", "port": "/dev/x", "options": {"baud": 4800}}
    text = text_of({"table": table, "devices": {"shoe": shoe}}, "Heading.")

    assert text == (
        "# Heading.\n"
        "\n"
        "# The table.\n"
        "[table]\n"
        'name = "The \\"7\\""\n'
        'game = "pontoon-nsw"                 # blackjack-nsw, pontoon-nsw or pontoon-nz\n'
        'state = "/s"                         # the event log and all that must last\n'
        'source = "shoe"                      # the device that the cards come from\n'
        "\n"
        "# One section a device.  Ports by their socket, so that a device that is replaced\n"
        "# in the same socket is found again.\n"
        "[devices.shoe]\n"
        'driver = "angel-eye"\n'
        'port = "/dev/x"\n'
        "\n"
        "[devices.shoe.options]\n"
        "baud = 4800\n"
    )
