"""``tablekeeper doctor``: what a technician would look at under the table, looked at at once.

Read it from `finding` (what is told) over `machine` (what is looked at) to one module for each
matter: `configuration`, `ports`, `thieves`, `udev`, `access`, `allowed` (over `needs`), `disk`,
`outranked`, `clock`, `service`, `versions`.
`examine` puts them together.  Nothing is opened, written or mended.
"""
