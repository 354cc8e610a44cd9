"""One round: processes that operate on one place, are killed, stopped and continued, and end."""
import collections
import functools
import os
import random
import select
import shutil
import signal
import subprocess
import tempfile
import time

from notes import APPEND, ELEMENT, TRANSACTION, WRITES, Tape, tapes, units
from peers import Peer, Silence

LIMIT = 120  # Seconds, which only a failing round takes.
READER = 9  # The worker that reads what is left.


@functools.cache
def can_trace():
    """Whether the system permits tracing. If not, processes are killed at random moments alone."""
    try:
        return not subprocess.run(["strace", "-f", "-qq", "-o", os.devnull, "true"], stderr=subprocess.DEVNULL).returncode
    except FileNotFoundError:
        return False


class Worker:
    """A worker: one process after the other, until all calls are made."""

    def __init__(self, round, number):
        self.round, self.number, self.life, self.made = round, number, 0, 0
        self.dice = random.Random(f"{round.seed} {number}")
        self.is_done = self.is_stopped = False
        self.peer = self.tape = None

    def start(self):
        """Starts the next process, which perhaps is to be killed at a system call."""
        place, dice = self.round.place, self.dice
        remaining = place.count - self.made
        self.traced = None
        tracer = []
        if can_trace() and dice.random() < 0.4 and remaining > 4:
            self.traced = dice.choice(sorted(place.calls))
            number = dice.randrange(1, max(2, min(remaining // 2, 40)))
            self.trace = os.path.join(self.round.folder, f"trace.{self.number}.{self.life}")
            tracer = ["strace", "-f", "-qq", "-o", self.trace, "-s", "100", "-e", f"trace={self.traced}", "-e",
                      f"inject={self.traced}:signal=KILL:when={number}"]
        # Otherwise it is killed or stopped after so many calls of its first thread, the last process of a worker not at all.
        self.actions = []
        if not self.traced:
            for _ in range(dice.randrange(0, 3)):
                self.actions.append((dice.randrange(1, max(2, remaining)), "stop"))
            if self.life < 4 and dice.random() < 0.9 and remaining > 4:
                self.actions.append((dice.randrange(1, remaining), "kill"))
            self.actions.sort()
        self.peer = Peer(self.round.program, self.round.folder, tracer, limit=LIMIT)
        self.ask(f"history {place.name} {self.round.folder} {self.number} {self.life} {dice.randrange(1 << 30)} "
                 f"{place.threads} {remaining}")
        self.tape = Tape(os.path.join(self.round.folder, "notes", f"{self.number}.{self.life}.0"))

    def ask(self, command):
        answer = self.peer.ask(command)
        if answer != "ok" and not answer.startswith("ok "):
            self.round.problems.append(f"{self.number}.{self.life}: {answer}")

    def begin(self):
        """Lets the process make its calls."""
        self.ask("history-begin")

    def listen(self):
        """Takes what the process has written."""
        if not self.peer.listen():
            return self.died()
        for event in self.peer.events:
            if event == "event done":
                self.is_done = True
            elif event.startswith("event problem"):
                self.round.problems.append(f"{self.number}.{self.life}: {event[14:]}")
        self.peer.events.clear()

    def died(self):
        """Follows a killed process by the next one."""
        counts = self.round.counts
        status = self.peer.process.wait()
        if status != -signal.SIGKILL:
            self.round.problems.append(f"{self.number}.{self.life} ended with {status}: {self.peer.complaints()}")
        counts["kills"] += 1
        if self.traced and self.was_writing():
            counts["kills inside a write"] += 1
        self.peer.end()
        self.made += len(self.tape)
        self.life += 1
        self.restart()

    def restart(self):
        self.made = min(self.made, self.round.place.count)
        try:
            self.start()
            self.begin()
        except Silence:
            if self.peer.process.wait() != -signal.SIGKILL:
                raise
            # It was killed while it opened the place.
            self.round.counts["kills"] += 1
            self.peer.end()
            self.life += 1
            self.restart()

    def was_writing(self):
        """Whether a traced process was killed between the first and the last system call of a write."""
        pattern, unfinished = self.round.place.calls[self.traced], {}
        with open(self.trace, errors="replace") as file:
            for line in file:
                thread, _, call = line.partition(" ")
                if "(" in call:
                    unfinished[thread] = call if call.endswith("<unfinished ...>\n") else ""
                elif "resumed" in call and not call.endswith("= ?\n"):
                    unfinished[thread] = ""
        if not any(map(pattern.search, unfinished.values())):
            return False
        folder = os.path.join(self.round.folder, "notes")
        return any(
            not note[2] and note[3] in WRITES | {TRANSACTION}
            for number in range(self.round.place.threads)
            for note in Tape(os.path.join(folder, f"{self.number}.{self.life}.{number}")).notes()[-6:])

    def act(self):
        """Kills, stops or continues the process if it is time."""
        if self.is_stopped:
            self.patience -= 1
            if self.patience <= 0:
                self.is_stopped = False
                os.kill(self.peer.pid, signal.SIGCONT)
            return
        if self.is_done or not self.actions or not self.tape.has(self.actions[0][0]):
            return
        _, action = self.actions.pop(0)
        if action == "kill":
            os.kill(self.peer.pid, signal.SIGKILL)
        else:
            os.kill(self.peer.pid, signal.SIGSTOP)
            self.round.counts["stops"] += 1
            self.is_stopped, self.patience = True, self.dice.randrange(1, 8)

    def end(self):
        if self.peer:
            self.peer.end(kills=not self.traced)


class Round:
    """One history."""

    def __init__(self, place, seed, program):
        self.place, self.seed, self.program = place, seed, program
        self.counts, self.problems = collections.Counter(), []
        self.folder = tempfile.mkdtemp(prefix="histories.", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        os.makedirs(os.path.join(self.folder, "notes"))
        os.makedirs(os.path.join(self.folder, "place"))
        self.notes = []

    def run(self):
        workers = [Worker(self, number) for number in range(1, 1 + random.Random(self.seed).randrange(2, 5))]
        try:
            try:
                self.record(workers)
            except Silence as silence:
                self.problems.append(str(silence))
            for tape in tapes(os.path.join(self.folder, "notes")):
                self.notes += tape.notes()
        finally:
            for worker in workers:
                worker.end()
            shutil.rmtree(self.folder, ignore_errors=True)
        for unit in units(self.notes):
            is_call = unit[0][3] != ELEMENT and not unit[0][0].is_observer
            self.counts["operations" if is_call else "observations"] += 1
            self.counts["writes"] += unit[0][3] in WRITES or any(step[3] == APPEND for step in unit)
        return self

    def record(self, workers):
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.begin()
        end = time.monotonic() + LIMIT
        while not all(worker.is_done and not worker.is_stopped for worker in workers):
            outputs = {worker.peer.output: worker for worker in workers}
            for output in select.select(list(outputs), [], [], 0.001)[0]:
                outputs[output].listen()
            for worker in workers:
                worker.act()
            if time.monotonic() > end:
                places = "; ".join(f"{worker.number} in {worker.peer.place()}" for worker in workers if not worker.is_done)
                raise Silence(f"the round did not end in {LIMIT} s: {places}")
        reader = Worker(self, READER)
        workers.append(reader)
        reader.made = self.place.count
        reader.start()
        reader.ask("history-read")
        for worker in workers[:-1]:
            worker.ask("history-settle")
