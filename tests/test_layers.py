"""Arrows point one way; what the layers are stands in pyproject.toml."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT = Path(sys.executable).parent / "lint-imports"


def lint(root: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [LINT, "--no-cache", "--no-logo", root / "pyproject.toml"],
        cwd=root,
        env={"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_every_import_keeps_to_the_layers() -> None:
    done = lint(ROOT)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return the packages as a checkout of one's own, to spoil."""
    for package in ("controller", "drivers"):
        for file in (ROOT / package).rglob("*.py"):
            own = tmp_path / file.relative_to(ROOT)
            own.parent.mkdir(parents=True, exist_ok=True)
            own.write_bytes(file.read_bytes())
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    return tmp_path


@pytest.mark.parametrize(
    ("module", "imports"),
    [
        ("controller/game/hands.py", "controller.table.decide"),
        ("controller/game/hands.py", "socket"),
        ("controller/eventlog/chain.py", "controller.table.state"),
        ("controller/cli.py", "drivers.simulated.shoe"),
        ("drivers/codec.py", "controller.cards"),
        ("drivers/angel_eye.py", "serial"),
    ],
)
def test_an_import_against_the_arrows_is_found(copy: Path, module: str, imports: str) -> None:
    file = copy / module
    file.write_text(f"{file.read_text()}\nimport {imports}\n")
    done = lint(copy)

    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 broken" in done.stdout
