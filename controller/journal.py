"""The journal of operations: JSON lines for people who run the machine, never the record."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from controller.clock import utc_now
from controller.streams import wait_for_nobody
from controller.terminal import write_plain_text


def to_standard_error() -> None:
    """Write structlog's lines to standard error, which systemd takes to its journal.

    Nobody who does not read them can make the table wait.
    """
    wait_for_nobody()
    write_plain_text()  # to what stands there now
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            _with_time,
            structlog.processors.JSONRenderer(sort_keys=True),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )


def _with_time(
    _logger: object, _method: str, line: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Add the time; not by the library's own way, which a clock that cannot be brings to an end."""
    return {"timestamp": utc_now(), **line}
