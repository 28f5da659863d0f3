"""What errors of the disk and of SQLite mean, in plain words, and whose fault they are."""

import errno
import os
import sqlite3
from pathlib import Path

from controller.custody import OutOfCustody
from controller.eventlog.errors import EventLogError, LogAltered, LogWriteFailed, NotALog

_BY_CODE = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space",
    sqlite3.SQLITE_IOERR: "the disk did not take the data (fault, quota or size limit);"
    " check the disk and its free space",
    sqlite3.SQLITE_READONLY: "the file or its disk is read-only; make it writable",
    sqlite3.SQLITE_BUSY: "another program has locked the file; close that program",
    sqlite3.SQLITE_CANTOPEN: "the file can't be opened; check its owner and rights",
    sqlite3.SQLITE_CONSTRAINT: "the log has grown behind this controller's back; open it again",
}

_STALE = "what is mounted there does not answer any more; unmount it and mount it again"

_BY_ERRNO = {
    errno.ENOENT: "the file is gone",
    errno.ENOSPC: _BY_CODE[sqlite3.SQLITE_FULL],
    errno.EFBIG: _BY_CODE[sqlite3.SQLITE_IOERR],
    errno.EIO: _BY_CODE[sqlite3.SQLITE_IOERR],
    errno.EROFS: _BY_CODE[sqlite3.SQLITE_READONLY],
    errno.EACCES: "not permitted; check owner and rights of the folder",
    errno.EPERM: "not permitted; check owner and rights of the folder",
    errno.ENOTDIR: "a file stands where a folder should be",
    errno.EEXIST: "a file stands where a folder should be",
    errno.ELOOP: "links lead there in a circle, or a link stands where a file should be",
    errno.EDQUOT: "the quota of its user is used up; free some space",
    errno.ENOTCONN: _STALE,
    errno.ESTALE: _STALE,
    errno.ENXIO: "its disk is gone; plug it in and mount it again",
    errno.ENODEV: "its disk is gone; plug it in and mount it again",
}

DATABASE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What a query may raise: a damaged file can make SQLite's own message undecodable."""

DatabaseError = sqlite3.Error | UnicodeDecodeError

_DAMAGED = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_TOOBIG,
}


def _primary_code(error: DatabaseError) -> int:
    """Return SQLite's error code without its details; SQLITE_ERROR if the error has none."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF


def why(error: DatabaseError | OSError) -> str:
    """Say in plain words why the disk or the database refused, and what to do."""
    if isinstance(error, OutOfCustody):
        return str(error.fault)
    if isinstance(error, OSError):
        number = error.errno or 0
        return _BY_ERRNO.get(number, os.strerror(number))
    return _BY_CODE.get(_primary_code(error), f"the database says: {error}")


def is_damage(error: DatabaseError) -> bool:
    """Tell whether it is the file that is wrong, where it was a database."""
    return _primary_code(error) in _DAMAGED | {sqlite3.SQLITE_NOTADB}


def is_refused(error: DatabaseError) -> bool:
    """Tell whether the file could not be read as SQLite would have had to write beside it."""
    refused = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL}
    return _primary_code(error) in refused


def on_opening(error: DatabaseError, path: Path) -> EventLogError:
    """Return what to raise when a log can't be opened for writing."""
    code = _primary_code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return NotALog(path, "it is not a database")
    if code in _DAMAGED:
        return LogAltered(path, 0, f"the file is damaged ({error})")
    return LogWriteFailed(path, why(error))


def on_reading(error: DatabaseError, path: Path, seq: int) -> EventLogError:
    """Return what to raise when rows from ``seq`` on can't be read."""
    code = _primary_code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return NotALog(path, "it is not a database")
    if code in _DAMAGED:
        return LogAltered(path, seq, f"the file is damaged ({error})")
    return NotALog(path, f"it can't be read now: {why(error)}")
