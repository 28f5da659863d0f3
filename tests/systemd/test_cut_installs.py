"""An installation that is broken off at any of its steps leaves the old version or the new one.

Python and `sync` are played, so that a step takes no time; every other command is the real one, run
by a shim that can end it and the whole installation in the middle.  In which order things reach
the disk is seen here, too; tests of whole machines cut the power.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
STEPS = ("cp", "ln", "mv", "rm", "mkdir", "install", "sync")
EVERY = 3
"""Steps from one cut to the next; the two tests begin at different ones."""
AGAIN = 5
"""Cuts after which it is installed again."""

PLAYED_PYTHON = """\
#!/bin/sh
case "$*" in
  "-m venv "*)
    /bin/mkdir -p "$3/bin" "$3/lib"
    /bin/cp "$0" "$3/bin/python"
    echo "home = /usr" >"$3/pyvenv.cfg" ;;
  *"pip install"*)
    for source; do :; done
    /bin/cp "$source/pyproject.toml" "$(dirname "$0")/../lib/program" ;;
  *"release.py check"*) echo own ;;
esac
"""

SHIM = """\
#!/bin/sh
step=$(($(/bin/cat "$SHIM/step") + 1))
echo $step >"$SHIM/step"
source=; for last; do before=$source; source=$last; done
case NAME in
  sync) echo sync >>"$SHIM/order"; /bin/touch "$SHIM/synced" ;;
  mv)
    echo mv >>"$SHIM/order"
    late=$(/usr/bin/find "$before" "$DESTDIR/opt/tablekeeper/releases" -newer "$SHIM/synced")
    [ -z "$late" ] || echo "$late" >>"$SHIM/late" ;;
esac
[ NAME = sync ] || /bin/NAME "$@" || exit
if [ $step = "$CUT" ]; then
  case NAME in cp | install) [ ! -f "$last" ] || : >"$last" ;; esac # nothing of it reached the disk
  kill -9 0
fi
"""


class Cut(NamedTuple):
    """A machine's tree and what is installed into it, until it is broken off."""

    folder: Path

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    @property
    def shim(self) -> Path:
        return self.folder / "shim"

    def install(self, version: str, *, cut: int = 0) -> int:
        """Install a version until so many commands were run; return the exit status."""
        (self.shim / "step").write_text("0\n")
        (self.shim / "synced").touch()
        environment = {
            "PATH": f"{self.shim}:/usr/bin:/bin",
            "DESTDIR": str(self.tree),
            "PYTHON": str(self.folder / "python"),
            "SHIM": str(self.shim),
            "CUT": str(cut),
        }
        done = subprocess.run(
            [self.folder / version / "systemd" / "install.sh"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            start_new_session=True,
        )
        assert done.returncode in {0, -signal.SIGKILL}, done.stderr
        return done.returncode

    @property
    def steps(self) -> int:
        return int((self.shim / "step").read_text())


@pytest.fixture
def cut(tmp_path: Path) -> Cut:
    """Two versions that differ in every file."""
    for version in ("old", "new"):
        source = tmp_path / version
        shutil.copytree(ROOT / "systemd", source / "systemd")
        shutil.copytree(ROOT / "config", source / "config")
        (source / "pyproject.toml").write_text(f'version = "1-{version}"\n')
        (source / "constraints.txt").touch()
        for file in (*(source / "config").glob("*.toml"), *(source / "systemd").iterdir()):
            if file.name not in {"install.sh", "files"} and file.is_file():
                file.write_text(f"{file.read_text()}# {version}\n")
    machine = Cut(tmp_path)
    machine.tree.mkdir()
    machine.shim.mkdir()
    for name in STEPS:
        (machine.shim / name).write_text(SHIM.replace("NAME", name))
        (machine.shim / name).chmod(0o755)
    (machine.shim / "date").write_text("#!/bin/sh\necho $PPID\n")  # no two in one second
    (machine.shim / "date").chmod(0o755)
    (tmp_path / "python").write_text(PLAYED_PYTHON)
    (tmp_path / "python").chmod(0o755)
    return machine


def places(version: Path) -> Iterator[tuple[str, str, str]]:
    for line in (version / "systemd" / "files").read_text().splitlines():
        if line and not line.startswith("#"):
            mode, source, place = line.split()
            yield mode, source, place.lstrip("/")


def found(tree: Path, version: Path, mode: str, source: str, place: str) -> str:
    """Tell which version lies in a place: its name, "none", or "half"."""
    file = tree / place
    if not os.path.lexists(file):
        return "none"
    if mode == "link":
        return version.name if str(file.readlink()) == source else "half"
    return version.name if file.read_bytes() == (version / source).read_bytes() else "half"


def of(cut: Cut, tree: Path) -> list[str]:
    """Return what lies in each place of a tree."""
    said = []
    for mode, source, place in places(cut.folder / "new"):
        either = {found(tree, cut.folder / each, mode, source, place) for each in ("old", "new")}
        said.append("half" if either == {"half"} else min(either - {"half"}))
    return said


def current(cut: Cut) -> str:
    """Return which version would be started, "none" if none is there; it has to be whole."""
    link = cut.tree / "opt/tablekeeper/current"
    if not os.path.lexists(link):
        return "none"
    release = Path(f"{cut.tree}{link.readlink()}")
    name = "new" if "new" in (release / "lib" / "program").read_text() else "old"
    for row in places(cut.folder / name):
        assert found(release / "system", cut.folder / name, *row) == name, row
    return name


@pytest.mark.parametrize("before", ["old", "none"])
def test_wherever_it_is_broken_off_there_is_the_old_version_or_the_new(
    cut: Cut, before: str
) -> None:
    if before == "old":
        assert cut.install("old") == 0
    as_before = cut.folder / "as-before"
    cut.tree.rename(as_before)
    shutil.copytree(as_before, cut.tree, symlinks=True)
    assert cut.install("new") == 0
    steps, seen = cut.steps, set()
    assert steps > 30

    cuts = [*range(1 if before == "old" else 2, steps, EVERY), steps]
    for number, step in enumerate(cuts):
        shutil.rmtree(cut.tree)
        shutil.copytree(as_before, cut.tree, symlinks=True)
        assert cut.install("new", cut=step) != 0, step
        whole = current(cut)
        seen.add(whole)
        assert whole in {before, "new"}, step
        assert set(of(cut, cut.tree)) <= {before, "new"}, step
        if whole == "new":  # the link goes last
            assert set(of(cut, cut.tree)) == {"new"}, step
        if number % AGAIN == 0:
            assert cut.install("new") == 0
            assert {current(cut), *of(cut, cut.tree)} == {"new"}, step
            assert [*cut.tree.rglob("*.new")] == [], step
            assert len([*(cut.tree / "opt/tablekeeper/releases").iterdir()]) <= 2, step
    assert seen == {before, "new"}


def test_nothing_is_put_in_its_place_before_all_of_it_is_on_the_disk(cut: Cut) -> None:
    for version in ("old", "new"):
        assert cut.install(version) == 0
        order = (cut.shim / "order").read_text().split()
        assert order[0] == order[-1] == "sync"  # and it is said to be done after that
        assert order.count("mv") > 10
        assert not (cut.shim / "late").exists(), (cut.shim / "late").read_text()
        (cut.shim / "order").unlink()
