"""Judges a history by all rules, and shrinks one that breaks a rule."""
import time

import notes as noting
import registers
import streams
import transactions
from registers import Violation

CHECKS = (registers.check, transactions.check, streams.check_log, streams.check_feed, streams.check_complete)
RULES = {"linearizable", "unwritten", "monotonic", "current", "lists", "atomic", "serializable", "real time", "order", "gap",
         "missing", "feed"}


def verdict(notes):
    """The rule that a history breaks, as a `Violation`, or `None`."""
    for check in CHECKS:
        try:
            check(notes)
        except Violation as violation:
            return violation
    return None


def shrink(notes, limit=20):
    """Removes calls for as long as the rest breaks the same rule, for at most so many seconds."""
    end, rule = time.monotonic() + limit, verdict(notes).rule

    def is_broken(units):
        found = verdict([note for unit in units for note in unit])
        return found is not None and found.rule == rule

    units = []
    for thread in sorted({note[0] for note in notes}):
        units += noting.units([note for note in notes if note[0] == thread])
    size = len(units)
    while size and time.monotonic() < end:
        size = max(1, size // 2)
        place = 0
        while place < len(units) and time.monotonic() < end:
            rest = units[:place] + units[place + size:]
            if is_broken(rest):
                units = rest
            else:
                place += size
        if size == 1:
            break
    return [note for unit in units for note in unit]
