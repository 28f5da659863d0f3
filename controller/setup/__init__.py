"""``tablekeeper setup``: a table's configuration, by questions and by pressing things.

- `answers`    the person: lines typed on any terminal, every wrong one gets another try
- `roles`      what can stand at a table, and how each makes itself known
- `plugging`   which port is meant: the one where something is plugged in
- `trying`     whether it is the right one: it has to say something; `listening` hears it
- `pressing`   what each press means
- `interview`  the questions in their order
- `document`   the configuration as text, with comments
- `service`    what the settings ask of the service's unit, as a drop-in
- `replace`    the file on the disk: checked, the old one kept, replaced in one step
"""
