"""Why the operators' files cannot be used, in plain words, and what to do."""

import errno
import os
import sqlite3
from pathlib import Path
from typing import Final

from controller.custody import OutOfCustody
from controller.errors import OperatorsError

_BY_CODE: Final = {
    sqlite3.SQLITE_FULL: "the disk is full: free some space",
    sqlite3.SQLITE_IOERR: "the disk did not take it: check the disk and its free space",
    sqlite3.SQLITE_READONLY: "the file or its disk is read-only: make it writable",
    sqlite3.SQLITE_BUSY: "another program has locked the file: close that program",
    sqlite3.SQLITE_CANTOPEN: "the file can't be opened: check its owner and rights",
    sqlite3.SQLITE_NOTADB: "it is no database: put back a copy, or remove it and add all again",
    sqlite3.SQLITE_CORRUPT: "it is damaged: put back a copy, or remove it and add all again",
}
_BY_ERRNO: Final = {
    errno.ENOSPC: _BY_CODE[sqlite3.SQLITE_FULL],
    errno.EROFS: _BY_CODE[sqlite3.SQLITE_READONLY],
    errno.EACCES: "not permitted: check owner and rights of the file and its folder",
    errno.EPERM: "not permitted: check owner and rights of the file and its folder",
    errno.ELOOP: "a link stands where the file should be: remove it",
}


def unusable(file: Path, fault: sqlite3.Error | OSError) -> OperatorsError:
    """Return the error that says why a file cannot be used."""
    return OperatorsError(f"{file}: {_why(fault)}")


def _why(fault: sqlite3.Error | OSError) -> str:
    if isinstance(fault, OutOfCustody):
        return f"{fault.fault.what}: {fault.fault.mend}"
    if isinstance(fault, OSError):
        number = fault.errno or 0
        return _BY_ERRNO.get(number, os.strerror(number))
    code = getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return _BY_CODE.get(code, f"the database says: {fault}")
