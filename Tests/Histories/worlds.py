"""Environments of a container, and tokens of a session."""
from notes import ACTIVATION, CREATION, DELETION, PRESENCE, READ, SIGHT, TOKEN, UPDATE, WRITE
from registers import FOREVER, Violation, linearize

NONE = 99  # The environment that a file names if nothing has marked it.


def check_active(notes):
    """Each observation is of one environment, and of one that was active during the call."""
    homes, calls = {}, []
    for thread, call, answer, kind, key, argument, result, *_ in notes:
        if kind == UPDATE and answer:
            homes[argument] = key
    for thread, call, answer, kind, key, argument, result, *_ in notes:
        if kind == ACTIVATION:
            # A killed switch may happen at any time, and if it never did, that is as if it was the last of all.
            calls.append((call, answer or FOREVER, WRITE, argument, 0))
        elif kind in (UPDATE, READ, SIGHT) and answer:
            if key == NONE or homes.setdefault(result, key) != key and result:
                raise Violation("environment", f"{thread} saw {result} at {call} in environment {key}, which was written in another")
            if kind != SIGHT:
                calls.append((call, answer, READ, 0, key))
    try:
        if any(note[3] == ACTIVATION for note in notes):
            linearize(calls)
    except Violation as violation:
        raise Violation("active", f"no order of the switches explains what was seen: {violation}") from None


def check_existing(notes):
    """What was created exists until it is deleted."""
    existing = {note[4] for note in notes if note[3] == PRESENCE}
    deleted = {note[4]: note[2] for note in notes if note[3] == DELETION}
    for thread, call, answer, kind, key, *_ in notes:
        if kind == CREATION and answer and key not in deleted and key not in existing:
            raise Violation("existence", f"environment {key} is gone, which was created at {call}")
        if kind == PRESENCE and deleted.get(key):
            raise Violation("existence", f"environment {key} is there, which was deleted at {deleted[key]}")


def check_tokens(notes):
    """A token is sent once, or again if the process that had sent it was killed before it had the next one."""
    uses, lives, latest = {}, {}, {}
    for note in notes:
        thread = note[0]
        lives[thread.worker] = max(thread.life, lives.get(thread.worker, 0))
        latest[thread.process] = max(note[1], note[2], latest.get(thread.process, 0))
        if note[3] == TOKEN:
            uses.setdefault(note[4], []).append(note)
    for token, sent in uses.items():
        sent.sort(key=lambda note: note[1])
        for earlier, later in zip(sent, sent[1:]):
            thread, call, following = earlier[0], later[1], earlier[7]
            text = f"{thread} sent token {token} at {earlier[1]}, and {later[0]} sent it at {call}"
            if lives[thread.worker] == thread.life or latest[thread.process] > call:
                raise Violation("token", f"{text}, without a kill in between")
            if any(note[1] < call for note in uses.get(following, ())):
                raise Violation("token", f"{text}, although the next one, {following}, had been sent")
