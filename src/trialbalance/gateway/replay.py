"""Reads a replay file, whichever kind it is."""

from pathlib import Path

from trialbalance.gateway.errors import ReplayError
from trialbalance.gateway.recorded import RecordedModel
from trialbalance.gateway.reply import Replay
from trialbalance.gateway.scripted import ScriptedModel


def load_replay(path: Path) -> Replay:
    """A recording (`.jsonl`) or a script (`.yaml`); raises `ReplayError` in one line."""
    if not path.is_file():
        raise ReplayError(f"{path}: there is no such file to replay")
    if path.suffix == ".jsonl":
        return RecordedModel(path)
    if path.suffix in (".yaml", ".yml"):
        return ScriptedModel(path)
    raise ReplayError(f"{path}: a replay is a recording (calls.jsonl) or a script (.yaml)")
