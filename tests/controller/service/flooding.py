"""A client that floods a table's control socket until it is told to stop: run as a program.

``python -m tests.controller.service.flooding SOCKET KIND CONNECTIONS SECONDS``; KIND is one of the
functions here, or one behind ``unread`` or ``connecting``: ``"connecting asks"``.
"""

import contextlib
import json
import resource
import select
import socket
import sys
import time
from collections.abc import Callable

LINES = 2000
"""Requests that are written at once: more than a socket holds."""


def views() -> bytes:
    """Ask for the view, and nothing else."""
    return b'{"id":1,"view":true}\n' * LINES


def watches() -> bytes:
    """Begin to watch again and again."""
    return b'{"id":1,"watch":true}\n' * LINES


def asks() -> bytes:
    """Ask for what is refused, and recorded."""
    return b'{"id":1,"ask":{"do":"withdraw","box":1}}\n' * LINES


def presses() -> bytes:
    """Press devices that nobody has, with names as long as a line may be."""
    press = {"device": "x" * 60_000, "control": "1"}
    return (json.dumps({"id": 1, "press": press}) + "\n").encode() * 10


def meaningless() -> bytes:
    """Press what no key of the table is."""
    return b'{"id":1,"press":{"device":"keys","control":"?"}}\n' * LINES


def sign_ins() -> bytes:
    """Guess PINs, of somebody there is and of nobody."""
    names = ("ines", "nobody")
    return b"".join(
        b'{"id":1,"sign_in":{"name":"%s","pin":"48261739"}}\n' % names[n % 2].encode()
        for n in range(LINES)
    )


def endless() -> bytes:
    """Say a line that never ends."""
    return b"x" * 1_000_000


def nonsense() -> bytes:
    """Say what is no request."""
    return b'{"id":1,"ask":{"do":"wager","box":"' + b"[" * 60 + b'"}}\n' * LINES


KINDS: dict[str, Callable[[], bytes]] = {
    one.__name__: one
    for one in (views, watches, asks, presses, meaningless, sign_ins, endless, nonsense)
}


def ready() -> None:
    """Tell whoever has started this that it floods."""
    sys.stdout.write("flooding\n")
    sys.stdout.flush()


def flood(path: str, what: bytes, connections: int, until: float, *, reading: bool) -> None:
    """Say it on all connections as fast as it is taken; read whatever is answered, or nothing.

    One that is let go comes again, as an attacker would.
    """
    clients: dict[int, tuple[socket.socket, int]] = {}
    polled = select.poll()
    wanted = select.POLLOUT | (select.POLLIN if reading else 0)

    def come() -> None:
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        try:
            client.connect(path)
        except OSError:  # many stand before the door
            client.close()
            return
        clients[client.fileno()] = (client, 0)
        polled.register(client, wanted)

    while len(clients) < connections:
        come()
    ready()
    while time.monotonic() < until:
        if len(clients) < connections:
            come()
        for number, event in polled.poll(100):
            client, said = clients[number]
            try:
                if event & ~select.POLLOUT and not client.recv(1 << 20):
                    raise ConnectionError
                if event & select.POLLOUT:
                    said += client.send(what[said:])
                    clients[number] = (client, said % len(what))
            except BlockingIOError:
                continue
            except OSError:
                polled.unregister(number)
                del clients[number]
                client.close()


def connecting(path: str, until: float, line: bytes = b"") -> None:
    """Connect, say the line and leave again, as fast as it goes."""
    ready()
    while time.monotonic() < until:
        with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(OSError):
            client.connect(path)
            client.send(line)


def staying(path: str, connections: int, until: float) -> None:
    """Connect as often as it goes, and stay."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with contextlib.ExitStack() as stack:
        for _ in range(connections):
            stack.enter_context(socket.socket(socket.AF_UNIX)).connect(path)
        ready()
        time.sleep(until - time.monotonic())


def main() -> None:
    """Flood as the arguments say."""
    path, words, connections, seconds = sys.argv[1:]
    until = time.monotonic() + float(seconds)
    how, _, kind = words.rpartition(" ")
    if kind == "connecting":
        connecting(path, until)
    elif how == "connecting":
        connecting(path, until, KINDS[kind]().partition(b"\n")[0] + b"\n")
    elif kind == "staying":
        staying(path, int(connections), until)
    else:
        flood(path, KINDS[kind](), int(connections), until, reading=how != "unread")


if __name__ == "__main__":
    main()
