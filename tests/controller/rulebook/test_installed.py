"""The index travels: an installed package tells the same as the checkout, tests' names and all."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from controller.rulebook.citations import code_citations
from controller.rulebook.index import rule_index
from controller.rulebook.tested import kept_tests

ROOT = Path(__file__).parents[3]
WITHIN = 100

PROGRAM = """\
import argparse
import sys
from controller.rulebook.command import add_rules
parser = argparse.ArgumentParser()
add_rules(parser.add_subparsers(required=True))
options = parser.parse_args(["rules", *sys.argv[1:]])
sys.exit(options.run(options))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the wheel into a folder of its own."""
    folder = tmp_path_factory.mktemp("rules")
    build = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel"]
    how = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT]
    subprocess.run([*build, *how], check=True, timeout=WITHIN, cwd=folder)
    (wheel,) = folder.glob("tablekeeper-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "lib")
    return folder / "lib"


def rules(installed: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=installed.parent,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(installed)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WITHIN,
        check=False,
    )


def test_a_clause_leads_to_code_and_tests(installed: Path) -> None:
    done = rules(installed, "18.9.5")
    places = [one for one in code_citations(rule_index()) if one.number == "18.9.5"]

    assert (done.returncode, done.stderr) == (0, "")
    assert places
    for one in places:
        assert f"  {one.path}:{one.line}" in done.stdout
        assert (installed / one.path).is_file()
    for test in kept_tests()["18.9.5"]:
        assert f"  {test}\n" in done.stdout


def test_all_of_it_is_there(installed: Path) -> None:
    listed, drawn = rules(installed), rules(installed, "--diagram")

    assert len(listed.stdout.splitlines()) == len(rule_index())
    assert drawn.stdout.startswith("stateDiagram-v2\n")
    assert rules(installed, "--missing").stderr == ""
