"""What a release has put elsewhere and is not there as it was: told with what mends it."""

from pathlib import Path

import pytest

from controller.doctor import installed
from tests.controller.doctor.tree import Tree

UNIT = "usr/lib/systemd/system/tablekeeper.service"
RELEASE = "opt/tablekeeper/releases/1"
LINK = "usr/local/bin/tablekeeper"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine on which a release is installed."""
    tree = Tree(tmp_path)
    tree.link("opt/tablekeeper/current", f"/{RELEASE}")
    for above in ("", f"{RELEASE}/system/"):
        tree.write(f"{above}{UNIT}", "[Unit]\n")
        tree.link(f"{above}{LINK}", "/opt/tablekeeper/tablekeeper")
    return tree


def said(tree: Tree) -> list[tuple[str, str, str]]:
    return [(each.level, each.what, each.where) for each in installed.check(tree.machine)]


def test_a_whole_installation_is_nothing_to_speak_of(tree: Tree) -> None:
    assert said(tree) == []


@pytest.mark.parametrize("kept", [True, False])
def test_an_empty_unit_is_no_masked_one(tree: Tree, *, kept: bool) -> None:
    if not kept:  # as versions were that kept no second one of what they installed
        (tree.root / RELEASE / "system" / UNIT).unlink()
    tree.write(UNIT)
    ((level, what, where),) = said(tree)

    assert (level, where) == ("trouble", f"/{UNIT}")
    assert what.startswith("it is empty: an installation was broken off")
    assert installed.is_masked_by_a_cut(tree.machine)


def test_what_is_missing_or_another_is_told(tree: Tree) -> None:
    tree.write(UNIT, "[Unit]\nDescription=mine\n")
    (tree.root / LINK).unlink()
    assert [(level, where) for level, _, where in said(tree)] == [
        ("warning", f"/{UNIT}"),
        ("trouble", f"/{LINK}"),
    ]
    tree.link(LINK, "/somewhere/else")
    assert [level for level, _, _ in said(tree)] == ["warning", "warning"]
    assert not installed.is_masked_by_a_cut(tree.machine)


def test_a_file_that_outranks_the_unit_is_told_and_a_mask_is_not(tree: Tree) -> None:
    outranking = "etc/systemd/system/tablekeeper.service"
    tree.link(outranking, "/dev/null")
    assert said(tree) == []
    (tree.root / outranking).unlink()
    tree.write(outranking, "[Unit]\n")
    assert [(level, where) for level, _, where in said(tree)] == [("warning", f"/{outranking}")]


def test_a_program_that_is_gone_is_told(tree: Tree) -> None:
    (tree.root / "opt/tablekeeper/current").unlink()
    ((level, what, _),) = said(tree)

    assert level == "trouble"
    assert what.startswith("its program is gone")
