"""Places for drivers: real sandboxes with real twins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.grading.build import PlaceOf, start_tree
from trialbalance.grading.log import Log
from trialbalance.grading.place import Ground, Place
from trialbalance.tasks import Task, open_environment


@pytest.fixture
def place_of(tmp_path: Path) -> Iterator[PlaceOf]:
    """Makes places, and closes them."""
    places: list[Place] = []
    with Log(tmp_path / "log.txt") as log:

        def make(task: Task) -> Place:
            ground = Ground(
                task=task,
                tree=start_tree(task),
                scratch=tmp_path / "places",
                screenshots=tmp_path / "screenshots",
                trial_twin=tmp_path / "twin",
                seed=1,
                log=log,
                open=lambda t, tree, scratch, seed: open_environment(t, tree, scratch, seed=seed),
                build=None,
                started=0,
            )
            places.append(Place(ground, f"check-{len(places)}"))
            return places[-1]

        yield make
        for place in places:
            place.close()
