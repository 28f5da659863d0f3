"""Wherever a round of a script is cut off, who reads its log has the table that wrote it."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from controller.events import AnyEvent
from controller.scripts.direct import DirectTable
from controller.scripts.perform import Told, perform
from controller.scripts.read import read_script
from controller.table.resume import resume
from tests.controller.scripts.playing import WIRE_ONLY, name_of, scripts


class CutAnywhere(DirectTable):
    """A table whose log is read anew after every event."""

    def _take(self, event: AnyEvent) -> Told:
        told = super()._take(event)
        assert resume(self._log) == self._state
        return told


def _sample() -> list[Path]:
    """Return the first script of every folder, and all in which a prize is drawn."""
    anywhere = [path for path in scripts() if not path.is_relative_to(WIRE_ONLY)]
    firsts = {path.parent: path for path in reversed(anywhere)}
    prizes = [path for path in anywhere if "press" in path.read_text(encoding="utf-8")]
    return sorted({*firsts.values(), *prizes})


@pytest.mark.parametrize("path", _sample(), ids=name_of)
def test_a_table_that_is_cut_off_after_any_event_goes_on_as_it_was(path: Path) -> None:
    script = read_script(path)
    with contextlib.closing(CutAnywhere(script, None, "test")) as table:
        asyncio.run(perform(script, table))
