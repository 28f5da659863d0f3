"""Which PINs and names there may be."""

import pytest

from controller.errors import UsageError
from controller.operators.pins import check_name, check_pin, check_role
from controller.table.roles import ROLES


@pytest.mark.parametrize("pin", ["4826", "1235", "0915", "83920174651", "123123124", "90125678"])
def test_a_pin_of_4_to_12_digits_does(pin: str) -> None:
    check_pin(pin)


TRIVIAL = [
    "0000",
    "1234",
    "9876",
    "4321",
    "111111",
    "1212",
    "123123",
    "7890",
    "0987",
    "012345678901",
]
NO_PINS = [
    "",
    "123",
    "4826 ",
    " 4826",
    "48a6",
    "4826174651938",
    "-482",
    "\uff14\uff18\uff12\uff16",
    "²³¹²",
    "4826\n",
]


@pytest.mark.parametrize("pin", [*TRIVIAL, *NO_PINS])
def test_any_other_is_refused_with_the_rule_and_without_the_pin(pin: str) -> None:
    with pytest.raises(UsageError, match="4 to 12 digits") as told:
        check_pin(pin)
    if len(pin) > 4:
        assert pin not in str(told.value)


@pytest.mark.parametrize("name", ["ines", "m.lee", "o-hara", "j2", "x" * 32])
def test_a_name_of_small_letters_does(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "name", ["", "i", "Ines", "4826", "1nes", "a b", "x" * 33, "a\x1b[2J", "ä1"]
)
def test_a_name_that_could_be_a_pin_or_cannot_be_shown_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="2 to 32 small letters"):
        check_name(name)


@pytest.mark.parametrize("role", ROLES)
def test_nobody_is_named_as_a_role(role: str) -> None:
    check_role(role)
    with pytest.raises(UsageError, match="is a role"):
        check_name(role)


def test_a_role_is_one_of_the_rule_texts() -> None:
    with pytest.raises(UsageError, match="casino-duty-manager"):
        check_role("king")
