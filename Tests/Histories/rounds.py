"""One round: processes that operate on one place, are killed, stopped and continued, and end."""
import collections
import os
import random
import select
import shutil
import signal
import time

import streams
from notes import APPEND, REMAINS, TRANSACTION, WRITES, Tape, tapes, units
from peers import Peer, Silence, temporary
from tracing import Refused, Trace

LIMIT = 60  # Seconds, which only a failing round takes.
PREPARER, READER = 8, 9  # The workers that write what there is before, and read what is left.


class Kill:
    """A kill at the N-th system call of a name and a thread."""

    def __init__(self, call, number):
        self.call = call
        self.options = ["-f", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]


class Worker:
    """A worker: one process after the other, until all calls are made."""

    def __init__(self, round, number):
        self.round, self.number, self.life, self.made = round, number, 0, 0
        self.dice = random.Random(f"{round.seed} {number}")
        self.peer = None

    def start(self):
        """Starts the next process. It is killed at a system call, or at a random moment, or never."""
        place, dice = self.round.place, self.dice
        remaining = place.count - self.made if self.number < PREPARER else 0
        self.trace, self.actions, self.is_done, self.is_stopped = None, [], False, False
        # It is killed or stopped after so many calls of its first thread.
        for _ in range(dice.randrange(0, 3)):
            self.actions.append((dice.randrange(1, max(2, remaining)), "stop"))
        moment = dice.random() if remaining > 4 else 1
        if moment < 0.5:
            self.actions.append((dice.randrange(1, remaining), "kill"))
        self.actions.sort()
        self.peer = Peer(self.round.program, self.round.folder, limit=LIMIT)
        self.ask(f"history {place.name} {self.round.folder} {self.number} {self.life} {dice.randrange(1 << 30)} "
                 f"{place.threads} {remaining}")
        self.tape = Tape(os.path.join(self.round.folder, "notes", f"{self.number}.{self.life}.0"))
        if 0.5 <= moment < 0.9:
            self.kill = Kill(dice.choice(sorted(place.calls)), dice.randrange(1, max(2, min(remaining // 2, 40))))
            try:
                self.trace = Trace(self.peer.pid, os.path.join(self.round.folder, f"trace.{self.number}.{self.life}"), self.kill)
                self.actions = []
            except (Refused, FileNotFoundError):
                pass  # Where tracing is not permitted, all kills are at random moments.

    def ask(self, command):
        answer = self.peer.ask(command)
        if answer != "ok" and not answer.startswith("ok "):
            self.round.problems.append(f"{self.number}.{self.life}: {answer}")

    def begin(self):
        """Lets the process make its calls."""
        try:
            self.ask("history-begin")
        except Silence:
            if not self.was_killed():
                raise

    def settle(self):
        """Lets the process compare its memory with the disk. Returns `False` if a late kill begins its next life."""
        try:
            self.ask("history-settle")
            return True
        except Silence:
            if not self.was_killed():
                raise
            self.died()
            return False

    def was_killed(self):
        """Whether a process that has closed its output was killed."""
        return self.peer.process.wait(LIMIT) == -signal.SIGKILL

    def listen(self):
        """Takes what the process has written."""
        if not self.peer.listen():
            self.died()

    def notice(self):
        """Takes the events that have arrived, perhaps with an answer."""
        for event in self.peer.events:
            if event == "event done":
                self.is_done = True
                if self.trace:
                    self.trace.stop()
            elif event.startswith("event problem"):
                self.round.problems.append(f"{self.number}.{self.life}: {event[14:]}")
        self.peer.events.clear()

    def died(self):
        """Follows a killed process by the next one."""
        if not self.was_killed():
            self.round.problems.append(f"{self.number}.{self.life} ended: {self.peer.complaints()}")
        self.round.counts["kills"] += 1
        if self.trace and self.was_writing():
            self.round.counts["kills inside a write"] += 1
        self.peer.end()
        self.made = min(self.made + len(self.tape), self.round.place.count)
        self.life += 1
        # A stopped process may hold a lock that the next one waits for.
        for worker in self.round.workers:
            worker.go_on()
        self.start()
        self.begin()

    def was_writing(self):
        """Whether a traced process was killed between the first and the last system call of a write."""
        self.trace.process.communicate()
        pattern, unfinished = self.round.place.calls[self.kill.call], {}
        with open(self.trace.path, errors="replace") as file:
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
                self.go_on()
            return
        if self.is_done or not self.actions or not self.tape.has(self.actions[0][0]):
            return
        _, action = self.actions.pop(0)
        if action == "kill":
            os.kill(self.peer.pid, signal.SIGKILL)
            self.actions = []
        else:
            os.kill(self.peer.pid, signal.SIGSTOP)
            self.round.counts["stops"] += 1
            self.is_stopped, self.patience = True, self.dice.randrange(1, 8)

    def go_on(self):
        if self.is_stopped:
            self.is_stopped = False
            os.kill(self.peer.pid, signal.SIGCONT)

    def end(self):
        if self.peer:
            self.peer.end()


class Round:
    """One history."""

    def __init__(self, place, seed, program):
        self.place, self.seed, self.program = place, seed, program
        self.counts, self.problems, self.workers = collections.Counter(), [], []
        self.folder = temporary("histories.")
        os.makedirs(os.path.join(self.folder, "notes"))
        os.makedirs(os.path.join(self.folder, "place"))
        self.notes = []

    def run(self):
        try:
            try:
                self.record()
            except Silence as silence:
                self.problems.append(str(silence))
            self.notes = self.collect()
        finally:
            for worker in self.workers:
                worker.end()
            shutil.rmtree(self.folder, ignore_errors=True)
        for unit in units(self.notes):
            is_call = unit[0][3] not in REMAINS and not unit[0][0].is_observer
            self.counts["operations" if is_call else "observations"] += 1
            self.counts["writes"] += unit[0][3] in WRITES or any(step[3] == APPEND for step in unit)
        return self

    def record(self):
        if self.place.is_prepared:
            preparer = self.hire(PREPARER)
            preparer.ask("history-prepare")
            preparer.end()
            for tape in tapes(os.path.join(self.folder, "notes")):
                os.remove(tape.path)
        workers = [self.hire(number) for number in range(1, 1 + random.Random(self.seed).randrange(2, 5))]
        for worker in workers:
            worker.begin()
        self.drive(workers)
        reader = self.hire(READER)
        while not self.has_settled(reader, workers):
            self.drive(workers)
        end = time.monotonic() + LIMIT
        while self.place.is_stream and time.monotonic() < end and streams.missing(self.collect()):
            time.sleep(0.01)

    def has_settled(self, reader, workers):
        """Lets what is left be read and compared with all memories. Returns `False` if a late kill begins another life, which
        may write."""
        reader.ask("history-read")
        return all(worker.settle() for worker in workers)

    def hire(self, number):
        worker = Worker(self, number)
        self.workers.append(worker)
        worker.start()
        return worker

    def drive(self, workers):
        """Kills, stops and continues processes until all calls are made."""
        end = time.monotonic() + LIMIT
        while not all(worker.is_done and not worker.is_stopped for worker in workers):
            outputs = {worker.peer.output: worker for worker in workers}
            for output in select.select(list(outputs), [], [], 0.001)[0]:
                outputs[output].listen()
            for worker in workers:
                worker.notice()
                worker.act()
            if time.monotonic() > end:
                places = "; ".join(f"{worker.number} in {worker.peer.place()}" for worker in workers if not worker.is_done)
                raise Silence(f"the round did not end in {LIMIT} s: {places}")

    def collect(self):
        """All notes that have been made."""
        return [note for tape in tapes(os.path.join(self.folder, "notes")) for note in tape.notes()]
