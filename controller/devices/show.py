"""The devices as a person reads them."""

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from controller.devices.gather import Configured, Gathered, Present
from controller.terminal import Terminal

_STATES: Final = {
    "online": ("online", "green"),
    "quiet": ("quiet", "yellow"),
    "waiting": ("waiting", "yellow"),
    "lost": ("lost", "bold red"),
}
_COUNTED_WELL: Final = ("frames", "acks", "duplicates", "retransmissions", "ignored")
"""Counters that tell of no trouble."""


def show(gathered: Gathered, console: Terminal) -> None:
    """Print everything."""
    for number, part in enumerate(_parts(gathered)):
        if number:
            console.print()
        console.print(part)


def _parts(gathered: Gathered) -> Iterator[RenderableType]:
    runs = {True: " · its table runs", False: " · no table runs", None: ""}[gathered.running]
    yield Text.assemble((gathered.table or "no table is configured", "bold"), runs)
    if gathered.configured:
        yield _of_the_table(gathered)
    free = [each for each in gathered.plugged if not each.device]
    if free:
        yield _of_nobody(free, has_table=bool(gathered.configured))
    elif not gathered.unseen:
        yield Text("nothing else is plugged in", "dim")
    if gathered.unseen:
        yield Text("\n").join(Text.assemble(("? ", "cyan"), what) for what in gathered.unseen)


def _of_the_table(gathered: Gathered) -> Table:
    table = _table("device", "driver", "port", "state", "counted")
    for device in gathered.configured:
        port = f"{device.port} ({device.unit})" if _adds(device) else device.port
        words = map(Text, (device.name, device.driver, port))
        table.add_row(*words, _state(device), _counters(device))
    return table


def _adds(device: Configured) -> bool:
    return bool(device.unit) and device.unit not in device.port + device.detail


def _state(device: Configured) -> Text:
    if device.fault:
        return Text(device.fault, "bold red")
    if device.state:
        word, style = _STATES.get(device.state, (device.state, ""))
        text = Text(word, style)
        if device.reconnects:
            text.append(f", back {device.reconnects} times")
        if device.detail:
            text.append(f"\n{device.detail}", "dim")
        return text
    return {
        True: Text("plugged in", "green"),
        False: Text("not there", "bold red"),
        None: Text("cannot be seen", "cyan"),
    }[device.there]


def _counters(device: Configured) -> Text:
    """Show what was counted: good frames, and whatever else is not nought."""
    text = Text()
    for name, count in device.counters.items():
        if count or name == "frames":
            style = "" if name in _COUNTED_WELL else "yellow"
            text.append(", " if text else "").append(f"{name.replace('_', ' ')} {count:,}", style)
    return text


def _of_nobody(free: list[Present], *, has_table: bool) -> Table:
    table = _table("also plugged in" if has_table else "plugged in", "what it is", "can be")
    for each in free:
        what = " ".join(filter(None, [each.what, each.unit if each.unit not in each.port else ""]))
        if each.port != each.node and each.kind == "serial":
            what = f"{what} ({each.node})" if what else each.node
        table.add_row(Text(each.port), Text(what), _drivers(each))
    return table


def _drivers(each: Present) -> Text:
    if not each.drivers:
        return Text("nothing a table knows", "dim")
    names = ", ".join(each.drivers)
    return Text(names, "" if each.known or each.kind == "usb" else "dim")


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
