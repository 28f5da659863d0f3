"""The table that runs on a PC: its devices on this side of the USB cables, and who talks to it."""

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from drivers.simulated.client import Client as Hands
from tests.appliance.programs import do
from tests.appliance.table_pc import SOCKET, STATE, UNIT, layout
from tests.pc.redirected import Plugged
from tests.pc.units import Acm, Ftdi, Pressed, Unit
from tests.pc.vm import VM
from tests.system.processes import started, tablekeeper
from tests.system.table import rows_of
from tests.system.talk import Row, Talk, View

PATIENCE = 240.0
"""Seconds after which what did not happen is not going to happen, in an emulated machine."""

DEAD_WITHIN = 30.0

SOCKETS = {"shoe": 1, "buttons": 2, "pedal": 3}
"""Which USB socket each device belongs into."""

NAMES = ("shoe", "buttons", "pedal")


class Patient(Talk):
    """A client that knows how slow an emulated machine is."""

    patience = PATIENCE


class Devices:
    """Simulated devices, to be plugged into any PC."""

    def __init__(self, ports: dict[str, str], hands: Hands) -> None:
        self.hands = hands
        self._ports = {name: Path(port.removeprefix("simulated:")) for name, port in ports.items()}

    def unit(self, name: str) -> Unit:
        """Return a device as the USB unit that it is or hangs on."""
        match name:
            case "pedal":
                return Pressed(self._ports[name], 0x0C45, 0x7404, "Pedal")
            case "buttons":
                return Acm(self._ports[name].resolve(), "BUTTONS1")
            case _:
                return Ftdi(self._ports[name].resolve(), f"{name.upper()}1")

    def on_ftdi(self, name: str) -> Unit:
        """Return a device on a cable like that of the shoe."""
        return Ftdi(self._ports[name].resolve(), f"{name.upper()}2")


@contextlib.contextmanager
def devices(folder: Path) -> Iterator[Devices]:
    """Switch simulated devices on."""
    command = [sys.executable, "-m", "drivers.simulated", folder, "--devices", ",".join(NAMES)]
    errors = folder.with_suffix(".err")
    with started([*command, "--until-stdin-closes"], errors=errors) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said, errors.read_text()
        ready = json.loads(said)
        with Hands(Path(ready["control"])) as hands:
            yield Devices(ready["ports"], hands)


