"""Registers: a value that is written, updated and read, and its copies in memory.

Each written value is unique in its register, and the first value is 0, which nobody writes.
"""
from notes import CURRENT, EDIT, READ, UPDATE, VALUE, WRITE

FOREVER = 1 << 62
UNKNOWN = -1  # The register of a call that did not return.
UNSEEN = -1  # Any value that nobody found.


class Violation(Exception):
    """A history breaks a rule."""

    def __init__(self, rule, text, start=None):
        super().__init__(f"{rule}: {text}")
        self.rule = rule
        self.start = start  # A time at which the value was certain, and the value.
        self.notes = None  # Those of the register that breaks the rule.


def settled(notes):
    """The calls of a register that happened, with the latest time at which they did.

    A killed call may have happened or not, at any time after its call. If its value was seen, it happened before that was.
    If not, no other call can tell, and it is left out.
    """
    seen, writers = {}, {0: 0}
    for thread, call, answer, kind, key, argument, result, *_ in notes:
        if kind in (WRITE, UPDATE):
            writers[argument] = call
        if answer and kind != WRITE and answer < seen.get(result, FOREVER):
            seen[result] = answer
    for value, time in seen.items():
        if value not in writers:
            raise Violation("unwritten", f"{value} was read, and nobody wrote it")
        if time < writers[value]:
            raise Violation("unwritten", f"{value} was read at {time}, and written from {writers[value]} on")
    calls = []
    for thread, call, answer, kind, key, argument, result, *_ in notes:
        if kind in (WRITE, UPDATE, READ):
            if answer:
                calls.append((call, answer, kind, argument, result))
            elif kind != READ and argument in seen:
                # What a killed update found is not known: it is as good as a write.
                calls.append((call, seen[argument], WRITE, argument, 0))
    return calls


def linearize(calls, value=0):
    """Wing and Gong's search with memory, as Lowe does it: call by call, with all states that are possible.

    A state is the value and which of the pending calls have happened. A read happens as soon as its value is there, which
    never makes anything else impossible. Neither does it if a write whose value nobody found happens just before another
    write, nor if of two killed writes of one value, the one that was called first happens first. Otherwise the calls of
    stopped and killed processes would have too many states.
    """
    found = {result for _, _, kind, _, result in calls if kind != WRITE}
    unseen, events = 0, []  # The pending writes of values that nobody found.
    killed, earlier = {}, {}  # The last killed write of a value, and for each killed write the one before.
    for number, (call, answer, *_) in enumerate(calls):
        events.append((call, 0, number))
        events.append((answer, 1, number))
    events.sort()
    states, pending, free, slots = {(value, 0)}, {}, [1 << place for place in range(255, -1, -1)], {}
    start = (0, value)
    for time, is_answer, number in events:
        if not is_answer:
            _, _, kind, argument, result = calls[number]
            bit = slots[number] = free.pop()
            pending[bit] = (kind, argument, result)
            if kind == WRITE and argument not in found:
                unseen |= bit
            if kind == WRITE and calls[number][1] == FOREVER:
                earlier[bit] = killed.get(argument)
                killed[argument] = bit
            if kind == READ:
                states = {(now, happened | bit if now == result else happened) for now, happened in states}
            continue
        bit = slots.pop(number)
        following, stack, known = set(), [], set()
        for state in states:
            if state[1] & bit:
                following.add((state[0], state[1] ^ bit))
            else:
                stack.append(state)
        while stack:
            now, happened = stack.pop()
            for other, (kind, argument, result) in pending.items():
                if happened & other or kind == READ or (kind == UPDATE and result != now):
                    continue
                first = earlier.get(other)
                if first in pending and not happened & first:
                    continue
                after = happened | other | (unseen if kind == WRITE else 0)
                if argument not in found:
                    argument = UNSEEN
                for reader, (kind, _, wanted) in pending.items():
                    if kind == READ and wanted == argument:
                        after |= reader
                state = (argument, after)
                if state in known:
                    continue
                known.add(state)
                if after & bit:
                    following.add((argument, after ^ bit))
                else:
                    stack.append(state)
        del pending[bit]
        unseen &= ~bit
        free.append(bit)
        if not following:
            call, _, kind, argument, result = calls[number]
            raise Violation(
                "linearizable", f"nothing explains the call at {call}, answered at {time}: argument {argument}, result {result}; "
                f"before, the value was one of {sorted({now for now, _ in states})[:4]}", start)
        states = following
        if not pending and len(states) == 1:
            start = (time, next(iter(states))[0])


