"""One attempt: an operation of a new process in a copy of a prepared folder, perhaps with a failing call."""
import collections
import os
import re
import shutil
import sqlite3
import subprocess
import time

import tracing
from peers import Peer, Silence

_identifier = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Broken(Exception):
    """A step that has to succeed did not."""


class Stage:
    """The folder of an operation, prepared once, and the identifiers in it."""

    def __init__(self, operation, program, folder):
        self.operation, self.program, self.folder = operation, program, folder
        self.template, self.home = os.path.join(folder, "template"), os.path.join(folder, "home")
        # Every attempt uses the same path, because files may contain it.
        self.place, self.names = os.path.join(folder, "place"), {}
        os.makedirs(self.place)
        os.makedirs(self.home)
        maker = Peer(program, self.home)
        try:
            for step in operation.prepare:
                name, equals, command = step.partition(" = ")
                answer = self.ok(maker, command if equals else step)
                if equals:
                    self.names[name] = answer
        finally:
            maker.end()
        os.rename(self.place, self.template)

    def renew(self):
        """Makes the folder as it was prepared."""
        shutil.rmtree(self.place, ignore_errors=True)
        subprocess.run(["cp", "-a", self.template, self.place], check=True)

    def filled(self, step):
        return re.sub(r"\{(\w+)\}", lambda name: self.place if name[1] == "D" else self.names[name[1]], step)

    def ok(self, peer, step):
        """Performs a command that has to succeed: the result."""
        answer = peer.ask(self.filled(step))
        if not re.match("ok( |$)", answer):
            raise Broken(f"{step.split(': ')[0]}: {self.plain(answer)}")
        return answer[3:]

    def plain(self, text):
        """A text that is the same in each attempt."""
        for name, identifier in self.names.items():
            text = text.replace(identifier, f"<{name}>").replace(identifier.lower(), f"<{name}>")
        return _identifier.sub("<id>", text.replace(self.place, "DIR"))

    def step(self, peer, step):
        """Performs a step: its result."""
        word, colon, rest = step.partition(": ")
        if not colon or " " in word:
            return self.plain(self.ok(peer, step))
        if word == "raw":
            return read(os.path.join(self.place, rest))
        if word == "find":
            found = [
                self.plain(os.path.relpath(os.path.join(folder, rest), self.place)) + "=" + read(os.path.join(folder, rest))[:40]
                for folder, _, names in os.walk(self.place) if rest in names]
            return " ".join(sorted(found))
        if word == "sql":
            return query(os.path.join(self.place, rest.partition(" ")[0]), rest.partition(" ")[2])
        if word == "event":
            peer.event(rest)
            return ""
        raise ValueError(step)

    def tree(self):
        """The names of all files and folders."""
        found = set()
        for folder, folders, names in os.walk(self.place):
            for name in folders + names:
                # Numbers of processes and of segments differ between attempts.
                path = self.plain(os.path.relpath(os.path.join(folder, name), self.place))
                path = re.sub(r"\.shared/(edits|signals)/.*", "the socket of a process", path)
                found.add(re.sub(r"\d+", "#", path))
        return found


def read(path):
    try:
        with open(path, "rb") as file:
            return "".join(file.read().decode(errors="replace").split())
    except FileNotFoundError:
        return "missing"


def query(path, text):
    if not os.path.exists(path):
        return "missing"
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute(text).fetchone())
    except sqlite3.DatabaseError as error:
        return "missing" if "no such table" in str(error) else str(error)
    finally:
        connection.close()


class Attempt:
    """What happened: calls, answer, states, open files and locks, and problems that stopped it."""

    def __init__(self, stage, fault=None, skips=False, reference=None, known=frozenset()):
        operation = stage.operation
        self.fault, self.reference, self.problems, self.calls, self.others = fault, reference, [], [], []
        self.answer = self.state = self.mine = self.final = self.watched = None
        self.opened, self.locked, self.before, self.locked_before = [], [], [], []
        self.files, self.last_files, self.next = set(), set(), []
        stage.renew()
        peers = []

        def start():
            peers.append(Peer(stage.program, stage.home))
            return peers[-1]

        self.doing = "prepare"
        try:
            side = start() if operation.side else None
            for step in operation.side:
                stage.ok(side, step)
            victim = start()
            for step in operation.victim:
                stage.step(victim, step)
            stage.ok(victim, "ping")  # Before that, it may still be loading its libraries.
            victim.become_idle()
            self.before, self.locked_before = self.files_of(victim, stage)
            if not skips:
                self.perform(stage, victim)
            self.doing = "show the state"
            self.state = self.show(stage, start)
            self.files = stage.tree()
            self.doing = "show the process's own state"
            self.mine = [stage.step(victim, step) for step in operation.mine]
            self.doing = "repeat the operation"
            for step in operation.repeat if self.threw or skips else ():
                stage.step(victim, step)
            self.doing = "go on"
            for step in operation.again:
                self.next.append(stage.step(victim, step))
            self.doing = "go on in another process"
            other = start()
            for step in operation.other:
                self.next.append(stage.step(other, step))
            self.doing = "follow the other process"
            for step in () if skips else operation.watch:
                stage.step(victim, step)
            self.doing = "show the last state"
            self.final = self.show(stage, start)
            self.last_files = stage.tree()
            # A file that is just being written is gone in a moment; one that is left behind stays.
            end = time.monotonic() + 5
            while known and self.last_files - known and time.monotonic() < end:
                time.sleep(0.05)
                self.last_files = stage.tree()
        except (Silence, Broken) as error:
            self.problems.append(f"cannot {self.doing}: {error}")
        finally:
            self.complaints = " ".join(filter(None, (peer.complaints() for peer in peers[:1])))
            for peer in peers:
                peer.end()

    @staticmethod
    def show(stage, start):
        look = stage.operation.look
        peer = None if all(re.match("(raw|find|sql): ", step) for step in look) else start()
        return [stage.step(peer, step) for step in look]

    def perform(self, stage, victim):
        self.doing = "perform"
        trace = tracing.Trace(victim.pid, os.path.join(stage.folder, "trace"), self.fault)
        try:
            self.answer = stage.plain(victim.ask("marked " + stage.filled(stage.operation.act)))
        finally:
            trace.stop()
            self.calls, self.others = trace.calls()
        # Places that files were written to stay open for half a second; a leak stays longer.
        end = time.monotonic() + 5
        while True:
            self.opened, self.locked = self.files_of(victim, stage)
            if not self.reference or not (self.left_open or self.left_locked) or time.monotonic() > end:
                break
            time.sleep(0.05)

    @staticmethod
    def files_of(peer, stage):
        """The open files and the locked ones, with names that are the same in each attempt."""
        found = peer.files(stage.place)
        return [[stage.plain(name).replace(str(peer.pid), "<process>") for name in names] for names in found]

    @property
    def left_open(self):
        """The files that are open, and would not be without the fault."""
        allowed = collections.Counter(self.before) | collections.Counter(self.reference.opened)
        extra = collections.Counter(self.opened) - allowed
        # A database has as many connections as threads have read it at the same time.
        return sorted(name for name in extra if not (name in allowed and re.search(r"\.sqlite(-wal|-shm)?$", name)))

    @property
    def left_locked(self):
        # A suspension that failed leaves the locks as they were.
        return sorted(set(self.locked) - set(self.reference.locked) - set(self.locked_before if self.threw else ()))

    @property
    def threw(self):
        return bool(self.answer) and self.answer.startswith("error ")

    @property
    def failed(self):
        return [call for call in self.calls if call.failed]
