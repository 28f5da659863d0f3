"""What an auditor asks of a log: which rounds there were, what happened in one, all of it to take.

``rounds``, ``show``, ``export`` and ``verify`` are the actions of ``tablekeeper log``.  Below them:
``which`` finds the log that is meant and ``when`` the time, ``reading`` reads rows also where the
file is damaged, ``find`` picks one round out of a long log.  ``tally`` adds a round up, ``again``
decides it again, ``story`` puts it together, and ``telling`` tells it: in ``words`` and ``asks``,
with the ``layout`` of the cards, the ``payments`` and the ``prize``.  ``deliver`` and ``formats``
are what ``export`` writes, and how.
"""
