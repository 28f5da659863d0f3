"""``tablekeeper doctor``: the examination, for people or as JSON."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
from rich.text import Text

from controller.characters import columns, padded, printable_as
from controller.doctor.examine import examine
from controller.doctor.finding import Finding, Level
from controller.doctor.machine import Machine
from controller.doctor.versions import versions
from controller.errors import UsageError
from controller.terminal import Terminal

WELL: Final = 0
IN_TROUBLE: Final = 1
OUTPUT_LOST: Final = 74

_MARKS: Final[dict[Level, tuple[str, str, str]]] = {
    "trouble": ("✗", "bold red", "in trouble"),
    "warning": ("!", "bold yellow", "to look at"),
    "unseen": ("?", "cyan", "not looked at"),
    "ok": ("✓", "green", "ok"),
}
"""Sign, style and words of each level, worst first."""


def add_doctor(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``doctor``."""
    command = commands.add_parser(
        "doctor",
        help="what is wrong with this machine, its ports, disk, clock and service",
        description="Look at everything a table needs of its machine.  Changes nothing.",
        epilog="Exit 0: nothing is in trouble; 1: something is.  Run it with sudo to see all.",
    )
    command.add_argument(
        "--config", type=Path, metavar="FILE", help="the table's (/etc/tablekeeper/table.toml)"
    )
    command.add_argument("--json", action="store_true", help="one JSON object")
    command.add_argument("--root", type=Path, default=Path("/"), help=argparse.SUPPRESS)
    command.set_defaults(run=_doctor, without_reader=OUTPUT_LOST)


def _doctor(options: argparse.Namespace) -> int:
    if not options.root.is_dir():
        raise UsageError(f"doctor: --root {options.root} is no folder")
    patient, found = examine(options.config, Machine(options.root))
    findings = printable_as(found, list[Finding])
    well = all(finding.level != "trouble" for finding in findings)
    name = patient.settings.name if patient.settings else ""
    if options.json:
        told = {"ok": well, "table": name, "findings": findings, "versions": versions()}
        sys.stdout.write(msgspec.json.encode(told).decode() + "\n")
    else:
        show(name, findings)
    return WELL if well else IN_TROUBLE


def show(table: str, findings: Sequence[Finding]) -> None:
    """Print the findings, the worst first; what mends one stands below it, to be copied."""
    console = Terminal(soft_wrap=True)
    levels: list[Level] = list(_MARKS)
    console.print(_heading(table, findings))
    wide = max(columns(finding.about) for finding in findings)
    for level in levels:
        for finding in findings:
            if finding.level == level:
                console.print(_line(finding, wide))


def _heading(table: str, findings: Sequence[Finding]) -> Text:
    text = Text(table or "tablekeeper doctor", "bold")
    for level, (_, style, words) in _MARKS.items():
        count = sum(finding.level == level for finding in findings)
        if count:
            text.append(" · ", "dim").append(f"{count} {words}", style)
    return text


def _line(finding: Finding, wide: int) -> Text:
    sign, style, _ = _MARKS[finding.level]
    text = Text.assemble((sign, style), f" {padded(finding.about, wide)}  {finding.what}")
    if finding.where:
        text.append(f"  {finding.where}", "dim")
    if finding.mend:
        text.append(f"\n  {'':<{wide}}  → ", style).append(finding.mend, "bold")
    return text
