"""Drivers by name: built in, brought along by other packages, or not there."""

import importlib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from drivers import angel_eye
from drivers.driver import Driver
from drivers.errors import OptionError
from drivers.registry import BUILT_IN, DRIVERS, GROUP, find_driver

VENDOR = """
from dataclasses import replace
from drivers.angel_eye import DRIVER as SHOE
DRIVER = replace(SHOE, name="vendor-shoe")
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Installs a package of one module that announces drivers."""

    def installed(module: str, code: str, announced: str) -> None:
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{GROUP}]\n{announced}\n")
        importlib.invalidate_caches()

    monkeypatch.syspath_prepend(str(tmp_path))
    return installed


def test_the_built_in_drivers_are_known_by_their_own_names() -> None:
    assert {name: driver.role for name, driver in BUILT_IN.items()} == {
        "angel-eye": "shoe",
        "bee-tek": "shoe",
        "reference-shuffler": "shuffler",
        "reference-multishuffler": "multishuffler",
        "reference-buttons": "buttons",
        "alpha": "meter",
        "pcsensor": "pedal",
        "boot-keyboard": "keys",
    }
    assert set(BUILT_IN) <= set(DRIVERS)
    assert len(DRIVERS) == len(list(DRIVERS))
    assert find_driver("angel-eye") is angel_eye.DRIVER


def test_what_this_distribution_announces_is_what_is_built_in() -> None:
    announced = {
        e.name: e.load() for e in entry_points(group=GROUP) if e.value.startswith("drivers.")
    }

    assert announced in ({}, dict(BUILT_IN))


def test_an_unknown_driver_is_an_error_that_names_the_known() -> None:
    with pytest.raises(
        OptionError, match="no driver 'angel-eyes'; known: alpha, angel-eye, bee-tek, boot-keyboard"
    ):
        find_driver("angel-eyes")


def test_another_package_can_bring_a_driver(install) -> None:
    install("tk_vendor_good", VENDOR, "vendor-shoe = tk_vendor_good:DRIVER")

    found = find_driver("vendor-shoe")

    assert isinstance(found, Driver)
    assert found.name == "vendor-shoe"
    assert "vendor-shoe" in DRIVERS


def test_a_package_cannot_take_a_built_in_name(install) -> None:
    install("tk_vendor_thief", VENDOR, "angel-eye = tk_vendor_thief:DRIVER")

    assert find_driver("angel-eye") is angel_eye.DRIVER


def test_a_broken_package_breaks_only_its_own_driver(install) -> None:
    install("tk_vendor_broken", "import no_such_module_at_all", "broken = tk_vendor_broken:DRIVER")

    assert "broken" in list(DRIVERS)
    assert find_driver("pcsensor").name == "pcsensor"
    with pytest.raises(OptionError, match=r"'broken'.*does not load.*no_such_module_at_all"):
        find_driver("broken")


@pytest.mark.parametrize("announced", ["other = tk_vendor_odd:DRIVER", "text = tk_vendor_odd:TEXT"])
def test_what_is_announced_must_be_a_driver_of_that_name(install, announced) -> None:
    install("tk_vendor_odd", VENDOR + '\nTEXT = "x"\n', announced)

    with pytest.raises(OptionError, match="is announced as driver"):
        find_driver(announced.split()[0])