def order(notes):
    """Which values are certainly older than others: the run of each value, and its place in the run.

    A write begins a run, and an update continues the run of the value that it found. A run is not interrupted: a run of
    which one call ended before a call of another began is the older one.
    """
    found, runs = {0: None}, {}
    for thread, call, answer, kind, key, argument, result, *_ in notes:
        if kind in (WRITE, UPDATE):
            found[argument] = result if kind == UPDATE and answer else None
    for value in found:
        chain = []
        while value not in runs:
            chain.append(value)
            before = found.get(value)
            if before is None:
                runs[value] = (value, 0)
                chain.pop()
                break
            value = before
            if len(chain) > len(found):
                raise Violation("linearizable", f"updates found each other's values, {value} among them")
        run, place = runs[value]
        for value in reversed(chain):
            place += 1
            runs[value] = (run, place)
    first, last = {}, {}
    for thread, call, answer, kind, key, argument, result, *_ in notes:
        if kind in (WRITE, UPDATE, READ) and answer:
            run = runs[result if kind == READ else argument][0]
            first[run] = min(first.get(run, FOREVER), answer)
            last[run] = max(last.get(run, 0), call)
    return runs, first, last


class Newest:
    """The newest values that an observer has seen."""

    def __init__(self, runs, first, last):
        self.runs, self.first, self.last = runs, first, last
        self.places, self.latest = {}, []

    def check(self, value, text):
        run, place = self.runs[value]
        if place < self.places.get(run, 0):
            raise Violation("monotonic", f"{text} {value}, which is older than another that was seen before")
        for time, other in self.latest:
            if other != run and self.first.get(run, FOREVER) < time:
                raise Violation("monotonic", f"{text} {value}, and had a value of the later run of {other} before")

    def add(self, value):
        run, place = self.runs[value]
        self.places[run] = max(place, self.places.get(run, 0))
        time = self.last.get(run, 0)
        if not any(other == run for _, other in self.latest):
            # The two latest runs suffice, because a value is compared with another run than its own.
            self.latest = sorted([*self.latest, (time, run)], reverse=True)[:2]


def remember(notes):
    """Values in memory: never older than what their process has had, its own writes included."""
    runs, first, last = order(notes)
    processes, observers = {}, {}
    for note in notes:
        thread, _, answer, kind, *_ = note
        if answer and kind in (WRITE, UPDATE, VALUE, CURRENT):
            processes.setdefault(thread.process, []).append(note)
            if thread.is_observer and kind == VALUE:
                observers.setdefault(thread, []).append(note)
    for thread, seen in observers.items():
        newest = Newest(runs, first, last)
        for _, call, _, _, _, _, value, *_ in seen:
            newest.check(value, f"the subscriber {thread} received at {call}")
            newest.add(value)
    for notes in processes.values():
        newest = Newest(runs, first, last)
        ended = sorted(notes, key=lambda note: note[2])
        position = 0
        for thread, call, _, kind, _, _, value, *_ in sorted(notes, key=lambda note: note[1]):
            while ended[position][2] < call:
                _, _, _, earlier, _, argument, result, *_ = ended[position]
                newest.add(argument if earlier in (WRITE, UPDATE) else result)
                position += 1
            if kind in (VALUE, CURRENT) and not (kind == VALUE and thread.is_observer):
                newest.check(value, f"{thread} had in memory at {call}")


def end_current(notes):
    """After everything has ended, all values in memory are the stored one."""
    _, stored = max([(note[1], note[6]) for note in notes if note[3] == READ and note[2]], default=(0, None))
    for thread, call, _, kind, _, _, value, *_ in notes:
        if kind == CURRENT and stored is not None and value != stored:
            raise Violation("current", f"{thread} ended with {value}, and the stored value is {stored}")


def check(notes):
    """Judges all registers of a history, unless a program without the lock has replaced them, too."""
    if any(note[3] == EDIT for note in notes):
        return
    registers, keys = {}, {}
    for note in notes:
        if note[3] in (UPDATE, READ) and note[2]:
            keys[note[6]] = note[4]
    for note in notes:
        if note[3] in (WRITE, UPDATE, READ, VALUE, CURRENT):
            # Which register a killed update has changed may show only in what others saw.
            key = keys.get(note[5]) if note[4] == UNKNOWN else note[4]
            registers.setdefault(key, []).append(note)
    registers.pop(None, None)
    for register in registers.values():
        try:
            linearize(settled(register))
            remember(register)
            end_current(register)
        except Violation as violation:
            violation.notes = register
            raise
