"""The examples in the docstrings hold."""

import doctest
import importlib
import pkgutil

import drivers

MODULES = [
    module.name
    for module in pkgutil.walk_packages(drivers.__path__, "drivers.")
    if not module.name.endswith("__main__")
]


def test_the_examples_in_docstrings_hold() -> None:
    results = [doctest.testmod(importlib.import_module(name)) for name in MODULES]

    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 5
