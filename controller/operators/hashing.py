"""A PIN's hash: slow, salted, and of no use without the pepper."""

import hmac
import os
from hashlib import sha256
from typing import Final, Self

import msgspec
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

COST: Final = 1 << 15
"""scrypt's N: with a block size of 8 it takes 32 MiB, and about a tenth of a second."""
BLOCK: Final = 8
LANES: Final = 1
SALT_BYTES: Final = 16
HASH_BYTES: Final = 32


class Secret(msgspec.Struct, frozen=True):
    """What is kept of a PIN, with what it was made by, so that the cost can rise later."""

    salt: bytes
    hash: bytes
    cost: int = COST
    block: int = BLOCK
    lanes: int = LANES

    @classmethod
    def of(cls, pepper: bytes, name: str, role: str, pin: str) -> Self:
        """Return what is kept of a new PIN."""
        salt = os.urandom(SALT_BYTES)
        return cls(salt, _derive(_peppered(pepper, name, role, pin), salt, COST, BLOCK, LANES))

    def is_of(self, pepper: bytes, name: str, role: str, pin: str) -> bool:
        """Tell whether it is the PIN's, in a time that does not depend on what differs."""
        peppered = _peppered(pepper, name, role, pin)
        derived = _derive(peppered, self.salt, self.cost, self.block, self.lanes)
        return hmac.compare_digest(derived, self.hash)

    @property
    def mark(self) -> str:
        """What tells it from any other and says nothing of the PIN: 32 hex digits."""
        return sha256(self.salt + self.hash).hexdigest()[:32]


NOBODYS: Final = Secret(bytes(SALT_BYTES), bytes(HASH_BYTES))
"""No PIN's: tried for a name that nobody has, so that it takes as long."""


def mark_of(pepper: bytes) -> bytes:
    """Return what tells one pepper from another and says nothing of it."""
    return hmac.digest(pepper, b"tablekeeper operators", sha256)


def stand_in(pepper: bytes, name: str) -> str:
    """Return what wrong PINs for a name that nobody has are counted under: never the name itself.

    It may be a PIN that was typed in the wrong place.  There are 65,536, however many are tried.
    """
    return f"?{hmac.digest(pepper, b'stranger' + name.encode(), sha256).hex()[:4]}"


def _peppered(pepper: bytes, name: str, role: str, pin: str) -> bytes:
    """Mix in the pepper; a hash copied to another name or role is of no PIN there."""
    return hmac.digest(pepper, f"{name}\0{role}\0{pin}".encode(), sha256)


def _derive(peppered: bytes, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    return Scrypt(salt=salt, length=HASH_BYTES, n=cost, r=block, p=lanes).derive(peppered)
