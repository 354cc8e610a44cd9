"""Counts the system calls of operations, which are the same on every machine.

    python3 -B Tests/Calls/systemcalls.py PEER          compares with the table beside this file
    python3 -B Tests/Calls/systemcalls.py PEER --write  writes its numbers

PEER is a build of Tests/Peer. Each operation is traced several times, and the smallest number counts: a thread that had to
wait, or a lock that was busy, adds calls. Not counted are calls for memory, threads and waiting.
"""
import os
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "Faults"))
from peers import Peer, temporary  # noqa: E402
from tracing import Trace  # noqa: E402

TABLE = HERE / "systemcalls.md"
IGNORED = re.compile(
    r"(futex|m(map|unmap|remap|protect|advise)|brk|restart_syscall|epoll_wait|sched_\w+|clock_\w+|rt_\w+|gettid|getrandom)$")
ROW = re.compile(r"^\| ([^|]+?) \| +(\d+) \|")
ATTEMPTS = 5
# The operations that do not read a file that they have written themselves.
UNREAD = ("shared file: update", "shared file: update, observed by another process", "shared file: write of the same value")


def counted(calls):
    return [call.name for call in calls if not IGNORED.match(call.name)]


def without_reading(calls, name):
    """The calls without those that open, read and close a file."""
    return [call for call in calls if f'"{name}", O_RDONLY' not in call.text and not re.match(
        rf"(read|close)\(\d+<[^>]*/{re.escape(name)}>", call.text)]


class Counting:
    """The processes of the operations: one that acts, and one that reads."""

    def __init__(self, program, folder):
        self.program, self.folder, self.path = program, folder, os.path.join(folder, "trace")
        self.home = os.path.join(folder, "home")
        os.mkdir(self.home)
        self.peers = []

    def peer(self, *commands):
        peer = Peer(self.program, self.home)
        self.peers.append(peer)
        for command in commands:
            ask(peer, command)
        return peer

    def own(self, peer, *commands, unread=None):
        """The calls of the process that performs one of the commands, each in turn, on its thread.

        Not those that read the file `unread`.
        """
        def attempt(command):
            peer.become_idle()
            trace = Trace(peer.pid, self.path)
            ask(peer, "marked " + command)
            trace.stop()
            calls = [call for call in trace.calls()[0] if call.is_main]
            return counted(without_reading(calls, unread) if unread else calls)
        return min((attempt(commands[number % len(commands)]) for number in range(ATTEMPTS)), key=len)

    def delivery(self, reader, writer, command, first, event=lambda number: rf"\S+ \d+ {number}$"):
        """The calls with which a process learns of a change by another one, on its other threads."""
        def attempt(number):
            trace = Trace(reader.pid, self.path)
            ask(writer, command)
            reader.event(event(number))
            trace.stop()
            calls = [call for call in trace.calls()[1] if not call.is_main]
            # Without the line that the subscriber writes.
            return counted(call for call in calls if not call.text.startswith("write(1<"))
        return min((attempt(first + number) for number in range(ATTEMPTS)), key=len)


def ask(peer, command):
    answer = peer.ask(command)
    if not re.match("ok( |$)", answer):
        sys.exit(f"error: {command}: {answer}")
    return answer[3:]


def counts(counting):
    folder = counting.folder
    opened = [f"container {folder}/c", "open-counter n.json"]
    # By its own updates in quick succession, the writer learns that the file system has a fine clock.
    writer = counting.peer(*opened, "increment n.json 100")
    yield "shared file: update", counting.own(writer, "increment n.json 1")
    reader = counting.peer(*opened, "observe n.json", "increment n.json 1")
    yield "shared file: update, observed by another process", counting.own(writer, "increment n.json 1")
    value = int(ask(reader, "read n.json"))
    yield "shared file: a change by another process", counting.delivery(reader, writer, "increment n.json 1", value + 1)
    yield "shared file: write of the same value", counting.own(writer, "write-counter n.json 99")
    yield "shared file: read", counting.own(writer, "read n.json")
    yield "shared file: open", counting.own(writer, "open-counter n.json")
    durable = counting.peer(f"durable-open storage {folder}/c t.txt", "durable-update a")
    yield "shared file: update that survives a power failure", counting.own(
        durable, "durable-update b", "durable-update a", unread="t.txt")
    # Changes in quick succession are appended to a journal.
    suite = counting.peer(f"suite {folder}/c s.json", "suite-increment a 100")
    yield "suite: update of a key", counting.own(suite, "suite-increment a 1")
    log = counting.peer(f"log {folder}/c inbox", "append w")
    yield "log: append", counting.own(log, "append x")
    consumer = counting.peer(f"log {folder}/c inbox", "follow-new")
    ask(log, "append first")
    consumer.event("entry .* first$")
    yield "log: append, observed by another process", counting.own(log, "append x")
    number = int(ask(log, "append last").split()[1])
    consumer.event("entry .* last$")
    yield "log: an event of another process", counting.delivery(
        consumer, log, "append x", number + 1, lambda number: rf"entry \d+ \S+ {number} x$")
    root = os.path.join(folder, "root")
    os.mkdir(root)
    app = counting.peer(f"env {root}", "env-new Second", "env-new Third")
    first = ask(app, "env-active")
    second = ask(app, "env-list").split(",")[-1]
    switch = [f"env-activate {second}", f"env-activate {first}"]
    yield "environments: switch among three", counting.own(app, *switch)
    for number in range(97):
        ask(app, f"env-new {number}")
    # An odd number of switches is over, so the other environment comes first.
    yield "environments: switch among a hundred", counting.own(app, *reversed(switch))
    for number in range(100):
        ask(app, f"env-new {number}")
    yield "environments: switch among two hundred", counting.own(app, *switch)


def has_fine_clock(folder):
    """Whether changes of one file in quick succession have different times that differ by less than a tick."""
    path = os.path.join(folder, "clock")
    with open(path, "w"):
        times = [os.chmod(path, 0o600) or os.stat(path).st_ctime_ns for _ in range(100)]
    return any(0 < after - before < 500_000 for before, after in zip(times, times[1:]))


def main(program, *options):
    folder = temporary("calls.")
    counting = Counting(program, folder)
    # Where times are ticks (Linux before 6.13), the writer reads its own file again: open, read, close.
    more = 0 if has_fine_clock(folder) else 3
    began, found = time.monotonic(), {}
    try:
        for name, calls in counts(counting):
            found[name] = len(calls) - (more if name in UNREAD else 0)
            print(f"{len(calls):4} {name}: {' '.join(calls) if len(calls) < 40 else '…'}")
    finally:
        for peer in counting.peers:
            peer.end()
        os.system(f"rm -rf '{folder}'")
    print(f"counted in {time.monotonic() - began:.1f} s")
    lines, known = TABLE.read_text().splitlines(), {}
    for place, line in enumerate(lines):
        row = ROW.match(line)
        if row and row[1] in found:
            known[row[1]] = int(row[2])
            lines[place] = line.replace(f"| {row[2]} |", f"| {found[row[1]]} |", 1)
    if "--write" in options:
        TABLE.write_text("\n".join(lines) + "\n")
        return
    wrong = [f"{name}: {count} system calls, and not {known.get(name, 'in the table')}" for name, count in found.items()
             if count != known.get(name)]
    if wrong:
        sys.exit("error: " + "; ".join(wrong) + ". If a number has grown, say why in Tests/Calls/systemcalls.md; "
                 "write numbers that have shrunk with --write")


if __name__ == "__main__":
    main(*sys.argv[1:])
