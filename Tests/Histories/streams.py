"""Streams: the events of a log, and the commits that a database announces to other processes."""
from notes import CHANGE, EVENT, RECEIPT, TRANSACTION, TURN, Thread
from registers import Violation


def producer(value):
    """The process that wrote a value; see HistoryLife in Tests/Peer."""
    return divmod(value // 100_000_000, 1000)


def lives(notes, kind):
    """What each worker received: a list for each of its processes, one after the other."""
    found = {}
    for note in notes:
        if note[3] == kind:
            found.setdefault(note[0].worker, {}).setdefault(note[0].life, []).append(note)
    return {worker: [received[life] for life in sorted(received)] for worker, received in found.items()}


def keep_time(numbered, text):
    """What returned before something else began has the smaller number."""
    ended = sorted((answer, number) for call, answer, number in numbered if answer)
    highest, position = 0, 0
    for call, answer, number in sorted(numbered):
        while position < len(ended) and ended[position][0] < call:
            highest = max(highest, ended[position][1])
            position += 1
        if answer and number <= highest:
            raise Violation("order", f"{text} {number} began at {call}, after {highest} had returned")


def follow(received, first, following, text):
    """A worker receives everything in order and once; from its second process on, it may begin again earlier.

    `following` says what comes after something, and `received` is a list for each process.
    """
    expected = first
    for life, numbers in enumerate(received):
        for place, number in enumerate(numbers):
            if place or not life:
                if number < expected:
                    raise Violation("order", f"{text} {number} after what is before {expected}, without a kill")
                if number > expected:
                    raise Violation("gap", f"{text} {number}, and not {expected}")
            elif number > expected:
                raise Violation("gap", f"{text} {number} after a kill, and not {expected}")
            else:
                highest = expected
            expected = following(number)
        if life and numbers:
            # A process that was killed soon may not have come as far as the one before.
            expected = max(expected, highest)
    return expected


def check_log(notes):
    events, processes = {}, {}
    for note in notes:
        thread, call, answer, kind, _, value, number, *_ = note
        if kind == EVENT:
            events[value] = note
            processes.setdefault(thread.process, []).append((call, answer, number))
    for process, numbered in processes.items():
        keep_time(numbered, f"event of {process}")
    known = {(producer(value), note[6]): value for value, note in events.items() if note[2]}
    for worker, received in lives(notes, RECEIPT).items():
        streams = {}
        for life, receipts in enumerate(received):
            for thread, call, _, _, number, value, *_ in receipts:
                if value not in events:
                    raise Violation("unwritten", f"{thread} received {value}, which nobody appended")
                if known.setdefault((producer(value), number), value) != value:
                    raise Violation("order", f"{thread} received {value} as event {number}, which is another one")
                streams.setdefault(producer(value), [[] for _ in received])[life].append(number)
        for process, numbers in streams.items():
            follow(numbers, 1, lambda number: number + 1, f"worker {worker} received of {process} the event")


def check_feed(notes):
    commits = {note[4]: note[5] for note in notes if note[3] == TURN}
    if sorted(commits) != list(range(1, len(commits) + 1)):
        raise Violation("gap", "the commits are not numbered one after the other")
    written = [(note[1], note[2], note[6]) for note in notes if note[3] == TRANSACTION and note[6]]
    keep_time(written, "commit")
    sequences = {}
    for worker, received in lives(notes, CHANGE).items():
        others = sorted(number for number, author in commits.items() if author != worker)
        following = dict(zip(others, [*others[1:], len(commits) + 1]))
        for changes in received:
            last = 0
            for thread, call, _, _, sequence, number, author, *_ in changes:
                if number not in following or commits[number] != author:
                    raise Violation("feed", f"{thread} received commit {number} of {author} at {call}, which is none of another")
                if sequences.setdefault(number, sequence) != sequence or sequence <= last:
                    raise Violation("feed", f"{thread} received commit {number} at {call} as {sequence}, after {last}")
                last = sequence
        numbers = [[change[5] for change in changes] for changes in received]
        follow(numbers, others[0] if others else 1, following.get, f"worker {worker} received the commit")


def missing(notes):
    """What consumers have not received yet."""
    workers = {note[0].worker for note in notes if not note[0].is_observer}
    events = {note[5] for note in notes if note[3] == EVENT and note[2]}
    commits = {note[4]: note[5] for note in notes if note[3] == TURN}
    found = []
    for worker in sorted(workers):
        receipts = {note[5] for note in notes if note[3] == RECEIPT and note[0].worker == worker}
        changes = {note[5] for note in notes if note[3] == CHANGE and note[0].worker == worker}
        found += [(worker, event) for event in sorted(events - receipts)]
        found += [(worker, number) for number, author in commits.items() if author != worker and number not in changes]
    return found


def check_complete(notes):
    for worker, number in missing(notes):
        raise Violation("missing", f"worker {worker} never received {number}")
