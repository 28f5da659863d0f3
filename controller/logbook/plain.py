"""Text that can't disturb a terminal, whatever somebody wrote into a log."""


def printable(line: str) -> str:
    r"""Return the line with everything that is not printable written out.

    >>> printable("box 1 \x1b[2J")
    'box 1 \\x1b[2J'
    """
    if line.isprintable():
        return line
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in line
    )
