"""The people who may authorise at a table: who they are, their PINs, and what a guess costs.

An operator has a name, a role of the rule texts (`controller.table.roles`) and a PIN.  They sign in
over the control socket (`controller.service.control`); what is asked on that connection is asked
by their role, and the event log says who asked.  ``tablekeeper operators`` adds, lists and disables
them and gives another PIN; a name stays its owner's for good.

Where it lies, in the table's state folder, each for the folder's owner alone (0600):

``operators.db``
    SQLite: names, roles, the PINs' scrypt hashes, wrong PINs counted, changes not yet in the log.
``pepper``
    32 random bytes that go into every hash.  A backup of ``operators.db`` without this file is of
    no use to somebody who guesses PINs, so keep the two backups apart.  Both are needed to go on:
    without its pepper no PIN can be checked again, and the operators are added anew.

The event log outranks the file (`controller.operators.roll`).  It has who was added, got another
PIN (by a mark of its hash) or was disabled, and who gave wrong PINs.  The two are compared when a
table starts, whenever the file was written or exchanged, and at each sign-in.  Whoever is disabled
in the log, has another role or PIN there, or is not in it, is not let in; a name that the log has
as disabled is nobody's again; wrong PINs count on from the log's count.  Every difference, also
that people are missing, is an alarm and a row ``operators-differ``; ``doctor`` and ``operators
list`` say it too, with the command that mends it.  Play goes on: no sign-in is needed for dealing.
Neither is used, and no table starts, while others may read it, or where a link or a pipe lies in
its place (`controller.custody`).

What this protects against:

- An ``operators.db`` put back from yesterday, alone or with its pepper, changed by hand, emptied
  or removed: see above.
- A dealer who asks for what a supervisor must authorise, and who only *says* to be one.
- Guessing at the table: five wrong PINs in a row lock the operator out, each further one for twice
  as long, up to 15 minutes.  The count is on disk before a PIN is looked at, so that neither
  killing the controller nor pulling the plug gives a guess for nothing.  Time is the machine's
  own since its start: setting the clock changes nothing, and after a restart of the machine the
  remaining lock begins anew.
- Guessing from a stolen ``operators.db``: each guess needs the pepper too.  A hash is bound to its
  operator's name and role, so a role changed in the file makes the PIN wrong.
- Finding out names: one that nobody has is answered in the same words and the same time, and is
  locked out in the same way (by one of 65,536 numbers, not by name: it may be a mistyped PIN).
  Who watches is told nothing of a sign-in that was refused.
- Keeping others from signing in: users take turns at having PINs tried, and who has left is passed
  over, so that nobody waits for more than one PIN of each other user.
- A PIN left lying about: it is in no event, journal line, capture, error or command line.
- A dispute: who signed in or out, was refused, added, given another PIN or disabled is an event of
  the log, with the process and user that did it.

What it does not protect against:

- Whoever may write the state folder, as the table's own user or root: they can read the pepper,
  replace the program, and add operators by the command or as the command does.  Without a row in
  the log nobody is let in, so the log has who was added, and by which user and process.
- Guessing with both files in hand: all 10,000 PINs of four digits take one core half an hour.
- A PIN that is watched while it is typed, lent, or caught by a program on the screen's machine.
- A supervisor who walks away signed in: it ends with the connection or after ten minutes without
  a request, whichever comes first.
- Names are no secret from who watches: the table tells who has signed in, as the screen does.
- Being locked out on purpose by somebody who may open the control socket: each lock is bounded and
  every wrong PIN is in the log with its process and user.
- Guesses spread over all operators: each is counted alone.
- What the table's own pedal and keys can do: they are the dealer's, whoever presses them.
"""
