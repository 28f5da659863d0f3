"""``tablekeeper rules``: what a clause says, how it is carried out, and where."""

import argparse
import sys
from typing import Final

from controller.errors import UsageError
from controller.game.options import NAMES, PONTOON_NSW
from controller.rulebook.citations import code_citations
from controller.rulebook.diagram import DIAGRAMS, ROUND, diagram
from controller.rulebook.index import rule_index
from controller.rulebook.tested import kept_tests
from controller.rulebook.words import lacking, listed, told

COMPLETE: Final = 0
SOMETHING_IS_MISSING: Final = 1


def add_rules(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``rules``."""
    command = commands.add_parser(
        "rules", help="the rules: what they say, and where they are carried out"
    )
    command.add_argument(
        "clause", nargs="*", metavar="CLAUSE", help="18.9.5, nz:5.1(a), 1.1 burned; or a rule, 18"
    )
    command.add_argument(
        "--missing", action="store_true", help="what no code carries out or no test shows"
    )
    command.add_argument(
        "--diagram",
        nargs="?",
        const=ROUND,
        choices=DIAGRAMS,
        help="the rows as a Mermaid state diagram (round, if nothing is named)",
    )
    command.add_argument(
        "--game", choices=NAMES, help=f"whose round is drawn ({PONTOON_NSW}, if none is named)"
    )
    command.set_defaults(run=_rules)


def _rules(options: argparse.Namespace) -> int:
    if sum(map(bool, (options.clause, options.missing, options.diagram))) > 1:
        raise UsageError("rules: a CLAUSE, --missing or --diagram, one of them")
    if options.game and options.diagram != ROUND:
        raise UsageError("rules: --game says whose round --diagram draws")
    if options.diagram:
        sys.stdout.write(diagram(options.diagram, options.game or PONTOON_NSW))
        return COMPLETE
    index = rule_index()
    if options.missing:
        lines = lacking(index, code_citations(index), kept_tests())
    elif options.clause:
        number = " ".join(options.clause)
        lines = told(number, index, code_citations(index), kept_tests())
    else:
        lines = listed(index.values())
    for line in lines:
        sys.stdout.write(line + "\n")
    return SOMETHING_IS_MISSING if options.missing and lines else COMPLETE
