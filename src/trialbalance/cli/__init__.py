"""The command line: thin; everything it does can be done from Python too."""

from trialbalance.cli.app import cli, main

__all__ = ["cli", "main"]
