"""Rebuilds the states that a power failure may leave at each moment of a protocol, and judges what processes make of them.

`.ci/machine power` calls it with the program of Tests/Peer, and perhaps with the name of a protocol. A protocol is performed
once, under strace. Its calls become operations on a model of the folder, which must explain the folder that the process has
left. The references are what a process sees after each answer, with everything on the disk. Each distinct state is built in a
folder of its own, and a process looks at it. The verdict compares that with the references of the answers that had been given.

As a check of the check, each protocol that waits for the disk is judged again without the syncs of files, and without those of
directories, which must give wrong outcomes.
"""
import collections
import concurrent.futures
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import threading

from disk import Sync, Tree
from peers import Peer, Silence, temporary  # Of Tests/Faults.
from protocols import PROTOCOLS, Wrong
from recording import LIMIT, Broken, record
from states import MODELS, States

WORKERS = max(2, (os.cpu_count() or 2))
MANY, MUTATED = 2000, 250  # States of a protocol that is named, and of its deliberate faults.
SAMPLED, SAMPLE = 8, (5, 20)  # Of the short run: protocols, and the moments and states of each.
USES = 50  # Folders that a process looks at before the next one does.


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
            self.peer = self.peer or Peer(self.program, self.home, limit=LIMIT)
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
            self.peer.end(kills=False)
        self.peer, self.uses = None, 0

    def close(self):
        self.end()
        shutil.rmtree(self.home, ignore_errors=True)


class Run:
    """One protocol: its recording, its states, and the verdicts."""

    def __init__(self, protocol, program, seed, moments=None):
        self.protocol, self.program = protocol, program
        self.folder = temporary("power.")
        # A process may still write into a folder while it is removed, so its number is never used again.
        self.numbers = itertools.count()
        try:
            os.mkdir(self.folder + "/recorded")
            self.recording = record(program, protocol, self.folder + "/recorded")
            self.restart(seed, moments)
        except BaseException:
            self.end()
            raise

    def restart(self, seed, moments=None):
        """Enumerates the states of the recording, and forgets all verdicts."""
        self.wrong = {model: 0 for model in MODELS}
        self.examples, self.fates, self.looked = {}, {model: collections.Counter() for model in MODELS}, 0
        self.states = States(self.recording, seed, moments)
        return self

    def perform(self, pool, sample=None, dice=random):
        states = list(self.states.all.values())
        if sample and len(states) > sample:
            states = dice.sample(states, sample)
        local = threading.local()
        observers, lock = [], threading.Lock()

        def look(tree):
            if not hasattr(local, "observer"):
                local.observer = Observer(self.program)
                with lock:
                    observers.append(local.observer)
            with lock:
                number = next(self.numbers)
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
            self.wrong[model] += is_wrong
            if self.protocol.key and state.answered[model]:
                self._note(model, state, seen)

    def _note(self, model, state, seen):
        """What became of the file, and what of its value."""
        contents = [content for place, _, content in state.tree.files() if place == self.protocol.key]
        whole = {bytes(content) for content in self.recording.now.contents.values()}
        fate = "missing" if not contents else "empty" if not contents[0] else "whole" if contents[0] in whole else "damaged"
        value, _, status = seen[1].removeprefix("ok ").partition(" ")
        if fate == "whole":
            outcome = "an older or the current value"
        elif "stale" in status:
            outcome = "the initial value, and a failure"
        elif fate == "damaged":
            outcome = "the damaged value"
        else:
            outcome = "the initial value" if fate == "missing" else "an empty value"
        self.fates[model][fate, outcome] += 1

    def report(self):
        counts = ", ".join(
            f"{model}: {self.states.counts[model]} states ("
            f"{sum(bool(state.answered[model]) for state in self.states.all.values())} distinct), {self.wrong[model]} wrong"
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
    def fails(self):
        return any(self.wrong.values())

    def end(self):
        """Keeps only what the table needs."""
        self.states = None
        shutil.rmtree(self.folder, ignore_errors=True)


# MARK: Deliberate faults

def missing(syncs, kind):
    """The syncs of a recording without those of a kind, as if they had begun before everything else."""
    return [
        Sync(sync.file, 0, sync.kind) if sync.kind == kind or kind == "file" and sync.kind == "everything" else sync
        for sync in syncs]


FAULTS = (("of files", "file"), ("of directories", "directory"))


def check_that_it_can_fail(run, pool, seed):
    """Fails unless syncs that are missing in a recording are found."""
    syncs, missed = run.recording.syncs, []
    for what, *which in FAULTS:
        run.recording.syncs = missing(syncs, *which)
        run.restart(seed).perform(pool, MUTATED, random.Random(seed))
        print(f"{run.protocol.name} without syncs {what}: " + ", ".join(
            f"{run.wrong[model]} wrong ({model})" for model in MODELS), flush=True)
        missed += [f"missing syncs {what} are not found in {run.protocol.name}"] * (not any(run.wrong.values()))
    return missed


def table(runs):
    """What `.process` may leave, and what becomes of the value; each with the models that permit it."""
    found = collections.defaultdict(set)
    for run in runs:
        for model in MODELS:
            for fate in run.fates[model]:
                found[run.protocol.name, *fate].add(model)
    if found:
        print("\n| protocol | the file is | the next process has | models |\n|---|---|---|---|")
    for (name, fate, outcome), models in sorted(found.items()):
        print(f"| {name} | {fate} | {outcome} | {', '.join(sorted(models))} |")


def main(program, pattern=None):
    seed = int(os.environ.get("SIGNALS_SEED", random.randrange(1 << 30)))
    chosen = [protocol for name, protocol in PROTOCOLS.items() if pattern is None or re.fullmatch(pattern, name)]
    if not chosen:
        sys.exit(f"error: there is no protocol {pattern}: {' '.join(PROTOCOLS)}")
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True)
    if tried.returncode:
        print("skipped: the system does not permit tracing: " + tried.stderr.strip())
        sys.exit(77)
    print(f"seed {seed}", flush=True)
    dice, failed, runs, is_whole = random.Random(seed), [], [], bool(os.environ.get("SIGNALS_TORTURE"))
    moments, states = (None, None) if is_whole else (None, MANY) if pattern else SAMPLE
    if not is_whole and not pattern:
        chosen = dice.sample(chosen, SAMPLED)

    def prepared(protocol):
        try:
            return Run(protocol, program, seed, moments=moments)
        except Broken as error:
            return error

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool, concurrent.futures.ThreadPoolExecutor(WORKERS) as recorders:
        if not pattern:
            with_faults = Run(PROTOCOLS["secret"], program, seed)
            failed += check_that_it_can_fail(with_faults, pool, seed)
            with_faults.end()
        for protocol, run in zip(chosen, recorders.map(prepared, chosen) if not is_whole else map(prepared, chosen)):
            try:
                if isinstance(run, Broken):
                    raise run
                run.perform(pool, states, dice)
                run.report()
                runs.append(run)
                failed += [protocol.name] * run.fails
                if protocol.waits and (is_whole or pattern):
                    failed += check_that_it_can_fail(run, pool, seed)
            except Broken as error:
                print(f"BROKEN {error}", flush=True)
                failed.append(protocol.name)
            finally:
                if isinstance(run, Run):
                    run.end()
    if is_whole or pattern:
        table(runs)
    if failed:
        sys.exit(f"error: {', '.join(failed)}; repeat a protocol with SIGNALS_SEED={seed} .ci/machine power PROTOCOL")


if __name__ == "__main__":
    main(*sys.argv[1:])
