"""In whose hands a table's files are: nobody but the table changes its record or reads its keys.

There is one judgement (`judging`), for whoever opens a file (`opening`: on the descriptor that it
is read by, so that nothing can be put in its place in between) and for whoever looks at all of them
(`faults`: ``run`` and ``recover`` before they start, ``operators``, and ``doctor``).  What is
refused:

- A link, pipe, device, socket or folder where a file belongs, a link or file where a folder does.
- What belongs to another user than the table's.
- What others may change.
- A key, the pepper or the operators' database that others may read.
- A second name (a hard link) of a file that is still written, or destroyed when its time has come:
  what is done to it would be done to another file.  A day that is sealed may have one.

Around a real table's state and configuration, up to the root: a folder that belongs neither to root
nor to the table's user, or that others may change (a sticky one, as ``/tmp``, is allowed: there
nobody can put anything in somebody else's place).  Links above the state folder are followed, and
the folders around them judged too.

A group counts as others, but around a table and at a rehearsal one in which nobody else is: with a
umask of 002 everything in a user's home may be changed by their private group.  At a rehearsal no
money is on the table: only the state itself is judged, and it may be a sticky folder.

Reading is not refused but of secrets: ``log/`` may be read by a group of its own.  Where the
folders are in the table's own hands, nobody but its own user and root can bring about what is
refused; what those two do is not for this package to prevent.
"""

from controller.custody.inspection import check, faults, faults_around
from controller.custody.judging import KINDS, OTHERS_WRITE, PEPPER, Custodian, Fault
from controller.custody.opening import OutOfCustody, open_database, open_file, read_file

__all__ = [
    "KINDS",
    "OTHERS_WRITE",
    "PEPPER",
    "Custodian",
    "Fault",
    "OutOfCustody",
    "check",
    "faults",
    "faults_around",
    "open_database",
    "open_file",
    "read_file",
]
