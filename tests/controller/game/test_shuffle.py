"""Rule 4 as a table of its own: every state by every step, and who is offered the cut."""

from typing import Final

import msgspec
import pytest

from controller.errors import NotAllowed
from controller.game.moves import Advance
from controller.game.shuffle import (
    MACHINE,
    SUPERVISOR,
    Cut,
    Load,
    RefuseCut,
    Shuffle,
    Shuffled,
    ShuffleMove,
    ShuffleState,
    offered_to,
    order_of_cut,
)

ANN, BOB, CAM = (1, "ann"), (3, "bob"), (7, "cam")
PLAYERS: Final = (ANN, BOB, CAM)
DUE, OFFERED, CUT, LOADED = ShuffleState
STEPS: Final = (Shuffled(), RefuseCut(), Cut(), Load())


def shuffle(
    state: ShuffleState = DUE,
    players: tuple[tuple[int, str], ...] = PLAYERS,
    refused: int = 0,
    *,
    by_device: bool = False,
) -> Shuffle:
    """Return a shuffle under way."""
    return Shuffle(
        state=state,
        why="the cutting card is out",
        rule="4.2.3",
        players=players,
        refused=refused,
        by_device=by_device,
    )


# --- the order of the cut -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "order"),
    [
        (ANN, (ANN, BOB, CAM)),
        (BOB, (BOB, CAM, ANN)),
        (CAM, (CAM, ANN, BOB)),
        (None, (ANN, BOB, CAM)),
        ((2, "dee"), (ANN, BOB, CAM)),  # she has left the table
    ],
)
def test_4_3_the_cut_goes_clockwise_from_whoever_is_first(
    first: tuple[int, str] | None, order: tuple[tuple[int, str], ...]
) -> None:
    assert order_of_cut((CAM, ANN, BOB), first) == order


def test_4_3_each_is_offered_the_cut_once_and_then_nobody() -> None:
    asked = []
    under_way = shuffle(OFFERED)
    while (who := offered_to(under_way)) is not None:
        asked.append(who)
        under_way = MACHINE.apply(under_way, RefuseCut())
    assert asked == [*PLAYERS]
    assert under_way.state is OFFERED


def test_4_3_at_an_empty_table_only_a_supervisor_is_left() -> None:
    assert offered_to(shuffle(OFFERED, players=())) is None
    assert order_of_cut((), None) == ()


# --- the rows -------------------------------------------------------------------------------------

TO: Final = {
    (DUE, Shuffled): OFFERED,
    (OFFERED, RefuseCut): OFFERED,
    (OFFERED, Cut): CUT,
    (CUT, Load): LOADED,
}
"""Where each step leads from each state with a shoe; all others are refused."""

REFUSED_BY: Final = {Shuffled: "4.1", RefuseCut: "4.3", Cut: "4.4", Load: "4.5"}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
@pytest.mark.parametrize("state", ShuffleState)
def test_4_every_step_in_every_state(state: ShuffleState, step: ShuffleMove) -> None:
    before = shuffle(state)
    to = TO.get((state, type(step)))
    assert MACHINE.allows(before, step) is (to is not None)
    if to is not None:
        assert MACHINE.apply(before, step).state is to
        return
    with pytest.raises(NotAllowed) as refusal:
        MACHINE.apply(before, step)
    assert refusal.value.rule == REFUSED_BY[type(step)]
    assert refusal.value.why


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
@pytest.mark.parametrize("state", ShuffleState)
def test_4_6_3_with_a_shuffling_device_only_the_loading_is_left(
    state: ShuffleState, step: ShuffleMove
) -> None:
    """The device takes the place of the shoe (4.6.4): nothing is loaded from it."""
    before = shuffle(state, by_device=True)
    if state is DUE and step == Shuffled():
        assert MACHINE.cited(before, step) == (
            msgspec.structs.replace(before, state=LOADED),
            "4.6.2",
        )
    elif state in {DUE, LOADED}:
        assert not MACHINE.allows(before, step)


@pytest.mark.parametrize(
    ("state", "step", "rule"),
    [
        (DUE, Shuffled(), "4.2"),
        (OFFERED, RefuseCut(), "4.3"),
        (OFFERED, Cut(), "4.4"),
        (CUT, Load(), "4.5"),
    ],
)
def test_4_each_step_cites_its_clause(state: ShuffleState, step: ShuffleMove, rule: str) -> None:
    assert MACHINE.cited(shuffle(state), step)[1] == rule


def test_4_nothing_follows_by_itself() -> None:
    for state in ShuffleState:
        assert not MACHINE.allows(shuffle(state), Advance())


# --- the guards and what they leave ---------------------------------------------------------------


def test_4_3_the_last_player_may_refuse_and_nobody_after_that() -> None:
    last = shuffle(OFFERED, refused=2)
    after = MACHINE.apply(last, RefuseCut())
    assert (offered_to(last), offered_to(after)) == (CAM, None)
    with pytest.raises(NotAllowed, match="supervisor cuts") as refusal:
        MACHINE.apply(after, RefuseCut())
    assert refusal.value.rule == "4.3"


@pytest.mark.parametrize(("refused", "who"), [(0, "ann"), (1, "bob"), (2, "cam"), (3, SUPERVISOR)])
def test_4_4_whoever_is_offered_the_cut_has_cut(refused: int, who: str) -> None:
    assert MACHINE.apply(shuffle(OFFERED, refused=refused), Cut()).cut_by == who


def test_a_refused_step_leaves_the_shuffle_as_it_was() -> None:
    before = shuffle(OFFERED, refused=3)
    kept = msgspec.json.encode(before)
    with pytest.raises(NotAllowed):
        MACHINE.apply(before, RefuseCut())
    assert msgspec.json.encode(before) == kept
