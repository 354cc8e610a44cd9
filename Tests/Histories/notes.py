"""The notes of a history: the calls of all threads, and their answers.

A note is a tuple: the thread, the times of the call and of the answer (0 if there is none, because the process was
killed), the kind, and five numbers that depend on it; see NoteKind in Tests/Peer/HistoryNotes.swift.
"""
import collections
import mmap
import os
import struct

KINDS = ("", "write", "update", "read", "value", "current", "transaction", "append", "look", "event", "receipt", "change",
         "activation", "creation", "deletion", "presence", "sight", "renewal", "token", "element", "turn",
         "job", "claim", "finish", "release", "effect", "copy", "edit")
(WRITE, UPDATE, READ, VALUE, CURRENT, TRANSACTION, APPEND, LOOK, EVENT, RECEIPT, CHANGE, ACTIVATION, CREATION, DELETION,
 PRESENCE, SIGHT, RENEWAL, TOKEN, ELEMENT, TURN, JOB, CLAIM, FINISH, RELEASE, EFFECT, COPY, EDIT) = range(1, len(KINDS))
# The kinds that change what is stored.
WRITES = {WRITE, UPDATE, EVENT, ACTIVATION, CREATION, DELETION, RENEWAL, JOB, CLAIM, FINISH, RELEASE, EDIT}
STEPS = {APPEND, LOOK}
# What is left at the end.
REMAINS = {ELEMENT, TURN, PRESENCE, EFFECT}
WIDTH = 64  # Bytes of a note.
_note = struct.Struct("8q")


class Thread(collections.namedtuple("Thread", "worker life number")):
    """A thread of one of the processes of a worker; a process that is killed begins its next life."""
    __slots__ = ()
    # What has a number from here on makes no calls: it notes what is delivered.
    FIRST_OBSERVER = 90

    def __str__(self):
        return ".".join(map(str, self))

    @property
    def process(self):
        return self[:2]

    @property
    def is_observer(self):
        return self.number >= self.FIRST_OBSERVER


Note = collections.namedtuple("Note", "thread call answer kind key argument result length sum")


class Tape:
    """The file that a thread notes in, while the thread does or after it was killed."""

    def __init__(self, path):
        self.path = path
        self.thread = Thread(*map(int, os.path.basename(path).split(".")))
        with open(path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        self.capacity = len(self.map) // WIDTH

    def has(self, number):
        """Whether there is a note of this number."""
        return number < self.capacity and any(self.map[number * WIDTH:number * WIDTH + 8])

    def __len__(self):
        low, high = 0, self.capacity
        while low < high:
            middle = (low + high) // 2
            if self.has(middle):
                low = middle + 1
            else:
                high = middle
        return low

    def notes(self):
        thread = self.thread
        return whole((thread, *words) for words in _note.iter_unpack(self.map[:len(self) * WIDTH]))


def whole(notes):
    """The notes without what a killed process was about to note that it had received."""
    return [note for note in notes if note[2] or not note[0].is_observer]


def tapes(folder):
    return [Tape(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]


def units(notes):
    """Groups each transaction with its steps, which follow it: lists of notes."""
    groups, remaining = [], 0
    for note in notes:
        if note[3] in STEPS and remaining:
            groups[-1].append(note)
            remaining -= 1
        elif note[3] not in STEPS:
            groups.append([note])
            remaining = note[5] if note[3] == TRANSACTION else 0
    return groups


def text(note):
    """A line of a file of notes."""
    thread, call, answer, kind, *numbers = note
    while numbers and not numbers[-1]:
        numbers.pop()
    without = "step" if kind in STEPS else "killed"
    return " ".join(map(str, [thread, call, answer or without, KINDS[kind], *numbers]))


def parse(lines):
    """The notes in lines of text; comments begin with a hash."""
    found = []
    for line in lines:
        words = line.partition("#")[0].split()
        if words:
            thread = Thread(*map(int, words[0].split(".")))
            answer = 0 if words[2] in ("killed", "step") else int(words[2])
            numbers = [int(word) for word in words[4:]]
            found.append((thread, int(words[1]), answer, KINDS.index(words[3]), *numbers, *[0] * (5 - len(numbers))))
    return whole(found)


def load(path):
    with open(path) as file:
        return parse(file)
