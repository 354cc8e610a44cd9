"""Draws twenty rows of the features of the older systems by a fixed seed, and checks that each has a deliberate fault.

The fault of a row disables the behaviour that the row promises, so that a test that the row names must fail. Its name in
`mutants.py` begins with the row's. `python3 -B Tests/Mutants/rows.py` lists the rows; `.ci/machine mutants "row"` runs their
faults.
"""
import random
import re
import sys

from mutants import MUTANTS

SEED = 47
COUNT = 20


def rows():
    """The features in the order of the file, each with its state and the names of its tests."""
    with open("Tests/Evidence/OlderSystems.md") as page:
        lines = [line for line in page if line.startswith("| ") and not line.startswith("| feature |")]
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return [
        (feature, "changed" if "**changed:**" in behaviour else "works", re.findall(r"`([^`]*)`", tests))
        for feature, behaviour, tests in cells
    ]


def drawn():
    # The order of the rows decides, not their states, so that a repaired row draws no others.
    return random.Random(SEED).sample(rows(), COUNT)


def main():
    missing = 0
    for feature, state, tests in drawn():
        faults = [mutant.name for mutant in MUTANTS if mutant.name.startswith(f"row {feature}: ")]
        missing += not faults
        print(f"{feature} ({state}): {'; '.join(faults) or 'NO FAULT'}")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
