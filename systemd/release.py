"""What `make install` asks of the wheels before it builds, and of the release that it has built.

Run by the system's Python (`wheels`) and by the release's own (`check`); nothing but the standard
library is imported before it is known to be the release's.
"""

import base64
import hashlib
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import BytesParser
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
MACHINE = sysconfig.get_platform().removeprefix("linux-").replace("-", "_")
SAID = 3
"""As many faults say enough; there are hundreds where a folder is missing."""
TRAVELS = {"controller": "controller", "drivers": "drivers", "config": "controller/shipped_config"}
"""Folders of the checkout, and where they lie in a release."""


# --- wheels ---------------------------------------------------------------------------------------


class Wheel(NamedTuple):
    """A wheel, as its name has it."""

    file: Path
    name: str
    version: str
    pythons: list[str]
    abis: list[str]
    platforms: list[str]

    @property
    def is_for_this_python(self) -> bool:
        """Whether this Python can use it."""
        own = f"cp{PYTHON.replace('.', '')}"
        minor = sys.version_info.minor
        for tag in self.pythons:
            named = re.fullmatch(r"(cp|py)3(\d*)", tag)
            if named is None:
                continue
            at_least = int(named[2] or 0)
            stable = named[1] == "py" or "abi3" in self.abis
            if at_least <= minor if stable else tag == own and {own, "none"} & {*self.abis}:
                return True
        return False

    @property
    def is_for_this_machine(self) -> bool:
        """Whether this machine can use it."""
        return any(
            each == "any" or re.fullmatch(rf"(many)?linux.*_{MACHINE}", each)
            for each in self.platforms
        )


