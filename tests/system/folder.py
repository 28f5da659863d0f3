"""A short folder for nodes and sockets: a socket's path has at most 107 bytes."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """Make a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="tk-") as name:
        yield Path(name)
