"""A script's result, for people."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from controller.characters import padded
from controller.money import show
from controller.scripts.perform import Told, Traced
from controller.scripts.result import Result


def report(path: Path, result: Result) -> Iterator[str]:
    """Yield the lines that tell what came of a script."""
    verdict = "as expected" if result.ok else f"{len(result.failed)} not as expected"
    yield f"{path}: {result.title} [{result.game}] {result.status}, {verdict}"
    for row in result.settlements:
        yield f"  {settlement_line(row)}"
    for row in result.pending:
        yield f"  {padded(_who(row), 28)} {_stake(row)} open"
    for refused in result.refused:
        yield f"  refused: {refused.step}: {refused.why} ({refused.rule})"
    for failed in result.failed:
        yield f"  NOT AS EXPECTED, line {failed.line}: {_words(failed.expected)}"
        for row in failed.instead:
            yield f"      there is: {settlement_line(row)}"
        if not failed.instead:
            yield "      there is no such wager"


def settlement_line(row: dict[str, Any]) -> str:
    """Return one settled wager as a line: who, what, how it ended and what is paid."""
    odds = f" at {row['odds']}" if row["odds"] else ""
    line = f"{padded(_who(row), 28)} {_stake(row)} {row['result']}{odds}"
    if row["pays"]:
        line += f", pays {show(row['pays'])}"
    if row["returns"]:
        line += f", returns {show(row['returns'])}"
    return f"{line} ({row['rule']})"


def _who(row: dict[str, Any]) -> str:
    place = f"box {row['box']} " if row["box"] else ""
    hand = f" hand {row['hand']}" if (row["hand"] or 1) > 1 else ""
    return f"{place}{row['player']} {row['wager']}{hand}"


def _stake(row: dict[str, Any]) -> str:
    return f"{show(row['stake']) if row['stake'] is not None else '-':>8}"


def _words(expected: dict[str, Any]) -> str:
    money = {"stake", "pays", "returns"}
    return ", ".join(
        f"{key} {show(value) if key in money else value}" for key, value in expected.items()
    )


def trace_lines(trace: Sequence[Traced]) -> Iterator[str]:
    """Yield for each step what was written, the bytes it was, the events and the clauses."""
    for traced in trace:
        step = traced.step
        yield f"{step.line:>4}  {step.text}" if step else "      (wager)"
        for told in traced.told:
            yield from _trace_told(told)


def _trace_told(told: Told) -> Iterator[str]:
    for row in told.rows:
        body = row["body"]
        rule = body.get("rule") or body.get("row", {}).get("rule", "")
        raw = f"  bytes {body['raw']}" if body.get("raw") else ""
        clause = f"  by {rule}" if rule else ""
        yield f"        {row['seq']:>5} {row['kind']}{raw}{clause}{_detail(body)}"


def _detail(body: dict[str, Any]) -> str:
    if "why" in body:
        return f": {body['why']}"
    if "card" in body:
        place = (
            f" to box {body['box']}" if body.get("box") else f" to {body.get('to', 'the table')}"
        )
        return f"  {body['card']}{place}"
    if "state" in body and isinstance(body["state"], str):
        return f"  {body['state']}"
    return ""
