"""``python -m controller``: the same as the command ``tablekeeper``."""

import sys
import time

DO_NOT_START = 78


def program() -> int:
    """Run the command of this process and return its exit status."""
    try:
        time.time()
    except OverflowError:  # beyond the year 2262; the libraries that we stand on fail by it
        sys.stderr.write("tablekeeper: the clock of this PC shows a time that cannot be: set it\n")
        return DO_NOT_START
    from controller import cli

    return cli.program()


if __name__ == "__main__":
    sys.exit(program())
