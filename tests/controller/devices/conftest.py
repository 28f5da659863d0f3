"""The tests here run tables; see `tests.system`."""

from tests.system.fixtures import folder, shared_table, table

__all__ = ["folder", "shared_table", "table"]
