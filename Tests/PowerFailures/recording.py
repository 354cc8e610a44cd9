"""Recordings of the calls by which a process changes a folder."""
import os
import re
import shutil
import tempfile
import time

from calls import Broken, Calls, descriptor
from disk import TOP, Names, Tree
from peers import Peer, Silence  # Of Tests/Faults.

LIMIT = float(os.environ.get("SIGNALS_POWER_LIMIT", 30))  # Seconds, which only a failing command takes.
CALLS = (
    "open,openat,openat2,creat,close,dup,dup2,dup3,fcntl,mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,"
    "symlink,symlinkat,write,writev,pwrite64,pwritev,pwritev2,lseek,truncate,ftruncate,fallocate,fsync,fdatasync,sync,syncfs,"
    "sync_file_range,copy_file_range,sendfile,splice,ioctl,mmap,mknod,mknodat,chdir,fchdir,unshare,close_range")
_line = re.compile(r"(\d+) +(.*)")
_begun = re.compile(r"(\w+)\((.*)")
_resumed = re.compile(r"<\.\.\. (\w+) resumed>(.*)")
_ended = re.compile(r"(.*)\) += (-?\d+|\?|0x[0-9a-f]+)(.*)", re.S)


class Descriptors:
    """The open files in the folder, by descriptor."""

    def __init__(self, opened=(), offsets=(), appending=()):
        self.opened, self.offsets, self.appending = dict(opened), dict(offsets), set(appending)


class Moment:
    """A moment between two calls: the operations and syncs so far, and the commands that have been answered."""

    def __init__(self, operations, syncs, answered):
        self.operations, self.syncs, self.answered = operations, syncs, answered


class Recording(Calls):
    """What a process did to a folder: the folder before, operations, syncs, and the moments between them."""

    def __init__(self, before, folder, steps, durable=()):
        self.before, self.folder, self.steps, self.durable = before, folder, steps, durable
        self.now = before.copy()
        self.operations, self.syncs, self.moments, self.calls = [], [], [Moment(0, 0, 0)], 0
        self.answered = 0
        # By thread, for those with descriptors of their own; the others share those of `None`.
        self.descriptors = {None: Descriptors()}

    def unsave(self, path):
        """Turns the name of a file that is there before the recording into its first operation."""
        directory, name = self._walk(TOP, path.split("/"), False)
        self.operations.append(Names([(directory, name, self.before.names[directory].pop(name))]))
        self.moments[0] = Moment(len(self.operations), 0, 0)

    # MARK: Reading a trace

    def read(self, path):
        pending = {}
        with open(path, errors="replace") as file:
            for line in file:
                found = _line.match(line.rstrip("\n"))
                if not found:
                    continue
                thread, text = found.groups()
                descriptors = self.descriptors.get(thread, self.descriptors[None])
                self.opened, self.offsets, self.appending = descriptors.opened, descriptors.offsets, descriptors.appending
                resumed, begun = _resumed.match(text), _begun.match(text)
                if resumed:
                    name, beginning, covered = pending.pop(thread, (None, "", 0))
                    if name:
                        self._end(name, beginning + resumed.group(2), covered)
                elif begun:
                    name, rest = begun.groups()
                    if name in ("unshare", "close_range") and ("CLONE_FILES" in rest or "UNSHARE" in rest):
                        self.descriptors[thread] = Descriptors(self.opened, self.offsets, self.appending)
                    elif name == "close":
                        self.opened.pop(descriptor(rest), None)
                    elif rest.endswith(" <unfinished ...>"):
                        pending[thread] = (name, rest[:-len(" <unfinished ...>")], len(self.operations))
                    else:
                        self._end(name, rest, len(self.operations))

    def _end(self, name, text, covered):
        found = _ended.match(text)
        if not found or found.group(2).startswith("-") or found.group(2) == "?":
            return
        counts = (len(self.operations), len(self.syncs), self.answered)
        arguments = self._split(found.group(1))
        result = found.group(2)
        getattr(self, "_" + name, self._unknown)(name, arguments, result, covered)
        if counts != (len(self.operations), len(self.syncs), self.answered):
            self.calls += counts[2] == self.answered
            self.moments.append(Moment(len(self.operations), len(self.syncs), self.answered))

    @staticmethod
    def _split(text):
        depth, parts, part = 0, [], ""
        for character in text:
            depth += (character in "[{") - (character in "]}")
            if character == "," and depth == 0:
                parts.append(part.strip())
                part = ""
            else:
                part += character
        return [*parts, part.strip()]

    def lines(self):
        """The operations and syncs in their order, for people."""
        paths = {TOP: "."}
        tree = self.before.copy()
        for number in self.now.names:
            tree.names.setdefault(number, {})

        def learn():
            waiting = [TOP]
            seen = set()
            while waiting:
                outer = waiting.pop()
                for name, inner in tree.names[outer].items():
                    if inner not in seen:
                        seen.add(inner)
                        paths[inner] = f"{paths[outer]}/{name}"
                        if inner in tree.names:
                            waiting.append(inner)

        operations = syncs = answered = 0
        for number, moment in enumerate(self.moments):
            learn()
            for operation in self.operations[operations:moment.operations]:
                if isinstance(operation, Names):
                    yield number, "names " + "; ".join(
                        f"{paths.get(directory)}/{name} {'is removed' if file is None else f'is {file}'}"
                        for directory, name, file in operation.assignments)
                    for directory, name, file in operation.assignments:
                        if file is None:
                            tree.names[directory].pop(name, None)
                        else:
                            tree.names[directory][name] = file
                else:
                    yield number, f"{type(operation).__name__.lower()} {paths.get(operation.file)}"
            for sync in self.syncs[syncs:moment.syncs]:
                yield number, f"sync {paths.get(sync.file, 'everything')}"
            if moment.answered != answered:
                yield number, f"answer {moment.answered}"
            operations, syncs, answered = moment.operations, moment.syncs, moment.answered

    def check(self):
        """Fails unless the calls explain what is in the folder now. SQLite makes its `-shm` anew after a failure."""
        one, other = (
            {place: (kind, content) for place, kind, content in tree.files() if not place.endswith("-shm")}
            for tree in (self.now, Tree.read(self.folder)))
        different = [place for place in sorted({*one, *other}) if one.get(place) != other.get(place)]
        if different:
            raise Broken(f"the calls do not explain what is in the folder: {different}")


