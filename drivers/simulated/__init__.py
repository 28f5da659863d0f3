"""The far ends of the wires: devices that behave, and misbehave on demand.

A program of its own (``python -m drivers.simulated DIR``), at the other end of a pty or of a unix
socket; the controller never imports it.

- ``shoe``, ``bee_tek``, ``shuffler``, ``buttons``, ``keyboard``, ``sign``   one device each, pure
- ``pty_end``, ``port_end``, ``usb_end``   where its cable ends; ``cable`` and ``line`` are how bad
  that is
- ``benched_*``   a device with its cable, and what can be asked of it; ``playback`` is a capture
- ``bench`` puts them together; cards and feet are moved by tests and scripts through ``control``,
  by a person through ``prompt``
"""
