"""However many PINs one user has tried, another user waits for one of them."""

import asyncio
from pathlib import Path

from controller.service.people import NotYou, Peer, Seat
from tests.controller.operators.test_idle import PIN, Desk

GREEDY, OTHER = 7, 8
MANY = 12


def test_a_supervisor_waits_for_no_more_than_one_pin_of_another_user(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.store.add("ines", "game-supervisor", PIN)
    over: list[int] = []

    async def sign_in() -> None:
        async with desk.open() as people:

            async def attempt(uid: int, name: str, pin: str) -> None:
                try:
                    await people.sign_in(Seat(Peer(1, uid), lambda _told: None), name, pin)
                except NotYou:
                    assert uid == GREEDY
                over.append(uid)

            guesses = [
                asyncio.create_task(attempt(GREEDY, f"nobody-{n}", "4826")) for n in range(MANY)
            ]
            await guesses[1]
            tried = len(over)
            await attempt(OTHER, "ines", PIN)
            assert over.index(OTHER) - tried <= 2  # one had its turn, one may be told later
            await asyncio.gather(*guesses)

    asyncio.run(sign_in())
    assert sorted(over) == [GREEDY] * MANY + [OTHER]
