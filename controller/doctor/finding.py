"""What the doctor tells: one thing seen, how bad it is, where, and the command that mends it."""

from typing import Literal

import msgspec

Level = Literal["ok", "warning", "trouble", "unseen"]
"""``trouble``: the table will not work, or its record is at risk.  ``warning``: it works, but
something will go wrong one day.  ``unseen``: it could not be looked at; ``what`` says why."""


class Finding(msgspec.Struct, frozen=True):
    """One thing seen."""

    level: Level
    about: str
    """What part of the table: ``clock``, ``port shoe``."""
    what: str
    """A sentence for people."""
    where: str = ""
    """The file, node or unit that it is about."""
    mend: str = ""
    """The command, or what to do where no command can."""


def ok(about: str, what: str, where: object = "") -> Finding:
    """Return that all is well with something."""
    return Finding("ok", about, what, str(where))


def warning(about: str, what: str, where: object = "", mend: str = "") -> Finding:
    """Return something that will go wrong one day."""
    return Finding("warning", about, what, str(where), mend)


def trouble(about: str, what: str, where: object = "", mend: str = "") -> Finding:
    """Return something that has to be mended."""
    return Finding("trouble", about, what, str(where), mend)


def unseen(about: str, why: str, where: object = "", mend: str = "") -> Finding:
    """Return that something could not be looked at."""
    return Finding("unseen", about, why, str(where), mend)
