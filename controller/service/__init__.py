"""A running table: its devices, its log, its control socket, on one event loop.

``run`` puts the parts together, ``inbox`` feeds the table one event at a time, ``translate``
turns what devices say into events, ``control`` is the socket, ``client`` its other end.
"""

from typing import Final

VERSION: Final = 1
"""Of what is said over the control socket."""
