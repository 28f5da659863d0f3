"""Who has a device open."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from drivers.ports.holders import holders_of, who_holds
from tests.system.user import as_ordinary_user


def test_another_process_is_named_with_its_number(tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.touch()
    holder = subprocess.Popen(
        [sys.executable, "-c", "f = open(__import__('sys').argv[1]); print(); input()", str(node)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        holder.stdout.readline()
        assert f"({holder.pid})" in who_holds(node)
        (tmp_path / "link").symlink_to(node)
        assert f"({holder.pid})" in who_holds(tmp_path / "link")
    finally:
        holder.communicate()


def test_this_program_is_named_as_such(tmp_path: Path) -> None:
    with (tmp_path / "node").open("w"):
        assert who_holds(tmp_path / "node") == "this program itself"


def test_what_cannot_be_seen_is_not_guessed(tmp_path: Path) -> None:
    node, proc = tmp_path / "node", tmp_path / "proc"
    node.touch()
    # One process that may not be looked into, one that ends meanwhile, one without a name.
    (proc / "11").mkdir(parents=True)
    (proc / "12" / "fd").mkdir(parents=True)
    (proc / "12" / "fd" / "3").touch()
    assert who_holds(node, proc=proc) == "a program that this user cannot see"

    (proc / "13" / "fd").mkdir(parents=True)
    (proc / "13" / "fd" / "3").symlink_to(node)
    assert who_holds(node, proc=proc) == "a program that has just ended (13)"
    (proc / str(os.getpid()) / "fd").mkdir(parents=True)


def test_how_many_do_not_show_what_they_have_open(tmp_path: Path) -> None:
    (tmp_path / "node").touch()
    program = (
        "from pathlib import Path; from drivers.ports.holders import holders_of; "
        f"print(holders_of(Path({str(tmp_path / 'node')!r})).unseen)"
    )
    done = subprocess.run(
        [*as_ordinary_user(), sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    # Whoever runs the tests, the first process of a machine is root's.
    assert int(done.stdout) >= 1


ELSEWHERE = """
import fcntl, os, struct, subprocess, sys
UNLOCK = 0x40045431  # TIOCSPTLCK
subprocess.run(["mount", "-t", "devpts", "-o", "newinstance,ptmxmode=666", "x", "/dev/pts"],
               check=True)
lines = []
for number in range(int(sys.argv[1]) + 1):
    ours = os.open("/dev/pts/ptmx", os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(ours, UNLOCK, struct.pack("i", 0))
    lines.append(os.open(f"/dev/pts/{number}", os.O_RDWR | os.O_NOCTTY))
print(os.readlink(f"/proc/self/fd/{lines[-1]}"), flush=True)
input()
"""
"""A container of its own, in which a virtual line of the same name is open."""


def test_a_device_of_the_same_name_in_another_container_is_another() -> None:
    ours, theirs = os.openpty()
    node = os.ttyname(theirs)
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    elsewhere = subprocess.Popen(
        ["/usr/bin/unshare", "--mount", *user, sys.executable, "-c", ELSEWHERE, Path(node).name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        named = elsewhere.stdout.readline().decode().strip()
        if not named:
            pytest.skip(f"no container can be made here: {elsewhere.stderr.read().decode()}")
        assert named == node
        assert elsewhere.pid not in [each.pid for each in holders_of(Path(node)).seen]
        assert os.getpid() in [each.pid for each in holders_of(Path(node)).seen]
    finally:
        elsewhere.communicate()
        os.close(ours)
        os.close(theirs)
