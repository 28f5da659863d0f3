"""The whole examination, one matter after the other."""

from collections.abc import Iterator
from pathlib import Path

from controller.doctor import (
    access,
    allowed,
    clock,
    configuration,
    disk,
    outranked,
    ports,
    service,
    thieves,
    udev,
    versions,
)
from controller.doctor.finding import Finding
from controller.doctor.machine import Machine
from controller.doctor.patient import Patient
from controller.doctor.user import table_user


def examine(config: Path | None, machine: Machine) -> tuple[Patient, list[Finding]]:
    """Look at everything; ``config`` None means the usual file."""
    unit = service.unit_of(machine)
    user = table_user(machine, unit)
    settings, said = configuration.read(config, machine)
    patient = Patient(machine, settings, unit, user)
    if settings is not None:
        said.extend(configuration.check(settings, user, machine))
    said.extend(_rest(patient))
    return patient, said


def _rest(patient: Patient) -> Iterator[Finding]:
    yield from ports.check(patient)
    yield from thieves.check(patient.machine)
    yield from udev.check(patient.machine)
    yield from access.check(patient)
    yield from allowed.check(patient)
    yield from disk.check(patient)
    yield from outranked.check(patient)
    yield from clock.check(patient)
    yield from service.check(patient)
    yield from versions.check(patient)
