"""Judges a history by all rules, and shrinks one that breaks a rule."""
import time

import edits
import jobs
import notes as noting
import registers
import streams
import transactions
import worlds
from registers import Violation

CHECKS = (worlds.check_active, worlds.check_existing, worlds.check_tokens, registers.check, transactions.check,
          streams.check_log, streams.check_feed, streams.check_complete, jobs.check, edits.check)
RULES = {"linearizable", "unwritten", "monotonic", "current", "lists", "atomic", "serializable", "real time", "order", "gap",
         "missing", "feed", "environment", "active", "existence", "token", "claim", "stolen", "fence", "twice", "job", "copied", "kept"}


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
    end, violation = time.monotonic() + limit, verdict(notes)

    def is_broken(notes):
        found = verdict(notes)
        return found is not None and found.rule == violation.rule

    if violation.notes and is_broken(violation.notes):
        notes = violation.notes
    if violation.start:
        moment, value = violation.start
        first = (noting.Thread(0, 0, 0), moment - 1, moment, noting.WRITE, notes[0][4], value, 0, 0, 0)
        later = [first, *[note for note in notes if note[1] >= moment]]
        notes = later if is_broken(later) else notes
    units = []
    for thread in sorted({note[0] for note in notes}):
        units += noting.units([note for note in notes if note[0] == thread])
    size = len(units)
    while size > 1 and time.monotonic() < end:
        size //= 2
        place = 0
        while place < len(units) and time.monotonic() < end:
            rest = units[:place] + units[place + size:]
            if is_broken([note for unit in rest for note in unit]):
                units = rest
            else:
                place += size
    return [note for unit in units for note in unit]
