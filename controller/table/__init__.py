"""One table: an event comes in, it is decided, recorded, and only then acted on.

``state`` is what is known, ``decide`` what an event makes of it (with ``cards``, ``devices`` and
``controls`` beside it), ``record`` how that becomes rows of the log, ``owner`` the loop that
does one after the other, ``resume`` how a table goes on after a cut, ``view`` what may be seen.
"""
