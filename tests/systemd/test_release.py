"""Wheels that will not do are named before anything is built."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "systemd" / "release.py"
MINOR = sys.version_info.minor
OWN = f"cp3{MINOR}-cp3{MINOR}-manylinux2014_x86_64.manylinux_2_17_x86_64"
NEEDED = {
    "msgspec": ("0.23.0", OWN, ["typing-extensions; python_version < '3.9'"]),
    "pyserial": ("3.5", "py2.py3-none-any", ["six>=1 (extra)"]),
    "hatchling": ("1.33.0", "py3-none-any", []),
    "six": ("1.17.0", "py2.py3-none-any", []),
    "cryptography": ("50.0.2", f"cp3{MINOR - 2}-abi3-manylinux_2_34_x86_64", []),
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A checkout that needs few wheels, and a folder that has them."""
    (tmp_path / "constraints.txt").write_text("# exact\nmsgspec==0.23.0\npyserial==3.5\n")
    (tmp_path / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\n'
        '[project]\ndependencies = ["cryptography>=44", "msgspec>=0.20", "pyserial==3.5"]\n'
    )
    (tmp_path / "wheels").mkdir()
    for name in NEEDED:
        put(tmp_path, name)
    return tmp_path


def put(source: Path, name: str, tags: str = "", version: str = "") -> Path:
    """Put a wheel into the folder in the place of the one that is there."""
    for old in (source / "wheels").glob(f"{name}-*"):
        old.unlink()
    number, own, requires = NEEDED[name]
    file = source / "wheels" / f"{name}-{version or number}-{tags or own}.whl"
    with zipfile.ZipFile(file, "w") as packed:
        lines = "".join(f"Requires-Dist: {each}\n" for each in requires)
        packed.writestr(f"{name}-{number}.dist-info/METADATA", f"Name: {name}\n{lines}\n")
    return file


def said(source: Path, folder: str = "wheels") -> str:
    """Return why the wheels will not do; empty if they will."""
    done = subprocess.run(
        [sys.executable, "-I", PROGRAM, "wheels", source, source / folder],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == bool(done.stderr), done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def test_wheels_for_this_pc_will_do(source: Path) -> None:
    assert said(source) == ""
    put(source, "msgspec", "cp312-cp312-manylinux2014_x86_64" if MINOR != 12 else "cp311-cp311-any")
    put_beside = source / "wheels" / f"msgspec-0.23.0-{OWN}.whl"
    put_beside.write_bytes(next((source / "wheels").glob("six-*")).read_bytes())
    assert said(source) == ""  # another Python's lie beside them


@pytest.mark.parametrize(
    ("name", "tags", "version", "words"),
    [
        ("msgspec", "cp399-cp399-manylinux2014_x86_64", "", ["for Python 3.99", f"has 3.{MINOR}"]),
        ("cryptography", "cp399-abi3-manylinux2014_x86_64", "", ["for Python 3.99", "PYTHON="]),
        ("msgspec", f"cp3{MINOR}-cp3{MINOR}t-manylinux2014_x86_64", "", ["for Python"]),
        ("msgspec", f"cp3{MINOR}-cp3{MINOR}-manylinux2014_aarch64", "", ["aarch64", "x86_64"]),
        ("msgspec", f"cp3{MINOR}-cp3{MINOR}-musllinux_1_2_x86_64", "", ["for musllinux_1_2"]),
        ("pyserial", "py2-none-any", "", ["for Python 2"]),
        ("pyserial", "", "3.4", ["another version", "3.5 is needed"]),
    ],
)
def test_wheels_for_something_else_are_named(
    source: Path, name: str, tags: str, version: str, words: list[str]
) -> None:
    file = put(source, name, tags, version)
    told = said(source)

    assert f"the wheels in {source / 'wheels'} are" in told
    for word in (file.name, *words):
        assert word in told


def test_missing_and_damaged_ones_are_named(source: Path) -> None:
    for name in ("six", "hatchling"):
        next((source / "wheels").glob(f"{name}-*")).unlink()
    assert "has no wheel of hatchling, six: make wheels" in said(source)
    file = put(source, "msgspec")
    file.write_bytes(file.read_bytes()[:50])
    assert f"{file} is damaged" in said(source)
    assert "there is no folder" in said(source, "nowhere")