def record(program, protocol, folder):
    """Prepares a folder, and records a process that performs the commands of a protocol in it."""
    home = tempfile.mkdtemp(prefix="power.home.")
    trace = f"{home}/trace"
    names, answers = {}, []

    def perform(peer, steps):
        for step in steps:
            bound, _, command = step.rpartition(" = ")
            for name, value in names.items():
                command = command.replace("{" + name + "}", value)
            answer = peer.ask(command.replace("{D}", folder))
            if answer.split(" ")[0] != "ok":
                raise Broken(f"{protocol.name}: {command}: {answer}")
            if bound:
                names[bound] = answer[3:]
            answers.append(answer)

    try:
        if protocol.prepare:
            peer = Peer(program, home, limit=LIMIT)
            perform(peer, protocol.prepare)
            peer.end(kills=False)
        for directory in protocol.unsaved:
            os.mkdir(f"{folder}/{directory}", 0o1700)  # With the mark of `makeDirectory`.
        recording = Recording(Tree.read(folder), folder, len(protocol.steps), protocol.durable)
        for directory in protocol.unsaved:
            recording.unsave(directory)
        recording.names = names
        tracer = ["strace", "-f", "-y", "-xx", "-s", "10000000", "-o", trace, "-e", "trace=" + CALLS]
        peer = Peer(program, home, tracer, LIMIT)
        try:
            perform(peer, protocol.steps)
            # Work in the background that belongs to them, such as the cursor of a consumer.
            time.sleep(protocol.rest)
            peer.ask("value")
        finally:
            peer.end(kills=False)
        recording.read(trace)
        recording.check()
        return recording
    except Silence as silence:
        raise Broken(f"{protocol.name}: {silence}") from silence
    finally:
        shutil.rmtree(home, ignore_errors=True)
