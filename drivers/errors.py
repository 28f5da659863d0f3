"""Every error this package raises on purpose.

The tree says who is at fault, because that decides what happens next::

    DriverError
     +-- LinkLost                   cable, power or permission: tell `Lost`, open again
     +-- ProtocolError
     |    +-- RemoteProtocolError   the device broke its protocol: handled like `LinkLost`
     |    +-- LocalProtocolError    we asked for the impossible: a bug here, never caught
     +-- OptionError                a setting is wrong: do not start
"""


class DriverError(Exception):
    """Root of all errors of this package."""


class LinkLost(DriverError):
    """The device cannot be reached, or no longer.

    Open it again with a new port object; the old one is of no further use than to be closed.
    """

    def __init__(self, why: str) -> None:
        """Keep *why*, a plain sentence for the person who looks at the cable."""
        super().__init__(why)
        self.why = why


class ProtocolError(DriverError):
    """Somebody did not keep to the protocol; see the two kinds."""


class RemoteProtocolError(ProtocolError):
    """The device sent what its protocol does not allow."""


class LocalProtocolError(ProtocolError):
    """This side asked a codec for something its device does not have."""


class OptionError(DriverError):
    """An option, port or driver name in the settings is wrong; the text says what is allowed."""
