"""The terminal view: ``screen`` draws a table's view, ``lines`` tells its events one by one.

``watch`` shows a running table and takes the dealer's keys.
"""
