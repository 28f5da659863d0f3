"""A table in plain text, as wide as what stands in it."""

from collections.abc import Iterator, Sequence

from controller.characters import columns, padded, printable


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield the lines of a table; columns named in ``right`` are aligned to the right.

    >>> for line in table(["box", "pays"], [["1", "$5.00"]], frozenset({"pays"})): print(line)
    box   pays
    1    $5.00
    """
    lines = [[printable(cell) for cell in line] for line in (head, *rows)]
    widths = [max(columns(line[at]) for line in lines) for at in range(len(head))]
    for line in lines:
        cells = (
            padded(cell, width, right=name in right)
            for cell, width, name in zip(line, widths, head, strict=True)
        )
        yield "  ".join(cells).rstrip()
