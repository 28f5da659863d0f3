"""``tablekeeper devices``: what is plugged in, what is configured, and how it does.

`gather` puts the three together; `show` is the table for people.  Nothing is opened.
"""
