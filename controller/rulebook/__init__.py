"""The rule index: every clause of the rule texts, how it is carried out, and where.

``nsw.toml`` and ``nz.toml`` hold one entry a clause, ``index`` reads them.  ``numbers`` knows what
a clause number looks like and when a text cites one; ``citations`` finds where this package does,
``tested`` (with ``modules``) where the tests do.  An installed program has no tests beside it, so
``tests.json`` carries their names along, written by ``collect``.  ``coverage`` compares the three,
``words`` tells, ``diagram`` draws the rows, and ``command`` is ``tablekeeper rules``.
"""
