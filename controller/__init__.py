"""The rules, rounds and log of a card table, and the service that runs them."""
