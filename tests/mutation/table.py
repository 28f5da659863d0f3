"""All mutants, and the clauses that have none, with the reason."""

from typing import Final

from tests.mutation.clauses.new_zealand import NEW_ZEALAND
from tests.mutation.clauses.prompted import PROMPTED
from tests.mutation.clauses.rule_18 import RULE_18
from tests.mutation.clauses.rules_1_to_9 import RULES_1_TO_9
from tests.mutation.clauses.rules_10_to_17 import RULES_10_TO_17

MUTANTS: Final = (*RULES_1_TO_9, *RULES_10_TO_17, *RULE_18, *NEW_ZEALAND, *PROMPTED)

WITHOUT: Final[dict[str, str]] = {}
"""Clauses, decided or prompted, that no line can break: why."""
