"""A serial cable that can be bad in every way that cables were seen to be bad.

Pure: frames in, the pieces in which they arrive out.
"""

from collections.abc import Callable, Mapping

from drivers.simulated.refused import Refused

SWITCHES: Mapping[str, str] = {
    "duplicate": "how often each frame is sent; 0 is never",
    "fragment": "pieces of so many bytes",
    "merge": "held back until so many frames are there, then sent in one piece",
    "reorder": "the next frame arrives behind the one after it, once",
    "drop": "the byte with this index is missing from the next frame, once",
    "flip": "this bit is wrong in the next frame, once",
    "junk": "these bytes, in hexadecimal, before each frame",
    "wrong-check": "the check characters of every frame are wrong",
    "silent": "nothing arrives",
}
"""Name to meaning.  None and false switch off, and so does 0 but for drop, flip and duplicate."""

COPIES = 3
"""How often an Angel Eye shoe sends each frame."""


def wrong_end(frame: bytes) -> bytes:
    """Return *frame* with another last character."""
    return frame[:-1] + (b"0" if frame[-1:] != b"0" else b"1")


class Cable:
    """The way from a device to the host."""

    def __init__(
        self, copies: int = COPIES, wrong_check: Callable[[bytes], bytes] | None = wrong_end
    ) -> None:
        """Start as a good cable.

        *copies* is how often the device sends each frame; *wrong_check* makes the check of a frame
        wrong, None for frames that have none.
        """
        self.switches: dict[str, int | str | bool] = {}
        self._copies = copies
        self._wrong_check = wrong_check
        self._held: list[bytes] = []
        self._overtaken: list[bytes] = []

    def set(self, name: str, value: float | str | bool | None) -> list[bytes]:  # noqa: FBT001
        """Set a switch; return the pieces that it releases.

        Raises:
            Refused: there is no such switch, or it does not take this value.

        """
        if name not in SWITCHES:
            known = "; ".join(f"{each}: {meaning}" for each, meaning in SWITCHES.items())
            raise Refused(f"there is no switch {name!r}; there are {known}")
        if name == "wrong-check" and self._wrong_check is None:
            raise Refused("the frames of this device have no check that could be wrong")
        zero_is_off = name not in {"drop", "flip", "duplicate"}
        if value is None or value is False or (zero_is_off and value in (0, "")):
            self.switches.pop(name, None)
        else:
            self.switches[name] = _checked(name, value)
        if "merge" not in self.switches:
            held, self._held = b"".join(self._held), []
            return [held] if held else []
        return []

    def carry(self, frames: list[bytes]) -> list[bytes]:
        """Return the pieces in which *frames* arrive."""
        if frames and self.switches.pop("reorder", False):
            self._overtaken, frames = frames[:1], frames[1:]
        if frames and self._overtaken:
            frames, self._overtaken = [frames[0], *self._overtaken, *frames[1:]], []
        copies = self._number("duplicate", self._copies)
        damaged = [self._damage(frame) for frame in frames for _ in range(copies)]
        if self.switches.get("silent"):
            return []
        if merge := self._number("merge", 0):
            self._held += damaged
            if len(self._held) < merge:
                return []
            damaged, self._held = [b"".join(self._held)], []
        piece = self._number("fragment", 0)
        return [part for whole in damaged for part in _cut(whole, piece)]

    def _damage(self, frame: bytes) -> bytes:
        if self.switches.get("wrong-check") and self._wrong_check is not None:
            frame = self._wrong_check(frame)
        if "drop" in self.switches:
            index = self._once("drop")
            frame = frame[:index] + frame[index + 1 :]
        if "flip" in self.switches:
            byte, bit = divmod(self._once("flip"), 8)
            frame = bytes(each ^ (1 << bit if at == byte else 0) for at, each in enumerate(frame))
        return bytes.fromhex(str(self.switches.get("junk", ""))) + frame

    def _number(self, name: str, otherwise: int) -> int:
        return int(self.switches.get(name, otherwise))

    def _once(self, name: str) -> int:
        return int(self.switches.pop(name))


def _cut(whole: bytes, size: int) -> list[bytes]:
    if not size:
        return [whole]
    return [whole[at : at + size] for at in range(0, len(whole), size)]


def _checked(name: str, value: float | str | bool) -> int | str | bool:  # noqa: FBT001
    if name == "junk":
        try:
            return bytes.fromhex(str(value)).hex()
        except ValueError:
            raise Refused(f"junk must be bytes in hexadecimal, not {value!r}") from None
    if name in {"wrong-check", "silent", "reorder"}:
        if value == 1:
            return True
        raise Refused(f"{name} is true or false, not {value!r}")
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Refused(f"{name} must be a whole number from 0, not {value!r}")
    return value
