"""Who calls the decisions: rule 5.5 in its order, as a plain function."""

from itertools import permutations

import pytest

from controller.game.callers import Reason, highest, holds, who_calls

ANN, BOB, CAM = "ann", "bob", "cam"


@pytest.mark.parametrize(
    ("stakes", "said", "because", "caller"),
    [
        ({}, "", "seated", ""),
        ({ANN: 10}, "", "seated", ANN),
        ({ANN: 10, BOB: 20}, "", "seated", BOB),
        ({ANN: 20, BOB: 20, CAM: 10}, "", "seated", ANN),
        ({ANN: 10, BOB: 20}, ANN, "seated", ANN),
        ({BOB: 20, CAM: 30}, ANN, "seated", CAM),  # who was said is not there
        ({ANN: 20, BOB: 10}, ANN, "highest", ANN),
        ({ANN: 20, BOB: 50}, ANN, "highest", BOB),  # somebody raised since
        ({ANN: 20, BOB: 20}, BOB, "highest", ANN),  # drew level: nobody said who is nearer
        ({ANN: 20, BOB: 20, CAM: 10}, BOB, "nearest", BOB),
        ({ANN: 20, BOB: 30, CAM: 30}, CAM, "nearest", CAM),
        ({ANN: 20, BOB: 30}, ANN, "nearest", BOB),
        ({ANN: None, BOB: None}, "", "seated", ANN),
        ({ANN: None, BOB: None}, BOB, "highest", BOB),  # only the dealer can tell
        ({ANN: 10, BOB: 20, CAM: None}, "", "seated", BOB),
        ({ANN: 10, BOB: 20, CAM: None}, CAM, "highest", CAM),
        ({ANN: 10, BOB: 20, CAM: None}, ANN, "highest", BOB),
        ({ANN: 20, BOB: 20, CAM: None}, BOB, "highest", ANN),
        ({ANN: 20, BOB: 20, CAM: None}, BOB, "nearest", BOB),
    ],
)
def test_5_5_1_5_5_2_5_5_3_the_order_of_the_rule(
    stakes: dict[str, int | None], said: str, because: Reason, caller: str
) -> None:
    assert who_calls(stakes, said, because) == caller


def test_5_5_2_5_5_3_whoever_calls_is_there_and_nobody_has_more() -> None:
    """Unless somebody is seated: for every three wagers and every word that the dealer may say."""
    for amounts in permutations((10, 10, 20, 30, None), 3):
        stakes = dict(zip((ANN, BOB, CAM), amounts, strict=True))
        for said in (ANN, BOB, CAM, "dan", ""):
            for because in ("highest", "nearest"):
                caller = who_calls(stakes, said, because)
                assert caller in highest(stakes)
                assert not holds(stakes, said, because) or caller == said
            assert who_calls(stakes, said, "seated") == (
                said if said in stakes else caller_of(stakes)
            )


def caller_of(stakes: dict[str, int | None]) -> str:
    return highest(stakes)[0]
