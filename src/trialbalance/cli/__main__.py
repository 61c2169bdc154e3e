"""`python -m trialbalance.cli`."""

from trialbalance.cli.app import main

main()
