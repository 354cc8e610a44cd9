"""Records histories of processes that are killed and stopped, and judges them; see `.ci/histories`."""
import collections
import os
import random
import sys
import time

import judge
import notes as noting
from places import PLACES
from rounds import Round

# What a long run reaches: for each kind of place, and together.
WRITES = 50_000
TOGETHER = {"operations": 1_000_000, "kills": 2_000, "kills inside a write": 200, "stops": 500}
WORDS = ("rounds", "operations", "writes", "observations", "kills", "kills inside a write", "stops", "violations")


def words(counts):
    return ", ".join(f"{counts[word]} {word}" for word in WORDS)


def keep(round, violation):
    """Writes a history that breaks a rule to a file, shrunk: its path."""
    folder = os.environ.get("SIGNALS_HISTORIES", os.path.join(os.getcwd(), ".build", "histories"))
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{round.place.name}-{violation.rule.replace(' ', '-')}-{round.seed}.txt")
    for name, found in ((path + ".whole", round.notes), (path, judge.shrink(round.notes))):
        with open(name, "w") as file:
            file.write(f"# {violation}\n")
            file.writelines(noting.text(note) + "\n" for note in sorted(found, key=lambda note: note[1]))
    return path


def perform(place, seed, program):
    """Records and judges one history: its counts."""
    start = time.monotonic()
    round = Round(place, seed, program).run()
    counts = collections.Counter(round.counts, rounds=1, seconds=time.monotonic() - start)
    for problem in round.problems[:10]:
        print(f"PROBLEM {place.name} SIGNALS_SEED={seed}: {problem[:600]}", flush=True)
    violation = judge.verdict(round.notes)
    if violation:
        path = keep(round, violation)
        print(f"VIOLATION {place.name} SIGNALS_SEED={seed}: {violation}\n  shrunk to {path}", flush=True)
    counts["violations"] += bool(violation) + len(round.problems)
    return counts


def main(program, *names):
    unknown = [name for name in names if name not in PLACES]
    if unknown:
        sys.exit(f"error: there is no kind {unknown[0]}: {' '.join(PLACES)}")
    places = [PLACES[name] for name in names or PLACES]
    seed = int(os.environ.get("SIGNALS_SEED", random.randrange(1 << 30)))
    print(f"SIGNALS_SEED={seed}", flush=True)
    endless = bool(os.environ.get("SIGNALS_TORTURE"))
    totals = {place.name: collections.Counter() for place in places}

    def is_enough(place):
        counts = totals[place.name]
        if not endless:
            return counts["rounds"] >= place.rounds
        together = sum(totals.values(), collections.Counter())
        share = len(places) / len(PLACES)
        return counts["writes"] >= WRITES and all(together[word] >= share * TOGETHER[word] for word in TOGETHER)

    shown = time.monotonic()
    while not all(is_enough(place) for place in places):
        # The kind that has had the least.
        place = min((place for place in places if not is_enough(place)), key=lambda place: totals[place.name]["seconds"])
        # The seed of a round is that of a run which begins with it.
        counts = totals[place.name]
        counts.update(perform(place, seed + counts["rounds"], program))
        if endless and time.monotonic() > shown + 30:
            shown = time.monotonic()
            print(words(sum(totals.values(), collections.Counter())), flush=True)
    for name, counts in totals.items():
        print(f"{name}: {words(counts)}, {counts['operations'] / counts['seconds']:.0f} operations/s")
    together = sum(totals.values(), collections.Counter())
    print(f"together: {words(together)}")
    if together["violations"]:
        sys.exit("error: guarantees were broken; a seed repeats the programs of a history, but not its schedule")


if __name__ == "__main__":
    main(*sys.argv[1:])
