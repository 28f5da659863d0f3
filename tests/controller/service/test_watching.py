"""Who watches a table: told of every event, never before it is on disk, never of what is hidden."""

import contextlib
import itertools
import json
import select
import socket
from typing import Any

import msgspec

from controller.cards import pack
from controller.eventlog import Content, LogReader, canonical, row_hash
from tests.system.table import Running
from tests.system.talk import Row, Talk

MOST_UNREAD = 1000
CLIENTS = 50


def plain(row: Any) -> dict[str, Any]:
    return {
        "seq": row.seq,
        "at": row.at,
        "round": row.round,
        "kind": row.kind,
        "cause": row.cause,
        # The state that a round opens with is not told: the burn card could be worked out of it.
        "body": {} if row.kind == "round-opened" else json.loads(bytes(row.body)),
    }


def test_each_event_is_told_once_in_order_and_is_on_disk_by_then(table: Running) -> None:
    with contextlib.closing(LogReader.open(table.state)) as log, Talk(table.socket) as talk:
        talk.watch()
        start = log.head.seq
        table.deal()
        table.finish()
        told: list[Row] = []
        while not told or told[-1]["kind"] != "round-opened":
            rows = talk.next_told()["rows"]
            assert [plain(row) for row in log.rows(rows[0]["seq"] - 1, until=rows[-1]["seq"])] == (
                rows
            )
            told += rows

        assert [row["seq"] for row in told] == list(range(start + 1, log.head.seq + 1))


def test_the_log_is_ahead_of_whoever_watches_at_every_single_event(table: Running) -> None:
    with contextlib.closing(LogReader.open(table.state)) as log, Talk(table.socket) as talk:
        talk.watch()
        for number in range(150):
            with Talk(table.socket) as other:
                other.send(
                    b'{"id": 1, "press": {"device": "keys", "control": "%d"}}\n' % (number % 5 + 1)
                )
                rows = talk.event("pressed")
                assert log.head.seq >= rows[-1]["seq"]


def test_the_view_told_with_an_event_is_the_view_after_it(table: Running) -> None:
    with Talk(table.socket) as talk:
        talk.watch()
        table.watch.must("wager", box=2, player="ann", main=1000)
        told = talk.next_told()

        assert [row["kind"] for row in told["rows"]] == ["asked", "accepted"]
        assert [box["box"] for box in told["view"]["boxes"]] == [2]


def test_the_burn_card_is_in_no_message(table: Running) -> None:
    with Talk(table.socket) as talk:
        talk.watch()
        table.watch.must("new-shoe")
        (burned,) = [row for row in table.draw("5C") if row["kind"] == "burned"]
        assert burned["body"]["face_down"]
        raw = table.rows("card-out")[-1]["body"]["raw"]
        table.deal()
        table.finish()
        talk.must("same-again")
        talk.look()

        said = b"".join(talk.raw)
        assert b"5D" in said
        assert b"5C" not in said
        assert raw.encode() not in said
    assert [row["body"]["card"] for row in table.rows("burned")] == ["5C"]


def test_the_burn_card_cannot_be_found_by_trying_every_card(table: Running) -> None:
    """Whoever watches knows all of the hidden row but its card; its hash must not tell that."""
    with Talk(table.socket) as talk:
        talk.watch()
        table.watch.must("new-shoe")
        table.draw("5C")
        rows = [row for row in talk.event("card-out") if "hash" in row]

    for before, row in itertools.pairwise(rows):
        told = {name: value for name, value in row.items() if name not in {"body", "hash"}}
        for card in pack(1, tens=False):
            body = msgspec.Raw(canonical({**row["body"], "card": card}))
            assert row_hash(before["hash"], Content(**told, body=body)) != row["hash"], card


def test_who_only_asks_is_told_nothing(table: Running) -> None:
    with Talk(table.socket) as talk:
        talk.look()
        table.watch.must("wager", box=2, player="ann", main=1000)
        talk.look()

        assert not talk.told


def test_many_watch_at_once_and_are_told_the_same(table: Running) -> None:
    with contextlib.ExitStack() as stack:
        talks = [stack.enter_context(Talk(table.socket)).watch() for _ in range(CLIENTS)]
        for number, talk in enumerate(talks):
            assert talk.ask("wager", box=number % 7 + 1, player="ann", main=500 + number)["ok"]
        last = table.rows("accepted")[-1]["seq"]
        seen = []
        for talk in talks:
            rows: list[Row] = []
            while not rows or rows[-1]["seq"] < last:
                rows += talk.next_told()["rows"]
            seen.append([row for row in rows if row["seq"] > last - 2])

        assert seen == [seen[0]] * CLIENTS


def never_reads(table: Running) -> socket.socket:
    """Watch without ever reading a line."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(30)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    client.connect(str(table.socket))
    client.sendall(b'{"id": 1, "watch": true}\n')
    return client


def left_over(client: socket.socket) -> int:
    """Read what is there until the other end closes; return how much it was."""
    size = 0
    with contextlib.suppress(ConnectionError):
        while data := client.recv(1 << 20):
            size += len(data)
    return size


def test_a_client_that_never_reads_is_let_go_and_the_others_go_on(table: Running) -> None:
    table.deal()
    with never_reads(table) as client:
        for number in range(MOST_UNREAD + 400):
            table.watch.request(press={"device": "keys", "control": f"none-{number}"})
        size = left_over(client)

        assert size > 0
        assert table.watch.look()["round"] == 1
    table.finish()


def test_a_client_that_never_reads_does_not_keep_the_table_from_stopping(table: Running) -> None:
    table.deal()
    with never_reads(table):
        for number in range(200):
            table.watch.request(press={"device": "keys", "control": f"none-{number}"})

        assert table.stop() == 0
    assert table.rows()[-1]["kind"] == "stopped"


def test_a_client_that_asks_and_never_reads_the_answers_is_let_go(table: Running) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        client.connect(str(table.socket))
        with contextlib.suppress(ConnectionError):
            for number in range(20 * MOST_UNREAD):
                client.sendall(b'{"id": %d, "view": true}\n' % number)
        left_over(client)

        assert table.watch.look()["round"] == 1


def test_what_a_client_has_said_is_not_done_once_it_was_let_go(table: Running) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        client.connect(str(table.socket))
        with contextlib.suppress(ConnectionError):
            client.sendall(b'{"id": 1, "watch": true}\n' * (MOST_UNREAD + 400))
            client.sendall(b'{"id": 2, "press": {"device": "keys", "control": "7"}}\n' * 10)
        assert left_over_when_closed(client) > 0

    table.watch.must("wager", box=2, player="ann", main=1000)
    assert [box["box"] for box in table.watch.look()["boxes"]] == [2]
    assert table.rows("pressed") == []


def left_over_when_closed(client: socket.socket) -> int:
    """Wait until the other end has closed, without reading; return what can be read then."""
    closing = select.poll()
    closing.register(client, select.POLLHUP)
    assert closing.poll(30_000)
    return left_over(client)


def test_a_client_that_goes_in_the_middle_of_its_request_leaves_the_table_as_it_is(
    table: Running,
) -> None:
    for number in range(20):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(table.socket))
            client.sendall(b'{"id": 1, "watch": true}\n{"id": 2, "view": true}\n{"id": 3, "as')
            if number % 2:
                client.shutdown(socket.SHUT_RD)
    table.deal()
    table.finish()

    assert "Traceback" not in table.errors.read_text()