def plain(name: str) -> str:
    """Return the name of a distribution as all its spellings have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def wheels_in(folder: Path) -> Iterator[Wheel]:
    """Yield the wheels of a folder."""
    for file in sorted(folder.glob("*.whl")):
        parts = file.stem.split("-")
        if len(parts) >= 5:
            tags = [part.split(".") for part in parts[-3:]]
            yield Wheel(file, plain(parts[0]), parts[1], *tags)


def unfit(source: Path, folder: Path) -> Iterator[str]:
    """Yield why the wheels of a folder will not do for this version on this PC."""
    if not folder.is_dir():
        yield f"there is no folder {folder}"
        return
    known: dict[str, list[Wheel]] = {}
    for wheel in wheels_in(folder):
        known.setdefault(wheel.name, []).append(wheel)
    wanted = dict(
        line.strip().split("==")
        for line in (source / "constraints.txt").read_text().splitlines()
        if "==" in line
    )
    versions = {plain(name): version for name, version in wanted.items()}
    project = tomllib.loads((source / "pyproject.toml").read_text())
    due = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    names, missing = [_name(each) for each in due], []
    for name in names:  # grows by what each of them needs in turn
        wheels = known.get(name)
        if wheels is None:
            missing.append(name)
            continue
        fits = [each for each in wheels if each.version == versions.get(name, each.version)]
        if fault := _fault(fits or wheels, versions.get(name) if not fits else None):
            yield f"the wheels in {folder} are {fault}"
            return
        try:
            names += [each for each in _needs(fits[0].file) if each not in names]
        except (zipfile.BadZipFile, OSError, StopIteration) as fault:
            yield f"{fits[0].file} is damaged ({fault}): make wheels again"
            return
    if missing:
        yield f"{folder} has no wheel of {', '.join(missing)}: make wheels, in this checkout"


def _fault(wheels: list[Wheel], version: str | None) -> str:
    """Return what is wrong with all wheels of one distribution; empty if one will do."""
    if any(each.is_for_this_python and each.is_for_this_machine for each in wheels):
        if version is None:
            return ""
        return f"of another version ({wheels[0].file.name}; {version} is needed): make wheels here"
    first = wheels[0]
    if not any(each.is_for_this_python for each in wheels):
        theirs = re.sub(r"^(cp|py)(\d)(\d*)$", r"\2.\3", first.pythons[-1]).rstrip(".")
        return (
            f"for Python {theirs} ({first.file.name}), and this PC has {PYTHON}: make wheels with"
            f" Python {PYTHON}, as make wheels PYTHON=python{PYTHON}"
        )
    theirs = first.platforms[-1]
    return f"for {theirs} ({first.file.name}), and this PC is linux_{MACHINE}: make wheels on one"


def _needs(wheel: Path) -> Iterator[str]:
    """Yield what a wheel needs whatever the circumstances; pip names the rest."""
    with zipfile.ZipFile(wheel) as packed:
        name = next(each for each in packed.namelist() if each.endswith(".dist-info/METADATA"))
        head = BytesParser().parsebytes(packed.read(name))
    for line in head.get_all("Requires-Dist", []):
        if ";" not in line:
            yield _name(line)


def _name(requirement: str) -> str:
    return plain(re.split(r"[^A-Za-z0-9._-]", requirement.strip())[0])


# --- a release ------------------------------------------------------------------------------------


def incomplete(site: Path, source: Path) -> Iterator[str]:
    """Yield what of a release is not as it was packed, or not as the checkout has it."""
    for each in metadata.distributions(path=[str(site)]):
        if each.files is None:
            yield f"{each.name} has no list of its files"
        for packed in each.files or []:
            file = Path(str(packed.locate()))
            if not file.is_file():
                yield f"{file} is missing"
            elif packed.hash is not None and _hash(file, packed.hash.mode) != packed.hash.value:
                yield f"{file} is not as it was packed"
    for folder, place in TRAVELS.items():
        for file in sorted((source / folder).rglob("*")):
            ours = site / place / file.relative_to(source / folder)
            if file.suffix not in {".py", ".toml"}:
                continue
            if not ours.is_file() or ours.read_bytes() != file.read_bytes():
                yield f"{ours} is not there as in {file}"


def _hash(file: Path, mode: str) -> str:
    digest = hashlib.new(mode, file.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def unusable(site: Path, source: Path) -> Iterator[str]:
    """Yield what of a whole release does not work, or comes from somewhere else."""
    import controller.game.options
    import controller.settings
    import drivers.registry
    from controller.shipped import shipped

    for module in (controller.settings, drivers.registry):
        if not Path(str(module.__file__)).is_relative_to(site):
            yield f"{module.__name__} is taken from {module.__file__}"
    if not shipped("table.toml").is_relative_to(site):
        yield f"the games are taken from {shipped('games')}"
    for game in controller.game.options.NAMES:
        controller.settings.read_game(game, {})
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    (group,) = project["entry-points"]
    announced = {each.name: each for each in metadata.entry_points(group=group)}
    for name in project["entry-points"][group]:
        if name not in announced:
            yield f"the driver {name} is not announced"
        else:
            announced[name].load()
    program = [sys.executable, "-I", str(Path(sys.prefix, "bin", "tablekeeper")), "--version"]
    if subprocess.run(program, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        yield f"{program[2]} does not start"


def settings_of(config: Path) -> str:
    """Tell whose a table's settings are: ``none`` if there are none, ``example`` or ``own``.

    Raises:
        SettingsError: this version does not take them.
    """
    from controller.settings import is_the_example, read_settings

    if not config.exists():
        return "none"
    return "example" if is_the_example(read_settings(config)) else "own"


def check(source: Path, config: Path) -> Iterator[str]:
    """Print whose the table's settings are; yield what is wrong with the release."""
    site = Path(sysconfig.get_path("purelib"))
    faults = list(incomplete(site, source))
    if not faults:
        try:
            faults += unusable(site, source)
        except Exception as fault:  # noqa: BLE001 - whatever keeps it from starting
            faults.append(f"it does not start: {type(fault).__name__}: {fault}")
    if not faults:
        from controller.errors import SettingsError

        try:
            print(settings_of(config))
        except SettingsError as fault:
            faults.append(f"it does not take the settings of this table: {fault}")
    yield from faults


if __name__ == "__main__":
    ask = {"wheels": unfit, "check": check}[sys.argv[1]]
    faults = list(ask(*map(Path, sys.argv[2:])))
    for fault in faults[:SAID]:
        print(f"install: {fault}", file=sys.stderr)
    if len(faults) > SAID:
        print(f"install: and {len(faults) - SAID} more", file=sys.stderr)
    sys.exit(bool(faults))
