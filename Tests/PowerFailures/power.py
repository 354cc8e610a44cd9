"""Rebuilds the states that a power failure may leave at each moment of each protocol, and judges what processes make of them.

`.ci/power` calls it with the program of Tests/Peer, and perhaps with the name of a protocol.
"""
import collections
import concurrent.futures
import os
import random
import re
import shutil
import sys
import tempfile
import threading

from disk import Tree
from peers import Peer, Silence
from protocols import PROTOCOLS, Wrong
from recording import Broken, record
from states import MODELS, States

WORKERS = max(2, (os.cpu_count() or 2))
USES = 50  # Folders that a process looks at before the next one does.


def temporary(prefix):
    """A folder in memory if there is one: nothing here relies on a disk."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return os.path.realpath(tempfile.mkdtemp(prefix=prefix, dir=place))


class Observer:
    """Looks at folders with processes, each of which looks at many."""

    def __init__(self, program):
        self.program, self.home, self.peer, self.uses = program, temporary("power.home."), None, 0

    def look(self, protocol, tree, names, folder):
        """What the commands of a protocol answer in a folder, and what they find in it."""
        tree.build(folder)
        try:
            if self.uses >= USES:
                self.end()
            self.uses += 1
            self.peer = self.peer or Peer(self.program, self.home)
            seen = []
            for step in protocol.look:
                for name, value in names.items():
                    step = step.replace("{" + name + "}", value)
                if step.startswith("find: "):
                    wanted = step.removeprefix("find: ")
                    seen.append(" ".join(
                        f"{place}={content!r}" for place, _, content in Tree.read(folder).files()
                        if place.split("/")[-1] == wanted))
                else:
                    seen.append(self.peer.ask(step.replace("{D}", folder)).replace(folder, "{D}"))
            return tuple(seen)
        except Silence as silence:
            self.end()
            return (f"silence: {silence}".replace(folder, "{D}"),)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def end(self):
        if self.peer:
            self.peer.end()
        self.peer, self.uses = None, 0

    def close(self):
        self.end()
        shutil.rmtree(self.home, ignore_errors=True)


class Run:
    """One protocol: its recording, its states, and the verdicts."""

    def __init__(self, protocol, program, seed, change=None):
        self.protocol, self.program = protocol, program
        self.folder = temporary("power.")
        self.wrong = {model: collections.Counter() for model in MODELS}
        self.examples, self.fates, self.looked = {}, {model: collections.Counter() for model in MODELS}, 0
        try:
            os.mkdir(self.folder + "/recorded")
            self.recording = record(program, protocol, self.folder + "/recorded")
            if change:
                change(self.recording)
            self.states = States(self.recording, seed)
        except BaseException:
            self.end()
            raise

    def perform(self, pool, sample=None, dice=random):
        states = list(self.states.all.values())
        if sample and len(states) > sample:
            states = dice.sample(states, sample)
        local = threading.local()
        observers, lock, numbers = [], threading.Lock(), iter(range(1 << 60))

        def look(tree):
            if not hasattr(local, "observer"):
                local.observer = Observer(self.program)
                with lock:
                    observers.append(local.observer)
            with lock:
                number = next(numbers)
            return local.observer.look(self.protocol, tree, self.recording.names, f"{self.folder}/{number}")

        try:
            references = list(pool.map(look, self._references()))
            for reference in references:
                if reference[0].startswith("silence"):
                    raise Broken(f"{self.protocol.name}: {reference}")
            for state, seen in zip(states, pool.map(lambda state: look(state.tree), states)):
                self._judge(state, seen, references)
                self.looked += 1
        finally:
            for observer in observers:
                observer.close()
        return self

    def _references(self):
        """The folder after each answer, with everything on the disk."""
        recording, trees, tree, done = self.recording, [], self.recording.now.copy(), 0
        tree.names = {number: dict(recording.before.names.get(number, {})) for number in tree.names}
        tree.contents = {number: bytearray(recording.before.contents.get(number, b"")) for number in tree.contents}
        for moment in recording.moments:
            for operation in recording.operations[done:moment.operations]:
                tree.apply(operation)
            done = moment.operations
            if moment.answered == len(trees):
                trees.append(tree.copy())
        if len(trees) < len(self.protocol.steps) + 1:
            raise Broken(f"{self.protocol.name}: {len(trees) - 1} answers to {len(self.protocol.steps)} commands")
        return trees

    def _judge(self, state, seen, references):
        for model in MODELS:
            is_wrong = False
            for answered, moment in state.answered[model].items():
                try:
                    if seen[0].startswith("silence"):
                        raise Wrong(seen[0])
                    self.protocol.judge(seen, references, answered)
                except Wrong as wrong:
                    is_wrong = True
                    self.examples.setdefault((model, str(wrong)), (state, answered, moment, seen))
            self.wrong[model]["wrong"] += is_wrong
            if self.protocol.key and state.answered[model]:
                self._note(model, state, seen)

    def _note(self, model, state, seen):
        """What became of the file, and what of its value."""
        contents = [content for place, _, content in state.tree.files() if place == self.protocol.key]
        whole = {bytes(content) for content in self._contents()}
        fate = ("missing" if not contents else "empty" if not contents[0] else "whole" if contents[0] in whole else "damaged")
        value = seen[1].split(" ")
        outcome = " ".join(value[1:])
        outcome = re.sub(r"\(.*", "", outcome)
        self.fates[model][fate, outcome if fate != "whole" else "an older or the current value"] += 1

    def _contents(self):
        contents = {number: bytearray() for number in self.recording.now.contents}
        yield from self.recording.before.contents.values()
        for number, content in self.recording.now.contents.items():
            yield content

    def report(self):
        counts = ", ".join(
            f"{model}: {self.states.counts[model]} states ("
            f"{sum(bool(state.answered[model]) for state in self.states.all.values())} distinct), {self.wrong[model]['wrong']} wrong"
            for model in MODELS)
        print(f"{self.protocol.name}: {self.recording.calls} calls, {len(self.recording.moments)} moments; {counts}"
              + f"; looked at {self.looked} of {len(self.states.all)}"
              + (f"; {self.states.bounded} sets bounded" if self.states.bounded else ""), flush=True)
        for (model, problem), (state, answered, moment, seen) in self.examples.items():
            print(f"WRONG {self.protocol.name} {model}: {problem[:300]}\n      after {answered} answers, at moment {moment}")
            for answer in seen:
                print(f"      saw {answer[:200]}")
            for place, kind, content in state.tree.files():
                print(f"      {kind} {place} {len(content)} {content[:60]}")
        sys.stdout.flush()

    @property
    def is_wrong(self):
        return any(counts["wrong"] for counts in self.wrong.values())

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)


# MARK: Deliberate faults

def without(kind):
    """Removes the syncs of a kind from a recording."""
    def change(recording):
        recording.syncs = [
            sync if sync.kind != kind else type(sync)(sync.file, 0, sync.kind) for sync in recording.syncs]
    return change


def check_that_it_can_fail(program, pool, seed):
    """Fails unless missing syncs are found."""
    for kind in ("file", "directory"):
        run = Run(PROTOCOLS["file-json-storage"], program, seed, without(kind))
        try:
            run.perform(pool)
            for model in MODELS:
                if not run.wrong[model]["wrong"]:
                    sys.exit(f"error: a missing sync of a {kind} is not found under the model {model}")
            print(f"without syncs of a {kind}: " + ", ".join(
                f"{run.wrong[model]['wrong']} wrong ({model})" for model in MODELS), flush=True)
        finally:
            run.end()


def table(runs):
    print("\nWhat `.process` may leave:")
    for run in runs:
        if run.protocol.key and run.protocol.name.endswith("process"):
            for model in MODELS:
                for (fate, outcome), count in sorted(run.fates[model].items()):
                    print(f"| {run.protocol.name} | {model} | {fate} | {outcome} | {count} |")


def main(program, pattern=None):
    seed = int(os.environ.get("SIGNALS_SEED", random.randrange(1 << 30)))
    chosen = [protocol for name, protocol in PROTOCOLS.items() if pattern is None or re.fullmatch(pattern, name)]
    if not chosen:
        sys.exit(f"error: there is no protocol {pattern}: {' '.join(PROTOCOLS)}")
    sample = None if pattern or os.environ.get("SIGNALS_TORTURE") else 12
    print(f"seed {seed}", flush=True)
    dice, failed, runs = random.Random(seed), [], []
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        if not pattern:
            check_that_it_can_fail(program, pool, seed)
        for protocol in chosen:
            try:
                run = Run(protocol, program, seed)
            except Broken as error:
                print(f"BROKEN {error}", flush=True)
                failed.append(protocol.name)
                continue
            try:
                run.perform(pool, sample, dice)
                run.report()
                runs.append(run)
                failed += [protocol.name] * run.is_wrong
            except Broken as error:
                print(f"BROKEN {error}", flush=True)
                failed.append(protocol.name)
            finally:
                run.end()
    table(runs)
    if failed:
        sys.exit(f"error: wrong outcomes in {', '.join(failed)}; repeat one with SIGNALS_SEED={seed} .ci/power PROTOCOL")


if __name__ == "__main__":
    main(*sys.argv[1:])
