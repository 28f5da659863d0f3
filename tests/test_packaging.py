"""The wheel works away from the checkout: games, example table and simulated devices travel."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.system.folder import short_folder

ROOT = Path(__file__).parents[1]
WITHIN = 100

SCRIPT = """\
title: Nineteen stands against seventeen
game: pontoon-nsw
bets:
  - {box: 1, player: ann, main: 10}
play:
  - no-more-bets
  - cards KS 9H 9D           # box 1, dealer, box 1
  - stand
  - cards 8C
expect:
  - {box: 1, player: ann, wager: main, result: win, pays: 10}
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def pip(*arguments: object) -> None:
    """Run pip."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*command, *map(str, arguments)], check=True, timeout=WITHIN, cwd="/")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [
        *pip,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(build, check=True, timeout=WITHIN, cwd=folder)
    (built,) = folder.glob("tablekeeper-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Iterator[Path]:
    """Install the wheel into a folder of its own, beside the dependencies."""
    with short_folder() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        install = [
            *pip,
            "install",
            "--no-deps",
            "--no-index",
            "--target",
            str(folder / "lib"),
            str(wheel),
        ]
        subprocess.run(install, check=True, timeout=WITHIN)
        yield folder / "lib"


@pytest.fixture
def run(installed: Path, tmp_path: Path) -> Run:
    """Run Python with the installed package and nothing of the checkout."""

    def run(*arguments: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(installed), "HOME": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WITHIN,
            check=False,
        )

    return run


def files_of(root: Path, *folders: str) -> set[str]:
    return {
        str(file.relative_to(root))
        for folder in folders
        for file in (root / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_every_file_travels(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    config = {
        f"controller/shipped_config/{name.removeprefix('config/')}"
        for name in files_of(ROOT, "config")
    }

    assert packed == files_of(ROOT, "controller", "drivers") | config


def test_it_says_what_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [each for each in packed.namelist() if each.endswith("METADATA")]
        metadata = packed.read(name).decode()

    needed = {
        line.removeprefix("Requires-Dist: ").split(";")[0].lower()
        for line in metadata.splitlines()
        if line.startswith("Requires-Dist: ") and "extra ==" not in line
    }
    for name in ("transitions==0.9.3", "pyserial==3.5", "pyusb", "structlog", "msgspec", "rich"):
        assert any(each.startswith(name) for each in needed)


def test_what_runs_is_what_was_installed(run: Run, installed: Path) -> None:
    code = (
        "import controller, drivers.simulated\n"
        "from controller.shipped import shipped\n"
        "print(controller.__file__, drivers.simulated.__file__, shipped('table.toml'))"
    )
    done = run("-c", code)

    assert done.returncode == 0, done.stderr
    assert all(path.startswith(str(installed)) for path in done.stdout.split())


def test_the_shipped_games_and_table_can_be_read(run: Run) -> None:
    code = (
        "from controller.game.options import NAMES\n"
        "from controller.settings import read_game, read_settings\n"
        "from controller.shipped import shipped\n"
        "print(*[read_game(name, {}).name for name in NAMES])\n"
        "print(read_settings(shipped('table.toml')).name)"
    )
    done = run("-c", code)

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["blackjack-nsw", "pontoon-nsw", "pontoon-nz", "Pontoon", "1"]


@pytest.mark.parametrize("over", ["direct", "wire"])
def test_a_script_is_played(run: Run, tmp_path: Path, over: str) -> None:
    script = tmp_path / "round.yaml"
    script.write_text(SCRIPT)
    done = run("-m", "controller", "play", "--over", over, script)

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_demo_is_played_and_its_log_verified(run: Run, tmp_path: Path) -> None:
    done = run("-m", "controller", "demo", "--rounds", 1, "--fast", "--seed", 1, "--json")
    assert done.returncode == 0, done.stderr
    state = tmp_path / ".local" / "state" / "tablekeeper" / "demo"
    exported = run("-m", "controller", "log", "export", state)

    assert exported.stdout == done.stdout
    assert json.loads(done.stdout.splitlines()[-1])["kind"] == "stopped"
    assert run("-m", "controller", "log", "verify", state).returncode == 0


def test_the_drivers_are_announced(run: Run) -> None:
    code = (
        "from importlib.metadata import entry_points\n"
        "print(*sorted({one.name for one in entry_points(group='tablekeeper.drivers')}))"
    )

    assert {"angel-eye", "boot-keyboard", "pcsensor"} <= set(run("-c", code).stdout.split())
