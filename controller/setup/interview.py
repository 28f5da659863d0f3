"""The questions in their order, and the configuration that the answers make."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from controller.game.options import NAMES, PONTOON_NSW
from controller.settings import LONGEST_SOCKET, USUAL_SOCKET, USUAL_STATE, read_game
from controller.setup import pressing
from controller.setup.answers import Person
from controller.setup.listening import listening
from controller.setup.plugging import KEEP, Choice, Plugging
from controller.setup.roles import OTHERS, SOURCES, Part
from controller.setup.trying import try_it
from drivers.driver import Driver
from drivers.matching import knows, loadable, matching
from drivers.ports.plugged import Plugged

Document = dict[str, Any]

STATE: Final = str(USUAL_STATE)


class Interview:
    """Asks for everything; `document` is what came of it."""

    def __init__(self, person: Person, old: Document, folder: Path | None) -> None:
        """Take who is asked, the old configuration ({} if there is none), and a folder of
        simulated devices to be looked at too.
        """
        self._person = person
        self._old = old
        self._plugging = Plugging(person, folder)
        self._drivers, self._broken = loadable()
        self._devices: dict[str, Document] = {}
        self._controls: dict[str, str] = {}

    async def document(self) -> Document:
        """Ask, and return the configuration."""
        for fault in self._broken:
            self._person.kindly(fault)
        table = await self._table()
        parts = await self._source()
        table["source"] = parts[0].name
        self._keep_strangers()
        for part in (*parts, *OTHERS):
            self._person.say()
            await self._part(part, table["game"], needed=part in parts)
        document = {**self._old, "table": table, "devices": self._devices}
        document.pop("game", None)
        document.pop("controls", None)
        if game := self._game_options(table["game"]):
            document["game"] = game
        if self._controls:
            document["controls"] = self._controls
        order = ("table", "game", "devices", "controls")
        return {key: document[key] for key in (*order, *document) if key in document}

    # --- the table ---------------------------------------------------------------------------

    async def _table(self) -> Document:
        old = dict(self._old.get("table", {}))
        name = await self._person.ask("Name of the table", old.get("name", "Table 1"), _shown)
        games = list(NAMES)
        usual = games.index(old.get("game", PONTOON_NSW))
        game = games[await self._person.choose("Game", games, usual)]
        state = old.get("state", STATE)
        state = await self._person.ask("Folder for the record of all rounds", state, _folder)
        if state != old.get("state"):
            old.pop("socket", None)
            if state == STATE:
                old["socket"] = str(USUAL_SOCKET)
        return {**old, "name": name, "game": game, "state": state}

    def _game_options(self, game: str) -> Document:
        """Return the old options of the game, unless another is played now."""
        options: Document = self._old.get("game", {})
        if options and game != self._old["table"]["game"]:
            self._person.kindly(f"the options of {self._old['table']['game']} are left out")
            return {}
        return options

    async def _source(self) -> tuple[Part, ...]:
        words = list(SOURCES)
        names = [{part.name for part in SOURCES[each]} for each in words]
        old = {*self._old.get("devices", {})}
        fitting = [number for number, each in enumerate(names) if each <= old]
        usual = max(fitting, key=lambda number: len(names[number]), default=0)
        return SOURCES[words[await self._person.choose("Cards come from", words, usual)]]

    # --- its devices -------------------------------------------------------------------------

    def _keep_strangers(self) -> None:
        """Keep the devices that nothing is asked of, as they are."""
        asked = {part.name for parts in SOURCES.values() for part in parts}
        asked |= {part.name for part in OTHERS}
        for name, device in self._old.get("devices", {}).items():
            if name not in asked:
                self._person.say(f"{name} stays as it is: {device['driver']} at {device['port']}")
                self._keep(name, device)

    def _keep(self, name: str, device: Document) -> None:
        controls: Mapping[str, str] = self._old.get("controls", pressing.usual(name))
        self._take(name, device, {c: a for c, a in controls.items() if c.startswith(f"{name}.")})

    def _take(self, name: str, device: Document, controls: Mapping[str, str]) -> None:
        self._devices[name] = device
        self._plugging.take(device["port"], device["driver"])
        self._controls |= controls

    async def _part(self, part: Part, game: str, *, needed: bool) -> None:
        drivers = [driver for driver in self._drivers if driver.role == part.role]
        old = self._old.get("devices", {}).get(part.name)
        while True:
            kept = old["port"] if old else None
            found = await self._plugging.find(part.words, drivers, kept, needed=needed)
            if isinstance(found, Choice):
                if found == KEEP:
                    self._keep(part.name, old)
                return
            driver = await self._driver(found, drivers)
            options = dict(old.get("options", {})) if old and old["driver"] == driver.name else {}
            if _is_virtual(found) and driver.line(options).framing != "8N1":
                options["framing"] = "8N1"  # such a line knows no parity
            if part.role == "buttons":
                options["boxes"] = await self._boxes(game, options)
            heard = await try_it(self._person, part, driver, found.port, options)
            if heard is None:
                continue
            if heard.said:
                controls = await self._meanings(part, driver, found.port, options)
            else:
                controls = _usual_controls(part, options)
            device = {"driver": driver.name, "port": found.port}
            self._take(part.name, device | ({"options": options} if options else {}), controls)
            return

    async def _driver(self, found: Plugged, drivers: list[Driver]) -> Driver:
        fitting = matching(found, drivers)
        known = [driver for driver in fitting if knows(found, driver)]
        choices = known or fitting or [each for each in drivers if found.kind in each.ports]
        if len(choices) == 1:
            return choices[0]
        names = [driver.name for driver in choices]
        return choices[await self._person.choose("Which make is it?", names)]

    async def _boxes(self, game: str, options: Document) -> int:
        most = read_game(game, self._game_options_of(game)).boxes

        def check(text: str) -> int:
            if text.isascii() and text.isdigit() and 1 <= int(text) <= 9:
                return int(text)
            raise ValueError(f"{text!r} is no number of boxes: type a number from 1 to 9")

        return await self._person.ask("How many boxes have buttons", _usual(options, most), check)

    def _game_options_of(self, game: str) -> Document:
        same = game == self._old.get("table", {}).get("game")
        return self._old.get("game", {}) if same else {}

    async def _meanings(
        self, part: Part, driver: Driver, port: str, options: Document
    ) -> dict[str, str]:
        """Return what the presses of a device mean, by pressing where that is wanted."""
        usual = _usual_controls(part, options)
        if part.role == "pedal":
            actions: Sequence[str] = pressing.ON_A_PEDAL
        elif part.role == "keys":
            # Asked while nothing listens: it may be the keyboard that the answer is typed on.
            question = "Do its keys mean the usual (1 to 9, =, D, P, F, S, I, E, Enter, .)"
            if await self._person.agrees(question):
                return usual
            actions = pressing.ON_KEYS
        else:
            return usual
        before = self._old.get("controls", usual)
        before = {c: a for c, a in before.items() if c.startswith(f"{part.name}.")}
        async with listening(part.name, driver, port, options) as ear:
            return await pressing.map_presses(self._person, ear, part.name, actions, before)


def _usual(options: Document, most: int) -> str:
    return str(options.get("boxes", most))


def _usual_controls(part: Part, options: Document) -> dict[str, str]:
    usual = pressing.usual(part.name)
    if part.role != "buttons":
        return usual
    boxes = {str(number) for number in range(1, options["boxes"] + 1)}
    return {c: a for c, a in usual.items() if c.rpartition("-")[2] in boxes}


def _is_virtual(found: Plugged) -> bool:
    return found.kind == "serial" and found.node.startswith("/dev/pts/")


def _shown(text: str) -> str:
    if not text.strip():
        raise ValueError("a name is a word or a few, that can be shown")
    return text


def _folder(text: str) -> str:
    if not text.startswith("/"):
        raise ValueError(f"{text!r} is no folder: write it from / on, as {STATE}")
    if len(os.fsencode(f"{text}/control.sock")) > LONGEST_SOCKET:
        raise ValueError("that is too long for the table's socket: take a shorter one")
    return text.rstrip("/") or text
