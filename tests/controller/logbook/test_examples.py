"""The examples in the docstrings hold."""

import doctest

import pytest

from controller import characters, money
from controller.logbook import table


@pytest.mark.parametrize("module", [money, characters, table])
def test_the_examples_hold(module) -> None:
    assert doctest.testmod(module, raise_on_error=True).attempted > 0
