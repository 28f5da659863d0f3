"""A second copy in the log's own place is none, by whatever path it is named."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.errors import SettingsError
from controller.eventlog import EventLog, canonical
from controller.eventlog.apart import misplaced
from controller.eventlog.errors import MirrorFailed
from controller.eventlog.mirror import Mirror
from controller.eventlog.row import Entry
from controller.settings import read_settings
from tests.system.processes import tablekeeper

AT = "2026-05-09T07:35:25.123456Z"

Place = Callable[[Path], Path]


def linked(to: str) -> Place:
    def place(state: Path) -> Path:
        link = state.parent / "link"
        link.symlink_to(state / to)
        return link

    return place


def relative(state: Path) -> Path:
    return Path(os.path.relpath(state / "log"))


WRONG: dict[str, Place] = {
    "the log's folder": lambda state: state / "log",
    "in the log's folder": lambda state: state / "log" / "copy" / "of",
    "a link to it": linked("log"),
    "in a link to it": lambda state: linked("log")(state) / "copy",
    "by a relative path": relative,
    "by dots": lambda state: state / "log" / ".." / "log",
    "the state folder": lambda state: state,
    "a link to the state folder": linked("."),
    "above the state folder": lambda state: state.parent,
    "the root": lambda _: Path("/"),
    "the key's folder": lambda state: state / "log-key",
    "in the key's folder": lambda state: state / "log-key" / "copy",
    "a link to the key's folder": linked("log-key"),
}
RIGHT: dict[str, Place] = {
    "elsewhere": lambda state: state.parent / "copy",
    "a like name": lambda state: state / "log-copy",
    "a link to elsewhere": lambda state: linked("../elsewhere")(state),
    "beside": lambda state: state / "second" / "log",
}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    state = tmp_path / "top" / "state"
    for folder in ("log", "log-key"):
        (state / folder).mkdir(parents=True)
    return state


def config(state: Path, mirror: Path) -> Path:
    file = state.parent.parent / "table.toml"
    file.write_text(
        f'[table]\nname = "T"\ngame = "pontoon-nsw"\nstate = "{state}"\nmirror = "{mirror}"\n'
        f'[devices.shoe]\ndriver = "angel-eye"\nport = "{state}/p"\n'
    )
    return file


@pytest.mark.parametrize("where", WRONG)
@pytest.mark.parametrize("made", [True, False])
def test_a_copy_in_the_logs_place_is_refused(state: Path, where: str, made: bool) -> None:
    if not made:  # nothing was recorded yet
        for folder in ("log", "log-key"):
            (state / folder).rmdir()
    mirror = WRONG[where](state)

    with pytest.raises(SettingsError) as refused:
        read_settings(config(state, mirror))
    assert f"table.mirror = {mirror}: " in str(refused.value)
    assert "give it a folder of its own, on another disk" in str(refused.value)


@pytest.mark.parametrize("where", RIGHT)
def test_a_copy_elsewhere_is_not(state: Path, where: str) -> None:
    mirror = RIGHT[where](state)

    assert misplaced(state / "log", mirror) is None
    assert read_settings(config(state, mirror)).mirror == mirror


def test_the_start_and_the_doctor_say_it(state: Path) -> None:
    file = config(state, state / "log")

    started = tablekeeper("run", "--rehearsal", "--config", file)
    assert started.returncode == 78
    assert "it is the log's own folder" in started.stderr
    assert "it is the log's own folder" in tablekeeper("doctor", "--config", file).stdout
    assert not list((state / "log").iterdir())


def test_a_folder_that_becomes_the_logs_while_it_is_copied_is_not_written(tmp_path: Path) -> None:
    """Somebody puts a link to the log where the copy was."""
    folder, copy = tmp_path / "log", tmp_path / "copy"
    copy.mkdir()
    with closing(EventLog.open(folder)) as log, closing(Mirror(folder, copy)) as mirror:
        log.append(AT, Entry(0, "started", canonical({})))
        mirror.keep_in_step()
        mirror.close()
        copy.rename(tmp_path / "was")
        copy.symlink_to(folder)
        before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}

        with pytest.raises(MirrorFailed, match="it is the log's own folder"):
            mirror.keep_in_step()

        assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before
