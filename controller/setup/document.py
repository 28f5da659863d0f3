"""A configuration as text: any plain TOML document, with comments where they help."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SECTIONS: Final[Mapping[str, str]] = {
    "table": "The table.",
    "game": "Options of the game that differ from its own file.",
    "devices": "One section a device.  Ports by their socket, so that a device that is replaced\n"
    "in the same socket is found again.",
    "controls": 'What each press means: "device.control" or "device.control hold".',
}
_KEYS: Final[Mapping[str, str]] = {
    "table.game": "blackjack-nsw, pontoon-nsw or pontoon-nz",
    "table.state": "the event log and all that must last",
    "table.socket": "where the screens and scripts talk to the table",
    "table.source": "the device that the cards come from",
}


def text_of(document: Mapping[str, Any], heading: str) -> str:
    """Return the document as TOML, with a heading and comments; reading it gives it back."""
    lines = [f"# {line}".rstrip() for line in heading.splitlines()]
    plain = {key: value for key, value in document.items() if not isinstance(value, dict)}
    lines += _pairs((), plain)
    for key, value in document.items():
        if isinstance(value, dict):
            lines.append("")
            lines += [f"# {line}" for line in _SECTIONS.get(key, "").splitlines()]
            lines += _section((key,), value)
    return "\n".join(lines) + "\n"


def _section(path: tuple[str, ...], section: Mapping[str, Any]) -> Iterator[str]:
    plain = {key: value for key, value in section.items() if not isinstance(value, dict)}
    if plain or not section:
        yield f"[{'.'.join(map(_key, path))}]"
        yield from _pairs(path, plain)
    first = not plain
    for key, value in section.items():
        if isinstance(value, dict):
            if not first:
                yield ""
            first = False
            yield from _section((*path, key), value)


def _pairs(path: tuple[str, ...], pairs: Mapping[str, Any]) -> Iterator[str]:
    for key, value in pairs.items():
        comment = _KEYS.get(".".join((*path, key)), "")
        line = f"{_key(key)} = {_value(value)}"
        yield f"{line:<36} # {comment}" if comment else line


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_value(each)}' for key, each in value.items())}}}"
    return str(value)


def _number(value: Decimal) -> str:
    """Return a number that is read back as the same, also where it has no fraction."""
    if not value.is_finite():
        return str(value).lower().replace("infinity", "inf")
    text = str(value).replace("E+", "e").replace("E", "e")
    return text if "." in text or "e" in text else f"{text}.0"


def _string(text: str) -> str:
    # TOML's basic strings are JSON's, but for DEL, which it wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