class Table:
    """A PC with its devices; a context manager, whose end pulls every cable and the power."""

    def __init__(self, pc: VM, devices: Devices) -> None:
        self.pc = pc
        self.devices = devices
        self._cables: dict[int, Plugged] = {}
        self._watch: Patient | None = None
        self._told: list[Row] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_what: object) -> None:
        self._leave()
        for socket in list(self._cables):
            self.pull(socket)
        self.pc.cut()

    # --- cables -----------------------------------------------------------------------------------

    def plug(self, *names: str) -> None:
        """Plug devices into their sockets."""
        for name in names:
            self.plug_unit(SOCKETS[name], self.devices.unit(name))

    def plug_unit(self, socket: int, unit: Unit) -> None:
        """Plug a unit into a socket."""
        self._cables[socket] = Plugged(self.pc.usb(socket), unit)

    def unplug(self, *names: str) -> None:
        """Pull devices out."""
        for name in names:
            self.pull(SOCKETS[name])

    def pull(self, socket: int) -> None:
        """Pull what is in a socket."""
        self._cables.pop(socket).pull()

    # --- power ------------------------------------------------------------------------------------

    def went_off(self) -> None:
        """Learn that the PC is off; its USB sockets are, too."""
        self._leave()
        for socket in list(self._cables):
            self.pull(socket)

    def panic(self) -> None:
        """Let the kernel of the PC stop dead."""
        with contextlib.suppress(ConnectionError, TimeoutError):
            self.pc.run("sh", "-c", "echo c > /proc/sysrq-trigger", within=DEAD_WITHIN)
        self.pc.wait_off()
        self.went_off()

    def _leave(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    # --- talk -------------------------------------------------------------------------------------

    @property
    def watch(self) -> Patient:
        """Somebody who watches, since whenever the table answered first."""
        if self._watch is None:
            self._watch = self._answered()
        return self._watch

    def _answered(self) -> Patient:
        deadline = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(ConnectionError):
                talk = Patient(self.pc.door(SOCKET))
                talk.watch()
                return talk
            assert time.monotonic() < deadline, f"the table does not answer: {self.journal()}"
            time.sleep(0.2)

    def watch_anew(self) -> View:
        """Talk to the table that was started again."""
        self._leave()
        return self.watch.view

    def until_online(self, *names: str) -> View:
        """Wait until devices are there and well."""

        def well(view: View) -> bool:
            told = [view["devices"][name] for name in names]
            return all(one["online"] and not one["trouble"] for one in told)

        return self._until(well, f"{', '.join(names)} online")

    def until_gone(self, *names: str) -> View:
        """Wait until it is told that devices are gone."""

        def gone(view: View) -> bool:
            return not any(view["devices"][name]["online"] for name in names)

        return self._until(gone, f"{', '.join(names)} gone")

    def _until(self, true, what: str) -> View:
        try:
            return self.watch.until(true, what)
        except AssertionError as late:
            told = {name: one["detail"] for name, one in self.watch.look()["health"].items()}
            raise AssertionError(f"did not happen: {what}; {told}; {self.journal()}") from late

    def journal(self) -> str:
        """Return what the service has said since the boot."""
        return self.pc.sh(f"journalctl --quiet --boot --unit={UNIT} --output=cat | tail -n 40")

    def is_in_trouble(self) -> bool:
        """Wait for the table to say that it cannot record, or for its end."""
        try:
            return bool(self.watch.until(lambda view: view["trouble"], "trouble")["trouble"])
        except ConnectionError:
            return True

    # --- playing ----------------------------------------------------------------------------------

    def draw(self, *cards: str) -> None:
        """Draw cards from the shoe; each is recorded before the next."""
        for card in cards:
            self.devices.hands.ask("draw", device="shoe", card=card)
            self._told += self.watch.event("card-out")

    def must(self, do: str, **fields: object) -> None:
        """Ask for something that has to be accepted."""
        self.watch.must(do, **fields)

    def as_shown(self) -> None:
        """Confirm the layout if the table asks for it, as a dealer does."""
        if self.watch.look()["in_doubt"]:
            self.must("confirm-layout")

    def deal(self) -> View:
        """Begin a round: ann on box 2 has 15 against the dealer's 9 and is in turn."""
        self.until_online("shoe")
        self.as_shown()
        self.must("wager", box=2, player="ann", main=1000)
        self.must("no-more-bets")
        self.draw("KS", "9H", "5D")
        return self.watch.until(lambda view: view["turn"] == {"box": 2, "hand": 1}, "ann in turn")

    def finish(self) -> None:
        """End the round that `deal` began: ann stands on 15 and loses."""
        self.until_online("shoe")
        self.as_shown()
        self.must("stand")
        self.draw("8C")
        view = self.watch.until(lambda view: view["state"] == "final settlement", "it is over")
        (row,) = view["settlements"]
        assert (row["player"], row["result"]) == ("ann", "lose")
        self.must("cleared")

    def lies(self) -> dict[str, object]:
        """Return what lies on the table."""
        return layout(self.watch.look())

    # --- the record -------------------------------------------------------------------------------

    def recorded(self, folder: Path) -> list[Row]:
        """Stop the table; its log verifies and has every row that was told. Return its rows."""
        self._leave()
        self.pc.run("systemctl", "stop", UNIT)
        folder.mkdir()
        packed = folder / "state.tar"
        self.pc.sh(f"tar -C {STATE} -cf /run/state.tar .")
        packed.write_bytes(self.pc.read("/run/state.tar"))
        state = folder / "state"
        state.mkdir()
        state.chmod(0o700)
        do("tar", "-C", state, "--no-same-owner", "-xf", packed)
        verified = tablekeeper("log", "verify", state)
        assert verified.returncode == 0, verified.stdout + verified.stderr
        rows = rows_of(state)
        known = {row["seq"]: row["kind"] for row in rows}
        for told in self._told:
            assert known.get(told["seq"]) == told["kind"], f"told and not recorded: {told}"
        return rows
