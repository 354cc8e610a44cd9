"""Judges an attempt by two others without a failing call: one that performed the operation, and one that left it out."""
import errno
import os
import re

TYPED = set(
    "AppContainerError AppGroupsError AppGroupsFileError AppGroupsLogError AuthRejection ContextError DatabaseError "
    "DurableFileError FileObserverError FileVersionError InspectorError MMKVFileError ModelError SchemaError "
    "SecretStoreError SuspensionError TweakError TweakStoreError".split())

# How errors name their cause, if not by the words of the system.
CAUSES = {
    "EDQUOT": "quota|no space is left", "EFBIG": "too large|limit", "EMFILE": "descriptors|open files", "ENFILE": "descriptors|open files",
    "ENOSPC": "is full|no space", "EROFS": "read-only", "EACCES": "permission|not permitted|may not", "ENOLCK": "lock",
    "EPERM": "permission|not permitted|may not",
}
SQLITE = "disk i/o error|unable to open|database is locked|is full|readonly|out of memory|locking protocol|i/o error|malformed"

# Outcomes that are not as they should be, but are permitted: operation, fault and problem as patterns, and the reason.
PERMITTED = [
    ("file-create.*", r"openat:EACCES:\d+", "the state is .'missing'.",
     "a file that must not be read is opened, and its status reports why"),
    ("database-.*", r"(newfstatat|fstat):.*", "last state",
     "SQLite closes a file that it cannot examine, which releases the locks that the process has on the database"),
    ("database-(back-up|migrate)", "flock:EAGAIN:.*", r"left behind: \.partial",
     "another process holds the lock of a folder only to remove the folder"),
    ("inspector-edit.*", r"(read|recvfrom|poll|sendto|sendmsg):.*", "Look at the value before you repeat|did not answer",
     "the answer was lost, so the inspector cannot know whether the change was made, and says so"),
    (".*", "openat:.*", "readonly database",
     "if SQLite cannot open a log for writing, it opens it for reading until the database is opened again"),
    ("env-import", "unlinkat:ENOENT:.*", "is in the way: the import must create it",
     "the system says that a folder is gone which is still there, and the import then finds it in its way"),
    ("session-.*", ".*", r"(failed|renewed): DurableFileError", "the probe's own server could not write its file"),
    ("session-renew-.*", ".*", r"it happened, but an error was thrown: ContextError: (Could|No)",
     "a renewed session that could not be stored is stored by the next attempt, in the background"),
    ("session-renew-.*", ".*", r"left behind: .*-kept",
     "a renewed session that is stored after another user has logged in is kept for its user"),
    ("session-logout-.*", ".*", r"the process itself sees .'unauthenticated",
     "the user is logged out here even if the archive cannot be written, as the method says"),
    ("session-.*-database|database-.*", "(fsync|fdatasync):.*", "the process itself sees",
     "after a synchronization that failed, SQLite cannot know whether the commit is in the log"),
]

# A failure that nothing observes, as the library writes it to the standard error.
REPORT = re.compile(r"(\w+: .*?) \(Nothing observes the failures of [^)]* redirects this line\.\)")


def cause(error, text):
    """Whether a text names the cause of an error."""
    words = os.strerror(getattr(errno, error)).lower()
    return words in text.lower() or re.search(CAUSES.get(error, "$^"), text, re.I) or re.search(SQLITE, text, re.I)


def judge(operation, new, old, attempt):
    """The problems of an attempt."""
    problems = list(attempt.problems)
    # A failure in the background is reported there, because nothing observes it.
    reports = REPORT.findall(attempt.complaints)
    problems += [f"the report does not name its cause: {text}" for text in reports if not cause(attempt.fault.error, text)]
    if rest := REPORT.sub("", attempt.complaints).strip():
        problems.append(f"it wrote to its standard error: {rest}")
    if attempt.answer is None:
        return problems
    if attempt.threw:
        kind, _, text = attempt.answer[6:].partition(": ")
        if kind not in TYPED:
            problems.append(f"it threw a {kind}: {text}")
        elif not cause(attempt.fault.error, text):
            problems.append(f"the error does not name its cause: {text}")
        elif not re.search(r"DIR|inotify|/\w+|\w+\.\w+|[\"“]\w+", text):
            problems.append(f"the error names no path: {text}")
    elif operation.answers and attempt.answer != new.answer:
        problems.append(f"it answered {attempt.answer!r} instead of {new.answer!r}")
    if operation.steady and attempt.final is not None and attempt.next != (old if attempt.threw else new).next:
        problems.append(f"the next answers are {attempt.next} instead of {(old if attempt.threw else new).next}")
    happened = attempt.state == new.state
    if attempt.state is not None and not operation.partial:
        if not happened and (not attempt.threw or attempt.state != old.state):
            problems.append(f"the state is {attempt.state} instead of {new.state}")
        elif happened and attempt.threw and new.state != old.state and not (operation.creates or is_late(attempt)):
            problems.append(f"it happened, but an error was thrown: {attempt.answer[6:]}")
        if attempt.mine is not None and attempt.mine != (new if happened else old).mine:
            problems.append(f"the process itself sees {attempt.mine}, and others {attempt.state}")
        if attempt.final is not None and attempt.final != (new if happened else old).final:
            problems.append(f"the last state is {attempt.final} instead of {(new if happened else old).final}")
    return problems + leftovers(new, old, attempt)


def is_late(attempt):
    """Whether only the last step failed, which protects a new name against a power failure."""
    return all(re.match("f(data)?sync|syncfs", call.name) for call in attempt.failed)


def known_files(new, old):
    """The files that may exist after an operation, or without it."""
    return new.last_files | old.last_files | new.files | old.files


def leftovers(new, old, attempt):
    """Files that stay open, locked or behind."""
    problems = []
    if attempt.left_open:
        problems.append(f"files stay open: {' '.join(attempt.left_open)}")
    if attempt.left_locked:
        problems.append(f"files stay locked: {' '.join(attempt.left_locked)}")
    if attempt.final is not None and not any(re.match("unlink|rmdir|rename", call.name) for call in attempt.failed):
        behind = attempt.last_files - known_files(new, old)
        if behind:
            problems.append(f"files are left behind: {' '.join(sorted(behind))}")
    return problems


def permission(operation, fault, problem):
    """Why a problem is permitted, or `None`."""
    for name, call, words, reason in PERMITTED:
        if re.fullmatch(name, operation.name) and re.fullmatch(call, str(fault)) and re.search(words, problem):
            return reason
    return None
