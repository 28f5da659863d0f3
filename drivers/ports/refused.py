"""Who refuses a device, by the number of the error: its own rights, or a service's unit.

The kernel looks at the rights of the node first (EACCES) and then asks the device policy of the
service's group of processes (EPERM), so with EPERM the rights are right.
"""

import errno
import os
from pathlib import Path
from typing import Final

NUMBERS: Final = (errno.EACCES, errno.EPERM)


def why_refused(number: int) -> str:
    """Return what refuses, and what to do; ``number`` is one of `NUMBERS`."""
    if number == errno.EACCES:
        return "no permission; is the udev rule installed?"
    return (
        "its rights are right, but the service's unit does not let it in (DeviceAllow): "
        "sudo tablekeeper setup --service"
    )


def refusal_of(node: Path) -> int | None:
    """Return the number by which a USB unit's node is refused, None if it is not.

    libusb says EIO for EPERM.  To open such a node does nothing to the unit.
    """
    try:
        os.close(os.open(node, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK))
    except OSError as error:
        return error.errno if error.errno in NUMBERS else None
    return None
