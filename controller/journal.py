"""The journal of operations: JSON lines for people who run the machine, never the record."""

import logging
import sys

import structlog


def to_standard_error() -> None:
    """Write structlog's lines to standard error, which systemd takes to its journal."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(sort_keys=True),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
