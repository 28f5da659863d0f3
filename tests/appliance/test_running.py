"""The table under systemd: opened, seen, stopped in mid-round and gone on with."""

import time

from tests.appliance.figures import Figures
from tests.appliance.table_pc import CONFIG, GAVE_UP, UNIT, TablePC, layout
from tests.system.processes import eventually


def test_it_is_ready_when_the_table_is_open(pc: TablePC, figures: Figures) -> None:
    figures.note("start to READY, a new table", pc.start())

    assert pc.machine.show(UNIT, "ActiveState", "SubState", "NRestarts") == {
        "ActiveState": "active",
        "SubState": "running",
        "NRestarts": "0",
    }
    with pc.talk() as talk:  # at once: ready means that the socket answers
        talk.until(lambda view: view["devices"]["shoe"]["online"], "the shoe is there")
        assert talk.hello["table"] == "Table 7"
    assert pc.status().startswith("round 1, wagers")


def test_it_runs_as_its_own_user_and_only_the_group_may_talk_to_it(pc: TablePC) -> None:
    pc.start()
    machine = pc.machine

    user = machine.run("stat", "--format=%U:%G", f"/proc/{pc.pid}").stdout
    assert user == "tablekeeper:tablekeeper-watch\n"
    modes = machine.run(
        "stat", "--format=%U:%G %a", "/run/tablekeeper", "/run/tablekeeper/control.sock"
    )
    assert modes.stdout.splitlines() == [
        "tablekeeper:tablekeeper-watch 750",
        "tablekeeper:tablekeeper-watch 660",
    ]
    state = machine.run(
        "stat", "--format=%U %a", "/var/lib/tablekeeper", "/var/lib/tablekeeper/log"
    )
    assert state.stdout.splitlines() == ["tablekeeper 700", "tablekeeper 700"]


def test_a_round_is_played_and_systemctl_shows_where_it_is(pc: TablePC) -> None:
    pc.start()
    with pc.talk() as talk:
        state = pc.deal(talk)["state"]
        eventually(lambda: pc.status() == f"round 1, {state}", "the status tells the round")
        assert pc.finish(talk)["round"] == 2


def test_stopped_in_mid_round_the_table_goes_on_where_it_was(pc: TablePC, figures: Figures) -> None:
    pc.start()
    with pc.talk() as talk:
        before = layout(pc.deal(talk))
    figures.note("stop in mid-round", pc.stop())
    assert pc.machine.show(UNIT, "Result", "NRestarts") == {"Result": "success", "NRestarts": "0"}
    assert pc.note() == ""
    figures.note("start to READY in mid-round", pc.start())

    with pc.talk() as talk:
        assert layout(talk.view) == before
        pc.finish(talk)
    intact = pc.machine.run("tablekeeper", "log", "verify", "/var/lib/tablekeeper", check=False)
    assert intact.returncode == 3, intact.stdout  # intact, and the run has not ended yet


def test_killed_in_mid_round_the_table_is_back_by_itself(pc: TablePC, figures: Figures) -> None:
    pc.start()
    with pc.talk() as talk:
        before = layout(pc.deal(talk))
    began = time.monotonic()
    pc.machine.run("systemctl", "kill", "--signal=KILL", UNIT)
    pc.machine.until(UNIT, NRestarts="1", ActiveState="active")
    figures.note("killed to READY in mid-round", time.monotonic() - began)

    with pc.talk() as talk:
        assert layout(talk.view) == before
        pc.finish(talk)


def test_the_machine_opens_the_table_when_it_is_switched_on(pc: TablePC) -> None:
    wanted = pc.machine.run("systemctl", "show", "multi-user.target", "--property=Wants").stdout
    assert UNIT in wanted


def test_settings_that_are_wrong_are_told_once_and_not_tried_again(pc: TablePC) -> None:
    pc.write(CONFIG, "[table]\nname = 'Table 7'\ncolour = 'green'\n")
    done = pc.machine.run("systemctl", "start", UNIT, check=False)
    assert done.returncode != 0
    pc.machine.until(GAVE_UP, ActiveState="inactive", Result="success")
    eventually(lambda: bool(pc.note()), "the note is there")

    assert pc.restarts == 0
    assert pc.machine.show(UNIT, "ActiveState", "ExecMainStatus") == {
        "ActiveState": "failed",
        "ExecMainStatus": "78",
    }
    for words in ("THE TABLE HAS STOPPED", "settings or its log", "table.colour is not known"):
        assert words in pc.note()
