"""Makes each system call of an operation fail once, with each error that it can have, and judges what happened.

`.ci/machine faults` calls it with the program of Tests/Peer, and perhaps with an operation and a fault, `CALL:ERROR:NUMBER`.
"""
import collections
import concurrent.futures
import os
import random
import re
import shutil
import sys
import tempfile

from attempts import Attempt, Broken, Stage
from calls import errors_of, reason_to_leave_out
from operations import OPERATIONS
from tracing import Fault, Refused
from verdicts import judge, known_files, permission

WORDS = ("calls", "unreachable", "injections", "threw", "succeeded", "missed", "permitted", "wrong")
WORKERS = max(2, (os.cpu_count() or 2))
PART = 500  # The faults of one task.


class Run:
    """The attempts of one operation, or of a part of them."""

    def __init__(self, operation, program):
        self.operation, self.counts, self.wrong = operation, collections.Counter(), []
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="faults."))
        self.stage = Stage(operation, program, self.folder)
        self.old, self.new = Attempt(self.stage, skips=True), Attempt(self.stage)
        for attempt in (self.old, self.new):
            if attempt.problems:
                raise Broken(f"{operation.name} fails without a fault: {'; '.join(attempt.problems)}")
        if self.new.threw:
            raise Broken(f"{operation.name} fails without a fault: {self.new.answer}")

    def faults(self):
        """All faults of the table."""
        faults, groups = [], collections.defaultdict(list)
        # The tracer counts in every thread: these would fail together with a call that must not fail.
        taken = {(call.name, call.number) for call in self.new.others}
        for call in self.new.calls:
            if reason_to_leave_out(call.text):
                taken.add((call.name, call.number))
            elif errors_of(call.text) is None:
                raise Broken(f"the table does not have the call {call.text}")
            elif call.is_main:
                self.counts["calls"] += 1
                faults += [Fault(call.name, error, call.number) for error in errors_of(call.text)]
            else:
                groups[call.name, call.number].append(call)
        for (name, number), calls in groups.items():
            if (name, number) in taken:
                self.counts["unreachable"] += len(calls)
                continue
            self.counts["calls"] += len(calls)
            common = set.intersection(*[set(errors_of(call.text)) for call in calls])
            faults += [Fault(name, error, number, everywhere=True) for error in sorted(common)]
        return faults

    def attempt(self, fault):
        attempt = Attempt(self.stage, fault, reference=self.new, known=known_files(self.new, self.old))
        # Threads that run beside the operation do not make their calls in the same order each time.
        stray = [call for call in attempt.others + attempt.calls if call.failed and reason_to_leave_out(call.text)]
        # The next `read` after the operation is that of a command.
        is_command = not attempt.failed and fault.call == "read"
        if stray or is_command or any(call.failed for call in attempt.others) or not (attempt.failed or attempt.problems):
            self.counts["missed"] += 1
            return attempt, []
        self.counts["injections"] += 1
        self.counts["threw" if attempt.threw else "succeeded"] += 1
        found = judge(self.operation, self.new, self.old, attempt)
        problems = [problem for problem in found if not permission(self.operation, fault, problem)]
        self.counts["permitted"] += bool(found) and not problems
        if problems:
            self.counts["wrong"] += 1
            self.wrong.append((fault, attempt, problems))
        return attempt, problems

    def perform(self, faults):
        for fault in faults:
            self.attempt(fault)
        return self

    def add(self, other):
        self.counts += other.counts
        self.wrong += other.wrong

    def report(self):
        print(f"{self.operation.name}: " + ", ".join(f"{self.counts[word]} {word}" for word in WORDS), flush=True)
        for fault, attempt, problems in self.wrong:
            call = "; ".join(self.stage.plain(call.text)[:200] for call in attempt.failed)
            print(f"WRONG {self.operation.name} {fault}\n      in {call}")
            for problem in problems:
                print(f"      {problem[:600]}", flush=True)

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def one(program, name, text):
    """Repeats one attempt, and shows its calls."""
    run = Run(OPERATIONS[name], program)
    attempt, problems = run.attempt(Fault.parse(text))
    for call in attempt.calls:
        print(("FAILED " if call.failed else "       ") + f"{call.thread} {call.number} {run.stage.plain(call.text)[:300]}")
    print(f"answer: {attempt.answer}\nstate: {attempt.state}\nlast state: {attempt.final}")
    run.report()
    run.end()
    return run.wrong


def some(faults, most, dice):
    """At most so many faults, of as many calls as possible."""
    dice.shuffle(faults)
    seen = collections.Counter()
    ranks = {}
    for fault in faults:
        seen[fault.call, fault.number] += 1
        ranks[fault] = seen[fault.call, fault.number]
    return sorted(faults, key=ranks.get)[:most]


def main(program, names=None, count=None, most=None):
    """Runs the faults of the named operations, or of so many, and at most so many of each."""
    seed = int(os.environ.get("SIGNALS_SEED", random.randrange(1 << 30)))
    chosen = [OPERATIONS[name] for name in names or OPERATIONS]
    dice = random.Random(seed)
    if most:
        print(f"seed {seed}", flush=True)
    if count:
        chosen = dice.sample(chosen, count)
    seeds = {operation.name: dice.random() for operation in chosen}

    def perform(operation, part):
        run = Run(operation, program)
        try:
            faults = run.faults()
            if most:
                faults = some(faults, most, random.Random(seeds[operation.name]))
            rest = [] if part else faults[PART:]
            if part:
                run.counts.clear()  # The first part has counted the calls.
            return run.perform(faults[part * PART:][:PART]), -(-len(rest) // PART)
        finally:
            run.end()

    totals, broken, runs, waiting = collections.Counter(), [], {}, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        jobs = {pool.submit(perform, operation, 0): operation for operation in chosen}
        waiting.update(operation.name for operation in chosen)
        while jobs:
            done, _ = concurrent.futures.wait(jobs, return_when=concurrent.futures.FIRST_COMPLETED)
            for job in done:
                operation = jobs.pop(job)
                name = operation.name
                waiting[name] -= 1
                try:
                    run, more = job.result()
                except Broken as error:
                    broken.append(str(error))
                    print(f"BROKEN {name}: {error}", flush=True)
                    continue
                jobs.update({pool.submit(perform, operation, part): operation for part in range(1, more + 1)})
                waiting[name] += more
                if name in runs:
                    runs[name].add(run)
                else:
                    runs[name] = run
                if waiting[name]:
                    print(f"{name}: {waiting[name]} parts of {PART} to do, {runs[name].counts['wrong']} wrong", flush=True)
                    continue
                runs[name].report()
                totals += runs[name].counts
    print(f"{len(chosen)} operations: " + ", ".join(
        f"{totals[word]} {word}" for word in WORDS))
    return totals["wrong"] or broken


def run(program, *arguments):
    if len(arguments) > 1:
        return one(program, *arguments)
    if arguments:
        names = [name for name in OPERATIONS if re.fullmatch(arguments[0], name)]
        if not names:
            sys.exit(f"error: there is no operation {arguments[0]}: {' '.join(OPERATIONS)}")
        return main(program, names, most=int(os.environ.get("SIGNALS_FAULTS", 0)))
    if os.environ.get("SIGNALS_TORTURE"):
        return main(program)
    return main(program, count=8, most=6)


if __name__ == "__main__":
    try:
        failed = run(*sys.argv[1:])
    except Refused as error:
        print(f"skipped: the system does not permit tracing: {error}")
        sys.exit(77)
    if failed:
        sys.exit("error: wrong outcomes; repeat one with .ci/machine faults OPERATION CALL:ERROR:NUMBER")
