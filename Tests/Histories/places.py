"""The kinds of places that histories are recorded of."""
import dataclasses
import re

PLACES = {}


@dataclasses.dataclass
class Place:
    """A kind of place, and how much happens in one round."""
    name: str
    threads: int  # Of each process.
    count: int  # The calls of each thread.
    rounds: int  # Of a short run.
    # The system calls at which a process is killed, and what a trace has of one between the first and the last of a write.
    calls: dict
    is_stream: bool = False  # Its workers receive everything that the others write.
    is_prepared: bool = False  # A process of its own writes what there is before all others begin.

    def __post_init__(self):
        PLACES[self.name] = self
        self.calls = {call: re.compile(pattern) for call, pattern in self.calls.items()}


# The system calls of a replaced file: lock, temporary file, limit of its size, rename, unlock.
REPLACING = {"prlimit64": "RLIMIT_FSIZE", "renameat": r"\.tmp", "flock": "LOCK_UN"}
Place("file", threads=2, count=250, rounds=2, calls=REPLACING)
# Those of a journal: created by a rename, appended to, cut and removed.
JOURNALING = {**REPLACING, "write": "journals/", "unlinkat": "journals", "fstat": "journals/"}
Place("suite", threads=2, count=250, rounds=4, calls=JOURNALING)
# Its first worker edits the file without a lock.
Place("suite-editors", threads=2, count=200, rounds=3, calls=JOURNALING)
Place("log", threads=2, count=500, rounds=2, calls={"prlimit64": "RLIMIT_FSIZE", "write": r"\.segment"}, is_stream=True)
Place("database", threads=2, count=200, rounds=2, calls={"pwrite64": "-wal"}, is_stream=True)
Place("environments", threads=2, count=100, rounds=2, calls={**REPLACING, "renameat2": ""}, is_prepared=True)
Place("environments-suite", threads=2, count=100, rounds=2, calls={**JOURNALING, "renameat2": ""}, is_prepared=True)
Place("session", threads=2, count=40, rounds=2, calls={"pwrite64": r"session\.sqlite", "renameat": r"\.tmp"}, is_prepared=True)
Place("queue", threads=2, count=120, rounds=2, calls={"pwrite64": "-wal"})
# A process that is stopped for some milliseconds loses its claims.
Place("queue-stops", threads=2, count=120, rounds=2, calls={"pwrite64": "-wal"})
