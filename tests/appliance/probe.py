"""Run inside the unit's sandbox: tries what a controller that was taken over would try.

Prints one JSON object: what was tried, and ``yes`` or the error by which it was refused.
"""

import ctypes
import errno
import json
import mmap
import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

CLONE_NEWUSER = 0x10000000
STATE = "/var/lib/tablekeeper"


def write(path: str) -> None:
    place = Path(path)
    place.write_text("written by the probe")
    place.unlink()


def append(path: str) -> None:
    with Path(path).open("a"):
        pass


def read(path: str) -> None:
    with Path(path).open("rb") as file:
        file.read(1)


def look(path: str) -> None:
    if not os.listdir(path):  # noqa: PTH208 - what is hidden looks empty
        raise OSError(errno.ENOENT, "empty")


def opened(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def interfaces() -> None:
    if [name for _, name in socket.if_nameindex() if name != "lo"] == []:
        raise OSError(errno.ENODEV, "only the loopback is there")


def call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def writable_code() -> None:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


def writable_mount(path: str) -> None:
    if os.statvfs(path).f_flag & os.ST_RDONLY:
        raise OSError(errno.EROFS, "mounted to read only")


def open_for_all() -> None:
    place = Path(STATE, "suid")
    place.touch()
    try:
        place.chmod(0o4755)
    finally:
        place.unlink()


def other_processes() -> None:
    if not Path("/proc/1/comm").exists():
        raise OSError(errno.ENOENT, "not to be seen")


TRIES: dict[str, Callable[[], None]] = {
    "write its log's folder": lambda: write(f"{STATE}/probe"),
    "write beside its socket": lambda: write("/run/tablekeeper/probe"),
    "read its settings": lambda: read("/etc/tablekeeper/table.toml"),
    "open the shoe's line": lambda: append(sys.argv[1]),
    "open a unix socket": lambda: opened(socket.AF_UNIX, socket.SOCK_STREAM),
    "open a netlink socket": lambda: opened(socket.AF_NETLINK, socket.SOCK_RAW),
    "write its settings": lambda: append("/etc/tablekeeper/table.toml"),
    "write its own program": lambda: write("/opt/tablekeeper/probe"),
    "write /etc": lambda: write("/etc/probe"),
    "write /usr": lambda: write("/usr/probe"),
    "write /root": lambda: write("/root/probe"),
    **{
        f"have {path} mounted to write": partial(writable_mount, path)
        for path in ("/usr", "/opt/tablekeeper", "/etc", "/run", "/var/lib")
    },
    "read the passwords": lambda: read("/etc/shadow"),
    "see another's home": lambda: look("/home/dealer"),
    "see other processes": other_processes,
    "signal process 1": lambda: os.kill(1, 0),
    "open an internet socket": lambda: opened(socket.AF_INET, socket.SOCK_STREAM),
    "open an IPv6 socket": lambda: opened(socket.AF_INET6, socket.SOCK_STREAM),
    "see a network": interfaces,
    "become root": lambda: os.setuid(0),
    "mount": lambda: call("mount", b"none", b"/mnt", b"tmpfs", 0, None),
    "make a user namespace": lambda: call("unshare", CLONE_NEWUSER),
    "write code into memory": writable_code,
    "make a suid file": open_for_all,
    "open the screen": lambda: append("/dev/console"),
}


def attempt(what: Callable[[], None]) -> str:
    """Try it in a process of its own: some of it changes what the process may do afterwards."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            what()
        except OSError as fault:
            os.write(writing, str(fault).encode())
        except BaseException as bug:  # noqa: BLE001 - a bug of the probe is no refusal
            os.write(writing, f"bug: {bug!r}".encode())
        else:
            os.write(writing, b"yes")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        words = said.read()
    os.waitpid(child, 0)
    return words or "the attempt was ended by a signal"


if __name__ == "__main__":
    sys.stdout.write(json.dumps({name: attempt(what) for name, what in TRIES.items()}))
