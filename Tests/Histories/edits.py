"""A suite whose file a program edits that does not lock: what it may undo, and nothing else.

Each number is set by one thread, to larger and larger values. The program reads the file, and later replaces it by what it
has read, with a change. It may undo what was not yet in the file that it has read, and what is set until it has replaced it.
"""
import bisect

from notes import COPY, EDIT, READ, WRITE
from registers import FOREVER, Violation, end_current


def renames(notes):
    """The times at which the file was replaced: from, to. A killed edit ends before the next life of its worker begins."""
    edits, begins = [], {}
    for note in notes:
        begins[note[0].process] = min(note[1], begins.get(note[0].process, FOREVER))
    for thread, call, answer, kind, *_ in notes:
        if kind == EDIT:
            following = [time for (worker, life), time in begins.items() if worker == thread.worker and life > thread.life]
            edits.append((call, answer or min(following, default=FOREVER)))
    return sorted(edits)


def latest(pairs):
    """For times and values: the times in order, and the largest value until each."""
    times, values = [], []
    for time, value in sorted(pairs):
        times.append(time)
        values.append(max(value, values[-1] if values else 0))
    return times, values


def check(notes):
    """Judges all numbers of a history with edits."""
    edits = renames(notes)
    if not edits:
        return
    ends = latest(edits)
    numbers = {}
    for note in notes:
        if note[3] not in (EDIT,):
            numbers.setdefault(note[4], []).append(note)
    for number in numbers.values():
        try:
            check_number(number, ends)
            end_current(number)
        except Violation as violation:
            violation.notes = [note for note in notes if note[3] == EDIT or note[4] == number[0][4]]
            raise


def check_number(notes, ends):
    copies = latest((note[2], note[6]) for note in notes if note[3] == COPY and note[2])
    writes = sorted(note for note in notes if note[3] == WRITE)
    called = {note[5]: note[1] for note in writes}
    answered = latest((note[2], note[5]) for note in writes if note[2])
    for thread, call, answer, kind, key, _, value, *_ in notes:
        if kind not in (READ, COPY) or not answer:
            continue
        if value and called.get(value, FOREVER) > answer:
            raise Violation("unwritten", f"{value} was found by {thread} at {call}, and nobody had written it")
        floor = before(copies, call)
        if value < floor:
            raise Violation("copied", f"{thread} found {value} at {call}, and the program that edits had found {floor}")
        if kind == READ:
            last = before(answered, call)
            # It is at risk if a file came until it was called, or comes until the read ends.
            if value < last and called[last] > before(ends, answer):
                raise Violation("kept", f"{thread} found {value} at {call}, and {last} was set after the last edit")


def before(pairs, time):
    """The largest value before a time."""
    times, values = pairs
    place = bisect.bisect_left(times, time)
    return values[place - 1] if place else 0
