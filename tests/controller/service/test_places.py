"""Places at the control socket: no user takes all of them, and the table keeps what it needs."""

import contextlib
import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.service.places import KEPT_FREE, Places
from tests.controller.service.test_floods import flooded
from tests.system.processes import PROC, eventually, tablekeeper
from tests.system.real import real_table
from tests.system.table import Running
from tests.system.talk import Talk
from tests.system.user import NOBODY

OF_USER = 64
IN_ALL = 256
AT_ONCE, EACH_SECOND = 256, 20
MANY = 1100
"""Connections at which a table had no descriptor left."""


@contextlib.contextmanager
def taken(path: Path, count: int) -> Iterator[list[Talk]]:
    """Have so many connections."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Talk(path)) for _ in range(count)]


def first_line(path: Path) -> dict[str, object]:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(str(path))
        lines = client.makefile("rb").readlines()
    (line,) = lines  # and it is closed
    plain: dict[str, object] = json.loads(line)
    return plain


def descriptors(table: Running) -> int:
    return len(list((PROC / str(table.controller.pid) / "fd").iterdir()))


def test_one_user_gets_so_many_places_and_is_told_in_words(table: Running) -> None:
    with taken(table.socket, OF_USER - 1) as talks:  # and one who watches
        refused = first_line(table.socket)
        assert refused == {"id": None, "ok": False, "error": refused["error"]}
        assert f"{OF_USER} connections" in str(refused["error"])
        assert "close one" in str(refused["error"])
        assert talks[-1].look()["table"] == "Test 1"

        talks[0].close()
        eventually(lambda: is_let_in(table.socket), "a place that was left is free")


def is_refused(path: Path) -> bool:
    with Talk(path) as talk:
        return "error" in talk.hello


def is_let_in(path: Path) -> bool:
    with contextlib.suppress(BlockingIOError):  # many stand before the door: again
        return not is_refused(path)
    return False


def test_a_command_says_why_it_gets_no_place(table: Running) -> None:
    with taken(table.socket, OF_USER - 1):
        done = tablekeeper("say", "lift", "ann", "--socket", table.socket)

    assert done.returncode
    assert f"{OF_USER} connections" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_places_that_were_left_are_free_again(table: Running) -> None:
    before = descriptors(table)
    for _ in range(3):
        with taken(table.socket, OF_USER - 1):
            assert descriptors(table) >= before + OF_USER - 1
        eventually(lambda: descriptors(table) <= before, "their descriptors are free again")


def test_who_connects_too_often_is_told_in_words_and_let_in_again(table: Running) -> None:
    began = time.monotonic()
    let_in = 0
    while not (refused := refusal_at(table.socket)):
        let_in += 1
    took = time.monotonic() - began

    assert "too often" in refused
    assert AT_ONCE - 1 <= let_in <= AT_ONCE + EACH_SECOND * took  # one watches
    eventually(lambda: is_let_in(table.socket), "who waits is let in again")


def refusal_at(path: Path) -> str:
    """Connect and leave again; return why there was no place, or nothing."""
    with Talk(path) as talk:
        return str(talk.hello.get("error", ""))


@pytest.mark.parametrize("kind", ["connecting", "connecting asks", "staying"])
def test_connections_without_end_do_not_fill_the_journal(table: Running, kind: str) -> None:
    before = len(table.errors.read_text().splitlines())
    with flooded(table, kind, MANY if kind == "staying" else OF_USER - 2):
        eventually(lambda: is_refused_at(table.socket), "it is too much")
        time.sleep(2)
    lines = table.errors.read_text().splitlines()[before:]
    assert len(lines) <= 2, lines


def is_refused_at(path: Path) -> bool:
    with contextlib.suppress(BlockingIOError):  # many stand before the door
        return bool(refusal_at(path))
    return True


def test_a_role_that_is_claimed_without_end_does_not_fill_the_journal(folder: Path) -> None:
    with real_table(folder) as table, Talk(table.socket) as talk:
        before = len(table.errors.read_text().splitlines())
        for _ in range(100):
            assert not talk.request(ask={"do": "resume"}, by="pit-manager")["ok"]
        lines = table.errors.read_text().splitlines()[before:]
    assert len(lines) == 1, lines


def test_where_one_user_connects_without_end_a_shoe_comes_back(table: Running) -> None:
    with flooded(table, "staying", MANY):
        eventually(lambda: descriptors(table) > OF_USER, "all its places are taken")
        assert descriptors(table) < OF_USER + KEPT_FREE
        table.hands.ask("unplug", device="shoe")
        table.watch.until(lambda view: not view["devices"]["shoe"]["online"], "the shoe is gone")
        table.hands.ask("plug", device="shoe")
        table.until_online("shoe")
        table.draw("7S")


def test_where_one_user_connects_without_end_another_gets_a_place(table: Running) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be two users")
    setpriv = shutil.which("setpriv")
    assert setpriv
    rights = "+dac_read_search"
    other = (setpriv, f"--reuid={NOBODY}", f"--regid={os.getegid()}", "--clear-groups")
    with flooded(
        table, "staying", MANY, *other, f"--inh-caps={rights}", f"--ambient-caps={rights}"
    ):
        eventually(lambda: descriptors(table) > OF_USER, "all its places are taken")
        eventually(lambda: is_let_in(table.socket), "somebody else gets a place")
        with Talk(table.socket) as talk:
            assert talk.ask("wager", box=2, player="ann", main=1000)["accepted"]


def test_each_user_may_connect_so_often_and_who_is_refused_spends_nothing() -> None:
    now = [100.0]
    places = Places(1024, lambda: now[0])
    for uid in (7, 8):
        for _ in range(AT_ONCE):
            assert places.why_not(uid) == ""
            places.take(uid)
            places.leave(uid)
        assert str(EACH_SECOND) in places.why_not(uid)
    for _ in range(10 * AT_ONCE):
        places.why_not(7)
    now[0] += 1.5 / EACH_SECOND
    assert places.why_not(7) == ""
    places.take(7)
    assert "too often" in places.why_not(7)


@pytest.mark.parametrize(
    ("descriptors", "in_all", "of_user"),
    [(20_000, IN_ALL, OF_USER), (1024, IN_ALL, OF_USER), (300, 44, 22), (100, 1, 1)],
)
def test_there_are_fewer_places_than_descriptors(
    descriptors: int, in_all: int, of_user: int
) -> None:
    places = Places(descriptors)
    assert (places.in_all, places.of_user) == (in_all, of_user)


def test_when_all_places_are_taken_nobody_gets_one_until_somebody_leaves() -> None:
    places = Places(1024)
    for uid in range(4):
        for _ in range(OF_USER):
            assert places.why_not(uid) == ""
            places.take(uid)
        assert str(OF_USER) in places.why_not(uid)

    assert f"all {IN_ALL} places" in places.why_not(99)
    places.leave(2)
    assert places.why_not(99) == ""
    assert places.why_not(2) == ""
