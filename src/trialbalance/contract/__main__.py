"""`python -m trialbalance.contract compile`: rewrite the facts file from the pinned SDK."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

from trialbalance.contract.compile import compile_contract
from trialbalance.contract.model import FACTS


def sdk_root() -> Path:
    """Where the pinned `stripe` package is installed; it is located, never imported."""
    spec = importlib.util.find_spec("stripe")
    if spec is None or spec.origin is None:
        raise SystemExit("contract: the package 'stripe' is not installed; run scripts/bootstrap.sh")
    return Path(spec.origin).parent


def main() -> None:
    """Parse the command line and write the facts file."""
    parser = argparse.ArgumentParser(prog="python -m trialbalance.contract", description=__doc__)
    parser.add_argument("command", choices=["compile"])
    parser.add_argument(
        "--sdk", type=Path, default=None, help="root of the stripe package (default: installed)"
    )
    parser.add_argument(
        "--output", type=Path, default=FACTS, help="file to write (default: the committed facts)"
    )
    arguments = parser.parse_args()
    text = compile_contract(arguments.sdk or sdk_root())
    arguments.output.write_text(text, encoding="utf-8")
    print(f"wrote {arguments.output} ({len(text):,} bytes)")


if __name__ == "__main__":
    main()
