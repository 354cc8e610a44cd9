"""One round: processes of two versions on one folder, what they do, and how it is judged."""
import os
import random
import re
import shutil
import threading
import time

from missing import DIFFERENT, WITHOUT
from peers import LIMIT, Peer, Silence, temporary  # Of Tests/Faults.

PLACES = {}
WORDS = ("operations", "kills", "refusals")


class Wrong(Exception):
    """Something that a page of the documentation excludes."""


def place(function):
    """Declares what processes do in one kind of place; its name is that of the function."""
    PLACES[function.__name__.replace("_", "-")] = function
    return function


class Round:
    """A folder, and the processes of the earlier and of today's version that use it."""

    def __init__(self, name, kind, programs, seed, counts):
        self.name, self.kind, self.programs, self.counts = name, kind, programs, counts
        self.dice = random.Random(f"{seed} {kind} {name}")
        self.top = temporary("versions.")
        self.folder, self.home = self.top + "/folder", self.top + "/home"
        os.mkdir(self.folder)
        os.mkdir(self.home)
        self.peers, self.story, self.lock = [], [], threading.Lock()

    # Processes.

    def start(self, version, *commands):
        """A process of a version, `earlier` or `today`, after some commands."""
        peer = Peer(self.programs[version], self.home)
        peer.version = version
        self.peers.append(peer)
        for command in commands:
            self.do(peer, command)
        return peer

    def pair(self, *commands):
        """A process of each version, in random order."""
        return [self.start(version, *commands) for version in self.versions()]

    def versions(self):
        return self.dice.sample(["earlier", "today"], 2)

    def kill(self, peer):
        peer.process.kill()
        peer.process.wait()
        self.note(peer, "killed", "")
        self.counts["kills"] += 1
        try:
            peer.receive(lambda: False, "more")  # What it has reported until then.
        except Silence:
            self.leave(peer)

    def leave(self, peer):
        """Ends a process as if it was killed, without counting that."""
        self.peers.remove(peer)
        peer.end()

    # Commands.

    def note(self, peer, command, answer):
        with self.lock:
            self.story.append(f"{peer.version} {peer.pid}: {command[:200]} -> {answer[:300]}".replace(self.folder, "{D}"))

    def ask(self, peer, command):
        self.counts["operations"] += 1
        try:
            answer = peer.ask(command.replace("{D}", self.folder))
        except Silence as silence:
            raise Wrong(f"{peer.version}: {silence}")
        self.note(peer, command, answer)
        return answer

    def do(self, peer, command):
        """Performs a command that has to succeed: its result."""
        return self.result(peer, command, self.ask(peer, command))

    def result(self, peer, command, answer):
        if not re.match("ok( |$)", answer):
            raise Wrong(f"{peer.version}: {command}: {answer}")
        return answer[3:]

    def refused(self, peer, command, pattern):
        """Performs a command that has to throw a certain error, and to leave all files as they are."""
        before = self.content()
        answer = self.ask(peer, command)
        if not answer.startswith("error ") or not re.search(pattern, answer):
            raise Wrong(f"{peer.version}: {command}: {answer}, instead of an error like {pattern}")
        changed = [name for name, content in self.content().items() if before.get(name) != content]
        self.expect(not changed, f"{peer.version} has changed {changed} by {command}, which it refused")
        self.counts["refusals"] += 1

    def together(self, *pairs, killing=None, within=0.03, permitted=None):
        """Performs commands at the same time, and perhaps kills one of the processes meanwhile.

        Returns the results in the order of the commands, or `None` for that of a killed process. If a process is killed,
        the others may answer with the permitted error.
        """
        for peer, command in pairs:
            self.counts["operations"] += 1
            peer.send(command.replace("{D}", self.folder))
        results = []
        if killing:
            time.sleep(self.dice.uniform(0, within))  # A random moment, not a wait for something.
            self.kill(killing)
        for peer, command in pairs:
            if peer is killing:
                self.note(peer, command, "killed meanwhile")
                results.append(None)
                continue
            try:
                answer = peer.answer(command)
            except Silence as silence:
                raise Wrong(f"{peer.version}: {command}: {silence}")
            self.note(peer, command, answer)
            is_permitted = killing and permitted and answer.startswith("error ") and re.search(permitted, answer)
            results.append(answer if is_permitted else self.result(peer, command, answer))
        return results

    def event(self, peer, pattern):
        """Waits until a process has observed something."""
        matches = re.compile("event " + pattern).search
        self.until(peer, lambda: any(map(matches, peer.events)), f"event {pattern}")

    def until(self, peer, condition, name):
        """Reads what a process observes until a condition holds."""
        self.counts["observed"] += 1
        try:
            peer.receive(condition, name)
        except Silence as silence:
            raise Wrong(f"{peer.version}: {silence}; its last events are {peer.events[-3:]}")

    def last(self, peer, word, condition, name):
        """Waits until a condition holds for the last event that begins with a word."""
        def holds():
            found = [event for event in peer.events if event.startswith(f"event {word}")]
            return bool(found) and condition(found[-1].removeprefix(f"event {word}").strip())
        self.until(peer, holds, name)

    def dies(self, peer, command):
        """Performs a command at whose end the process has perhaps killed itself; returns whether it has."""
        self.counts["operations"] += 1
        try:
            answer = peer.ask(command.replace("{D}", self.folder))
        except Silence as silence:
            if peer.process.poll() is None:
                raise Wrong(f"{peer.version}: {silence}")
            self.note(peer, command, "killed itself")
            self.counts["kills"] += 1
            self.leave(peer)
            return True
        self.note(peer, command, answer)
        self.result(peer, command, answer)
        return False

    def renew_folder(self):
        """Ends all processes, and empties the folder."""
        for peer in self.peers[:]:
            self.leave(peer)
        shutil.rmtree(self.folder)
        os.mkdir(self.folder)

    def has(self, command):
        """Whether both versions have a command."""
        return command not in WITHOUT.get(self.kind, ())

    def shares(self, rule):
        """Whether a rule of today's pages holds for the earlier version too."""
        return rule not in DIFFERENT.get(self.kind, ())

    # Judging.

    def expect(self, condition, text):
        if not condition:
            raise Wrong(text)

    def agree(self, *commands, last):
        """What a new process of each version answers to the last command after the others, which must be the same."""
        answers = {}
        for version in self.versions():
            peer = self.start(version, *commands)
            answers[version] = self.do(peer, last)
            self.leave(peer)
        self.expect(len(set(answers.values())) == 1, f"{last}: {answers}")
        return answers["today"]

    def raw(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def content(self):
        """The contents of all files, except locks and what SQLite writes to read."""
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                if re.search(r"\.lock$|-(shm|wal|migration)$|\.author$|/bell$", path) or not os.path.isfile(path):
                    continue
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.folder)] = file.read()
        return found

    def one_holder(self):
        """Checks that no lock of the folder has two holders, under any of its names."""
        held = {}
        for peer in self.peers:
            for name in peer.files(self.folder)[1]:
                held.setdefault(name, []).append(peer.version)
        for name, holders in held.items():
            self.expect(len(holders) == 1 or "sqlite" in name, f"{name} is locked by {holders}")

    def wait_for_lock(self, peer, name, held):
        """Waits until a process holds a lock, or holds it no longer."""
        end = time.monotonic() + LIMIT
        while held != (name in peer.files(self.folder)[1]):
            self.expect(time.monotonic() < end, f"{peer.version} {'does not get' if held else 'keeps'} the lock {name}")
            time.sleep(0.001)

    def end(self):
        for peer in self.peers[:]:
            self.leave(peer)
        shutil.rmtree(self.top, ignore_errors=True)
