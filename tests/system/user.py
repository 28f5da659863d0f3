"""Other users than the one who runs the tests: root, and one who is not."""

import os
import shutil

NOBODY = 65534


def as_ordinary_user() -> list[str]:
    """Return what to put before a command so that it is not root and writes only what it may.

    It may still read everything, since the checkout may lie in a folder of root's.
    """
    if os.geteuid() != 0:
        return [_program("env")]
    rights = "+dac_read_search"
    return [
        *(_program("setpriv"), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
        *(f"--inh-caps={rights}", f"--ambient-caps={rights}"),
    ]


def as_root() -> list[str]:
    """Return what to put before a command so that it is root, if only in its own eyes."""
    if os.geteuid() == 0:
        return [_program("env")]
    return [_program("unshare"), "--user", "--map-root-user"]


def _program(name: str) -> str:
    found = shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin")
    assert found, f"{name} is needed"
    return found
