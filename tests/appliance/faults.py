"""Bugs put into the installed program, to see what becomes of a table that has one.

A bug that hangs cannot be had without putting it there.  All around it is real: the program, its
unit and systemd.  Python reads ``sitecustomize`` at its start from where the unit is told to look.
"""

FOLDER = "/run/faulty"

_ON_PLAYER = """
import time
from controller.service.inbox import Inbox
from controller.table import owner

decide, ask_for = owner.decide, Inbox.ask_for

def decide_or_hang(state, event):
    while "hang-decide" in repr(event):
        pass
    return decide(state, event)

async def ask_or_hang(self, uid, event):
    if "hang-loop" in repr(event):
        time.sleep(3600)
    return await ask_for(self, uid, event)

owner.decide, Inbox.ask_for = decide_or_hang, ask_or_hang
"""
"""Whoever wagers as the player ``hang-decide`` or ``hang-loop`` hangs the one or the other."""

_AT_START = """
from controller.service import run

def broken():
    raise RuntimeError("this version has a bug at its start")

run.boot_id = broken
"""

_IN_ANOTHER = f"""
import sys

if sys.prefix != "RELEASE":
    exec({_AT_START!r})
"""

FAULTS = {
    "hangs on a player": _ON_PLAYER,
    "fails at its start": _AT_START,
    "fails in another version": _IN_ANOTHER,
}
"""What can be wrong; ``RELEASE`` stands for the folder of a version that is well."""
