"""The long run: ``python tests/oracle/run.py 20000 [SEED]`` plays that many rounds of each game."""

import sys
import time
from collections import Counter

from controller.game.options import NAMES
from tests.oracle.agreement import Disagreement, play_round
from tests.oracle.ended import Ended
from tests.oracle.rare import cases, seen
from tests.oracle.settling import rows


def run(game: str, rounds: int, first: int) -> tuple[Counter[str], Counter[str], list[str]]:
    """Play ``rounds`` rounds from seed ``first``: rare cases, other figures, disagreements."""
    rare: Counter[str] = Counter()
    figures: Counter[str] = Counter()
    complaints: list[str] = []
    for seed in range(first, first + rounds):
        try:
            match = play_round(game, seed)
        except Disagreement as difference:
            complaints.append(str(difference))
            continue
        rare.update(seen(Ended(match.referee, rows(match.referee)[0], match.moves)))
        figures.update(match.answers)
        figures["moves"] += len(match.moves)
        figures.update(
            {f"{mine} cited as {theirs}": n for (mine, theirs), n in match.clauses.items()}
        )
    return rare, figures, complaints


def main(arguments: list[str]) -> int:
    """Play, print what was seen, and return 1 if anything differed."""
    rounds = int(arguments[0]) if arguments else 1000
    first = int(arguments[1]) if len(arguments) > 1 else 0
    differed = False
    for game in NAMES:
        started = time.monotonic()
        rare, figures, complaints = run(game, rounds, first)
        seconds = time.monotonic() - started
        say(f"{game}: {rounds} rounds in {seconds:.1f} s, {len(complaints)} disagreements")
        for name, count in sorted(figures.items()):
            say(f"  {count:8} {name}")
        for case in cases(game):
            say(f"  {rare[case.name]:8} {case.name}")
        for complaint in complaints[:10]:
            say(complaint)
        differed = differed or bool(complaints)
    return 1 if differed else 0


def say(line: str) -> None:
    """Print one line."""
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
