"""The one error a person at the control socket can cause."""


class Refused(Exception):
    """A request that cannot be done; the text says why and what can."""
