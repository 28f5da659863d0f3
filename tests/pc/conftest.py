import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--states", type=int, default=100)
