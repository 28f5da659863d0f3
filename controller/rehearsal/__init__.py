"""A table without hardware: the real controller and simulated devices, each a process of its own.

The demo and ``play --over wire`` both stand on it.  Nothing of the simulated devices is imported:
they are another program, spoken to over its control socket.
"""
