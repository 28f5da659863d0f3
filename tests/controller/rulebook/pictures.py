"""Whether a page's picture of the rows is the one that the rows give."""

import re

from controller.rulebook.diagram import diagram

_PICTURE = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pictures(page: str) -> list[str]:
    """Return every Mermaid picture of a Markdown page."""
    return _PICTURE.findall(page)


def shows(page: str, name: str, game: str = "pontoon-nsw") -> bool:
    """Tell whether the page shows the diagram as the rows give it now."""
    return diagram(name, game) in pictures(page)
