"""The examples in the docstrings hold."""

import doctest

import pytest

from controller import money
from controller.logbook import plain, table


@pytest.mark.parametrize("module", [money, plain, table])
def test_the_examples_hold(module) -> None:
    assert doctest.testmod(module, raise_on_error=True).attempted > 0
