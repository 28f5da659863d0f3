"""The devices on the table: bytes in, device events out; commands in, bytes out.

How to read this package, from the wire upwards:

- ``ports``       opens a device and moves bytes; the only place that knows pyserial and pyusb
- ``angel_eye``, ``bee_tek``, ``pcsensor``, ``boot_keyboard``, ``alpha``   one device each: a pure
  codec, and a ``DRIVER``; ``*_wire`` beside one are its frames
- ``spoiled``     what came and was not understood; ``controls`` what is a press
- ``reference_*`` the drivers of this project's own protocol: shuffling devices, button boxes
- ``attend``      one device's whole life: open, listen, lose, wait, open again
- ``registry``    which drivers there are, also those of other packages; ``matching`` which of them
  can serve what is plugged in
- ``simulated``   the far ends of the wires, a program of its own that nothing here imports

Nothing in here knows what a round is.
"""
