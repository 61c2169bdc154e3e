"""Run checks, each in a place of its own, and keep what they came to."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from trialbalance.grading.check import DRIVERS, Check, CheckSet
from trialbalance.grading.errors import Failed, GraderFault
from trialbalance.grading.evidence import Evidence, Settler
from trialbalance.grading.expect import ended
from trialbalance.grading.place import Ground, Place
from trialbalance.grading.result import CheckResult, Status, check_result


class Progress(NamedTuple):
    """Told to whoever watches a grade: `stage` is `check`, `result` or `build`."""

    stage: str
    name: str
    detail: str = ""


Watch = Callable[[Progress], None]


@dataclass
class _Played:
    """What a scenario came to: a value, or the error that every check of it gets."""

    value: Any
    error: Exception | SystemExit | None
    evidence: Evidence
    drawn: list[str]


class Runner:
    """Judges the checks of one grade, one after the other. The order does not matter to the results."""

    def __init__(self, ground: Ground, checks: CheckSet, watch: Watch) -> None:
        self._ground = ground
        self._checks = {check.id: check for check in checks.checks}
        self._scenarios = checks.scenarios
        self._watch = watch
        self._played: dict[str, _Played] = {}
        self._open: list[Place] = []
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.results: dict[str, CheckResult] = {}
        self.faults: list[str] = []

    def run(self, order: Sequence[str]) -> None:
        """Judge these checks; those they need are judged before them."""
        ended.set(self._ended)
        for name in order:
            if self._ended.is_set():
                return
            self._judge(self._checks[name])

    def stop(self) -> None:
        """End what is running, from another thread; checks that are not done stay not run."""
        self._ended.set()
        with self._lock:
            running = list(self._open)
        for place in running:
            place.end()

    def result(self, check: Check) -> CheckResult:
        """The result of a check, `not_run` when there is none."""
        return self.results.get(check.id) or check_result(check, "not_run", "it was not run")

    def _judge(self, check: Check) -> None:
        if check.id in self.results or self._ended.is_set():
            return
        for need in check.needs:
            self._judge(self._checks[need])
        if any(need not in self.results for need in check.needs):
            return  # the grade was stopped meanwhile
        self._watch(Progress("check", check.id))
        self._ground.log.write(f"=== {check.id}: {check.requirement}")
        broken = next((n for n in check.needs if self.results[n].status != "pass"), None)
        if broken is not None:
            status: Status = "fail" if self.results[broken].status == "fail" else "not_run"
            message = f"it cannot hold, because {broken} does not"
            self._keep(check_result(check, status, message, [{"kind": "needs", "check": broken}]))
            return
        self._try(check)

    def _try(self, check: Check) -> None:
        place = self._place(check.id)
        failed: Failed | None = None
        fault: str | None = None
        evidence: dict[str, object] = {}
        try:
            arguments = self._arguments(check.parameters, place)
            try:
                check.run(**arguments)
            except Failed as error:
                failed = error
            self._after(check, place, failed)
        except Failed as error:  # a scenario's, or the app did not get as far as being driven
            failed = error
        except (Exception, SystemExit) as error:
            fault = self._fault(check.id, error)
        if failed is not None:
            evidence = failed.evidence
        settler = self._settler(check, place)
        self._close(place)
        entries = [*self._told(check), *place.evidence.all()]
        if evidence:
            entries.append({"kind": "failed", **evidence})
        settled = [settler.settled(entry) for entry in entries]
        if fault is not None:
            self._keep(check_result(check, "not_run", fault, settled))
        elif failed is not None:
            self._keep(check_result(check, "fail", settler.text(failed.message), settled))
        else:
            self._keep(check_result(check, "pass", "", settled))

    def _after(self, check: Check, place: Place, failed: Failed | None) -> None:
        """Faults that a check cannot see: it proved nothing, or it failed because the twin broke."""
        if failed is not None:
            broken = place.broken()
            if broken:
                raise GraderFault(f"{failed.message}; but the twin broke: {broken[0]}") from failed
        elif not place.evidence.used and not any(
            self._played[name].evidence.used for name in self._of(check)
        ):
            raise GraderFault("it passed without using a driver, so it proves nothing")

    def _arguments(self, parameters: Sequence[str], place: Place) -> dict[str, Any]:
        return {name: place.driver(name) if name in DRIVERS else self._play(name) for name in parameters}

    def _play(self, name: str) -> Any:
        if name not in self._played:
            scenario = self._scenarios[name]
            self._ground.log.write(f"--- scenario {name}")
            place = self._place(f"scenario-{name}")
            value = None
            error: Exception | SystemExit | None = None
            try:
                value = scenario.run(**self._arguments(scenario.parameters, place))
            except Failed as failed:
                broken = place.broken()
                error = (
                    GraderFault(f"{failed.message}; but the twin broke: {broken[0]}") if broken else failed
                )
            except (Exception, SystemExit) as other:
                self._ground.log.write(traceback.format_exc())
                error = other
            drawn = place.draw.values if "draw" in scenario.parameters else []
            self._close(place)
            self._played[name] = _Played(value, error, place.evidence, drawn)
        played = self._played[name]
        if played.error is not None:
            raise played.error
        return played.value

    def _of(self, owner: Check) -> list[str]:
        """The scenarios of a check that were played, those they build on first, up to the one that failed.

        What comes after a failure is not the check's, although another check may have played it before.
        """
        found: list[str] = []

        def visit(parameters: Sequence[str]) -> bool:
            for name in parameters:
                if name not in self._played or name in found:
                    continue
                whole = visit(self._scenarios[name].parameters)
                found.append(name)
                if not whole or self._played[name].error is not None:
                    return False
            return True

        visit(owner.parameters)
        return found

    def _told(self, check: Check) -> list[dict[str, Any]]:
        return [
            {"scenario": name, **entry}
            for name in self._of(check)
            for entry in self._played[name].evidence.all()
        ]

    def _settler(self, check: Check, place: Place) -> Settler:
        settler = place.settler()
        for name in self._of(check):
            settler.keep(self._played[name].drawn)
        return settler

    def _fault(self, check: str, error: BaseException) -> str:
        self._ground.log.write(traceback.format_exc())
        kind = "" if isinstance(error, GraderFault) else f"{type(error).__name__}: "
        fault = f"{check}: {kind}{error}".strip()
        self.faults.append(fault)
        return fault

    def _place(self, label: str) -> Place:
        place = Place(self._ground, label)
        with self._lock:
            self._open.append(place)
        if self._ended.is_set():
            place.end()
        return place

    def _close(self, place: Place) -> None:
        try:
            place.close()
        finally:
            with self._lock:
                self._open.remove(place)

    def _keep(self, result: CheckResult) -> None:
        if self._ended.is_set():
            return
        self.results[result.id] = result
        self._ground.log.write(f"=== {result.id}: {result.status} {result.message}".rstrip())
        self._watch(Progress("result", result.id, result.status))
