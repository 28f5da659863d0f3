"""Round scripts: one round of play, written down as what happens at the table.

``read`` makes a script of a file and tells every fault in it, ``steps`` lists what can be
written, ``perform`` carries the steps out on a table: ``direct`` in this process, or over the
``wire`` through ports, sockets and processes.  ``result`` is what comes out, and ``play`` the
command.
"""
