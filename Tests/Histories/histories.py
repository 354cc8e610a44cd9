"""Records histories of processes that are killed and stopped, and judges them; see `.ci/machine histories`."""
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
    """Records and judges one history: its counts, and what is wrong in it."""
    start = time.monotonic()
    round = Round(place, seed, program).run()
    counts = collections.Counter(round.counts, rounds=1, seconds=time.monotonic() - start)
    complaints = [f"PROBLEM {place.name} SIGNALS_SEED={seed}: {problem[:600]}" for problem in round.problems]
    start = time.monotonic()
    violation = judge.verdict(round.notes)
    if time.monotonic() > start + 20:
        print(f"{place.name}: SIGNALS_SEED={seed} was judged for {time.monotonic() - start:.0f} s", flush=True)
    if violation:
        complaints.append(f"VIOLATION {place.name} SIGNALS_SEED={seed}: {violation}\n  shrunk to {keep(round, violation)}")
    counts["violations"] += len(complaints)
    return counts, complaints[-10:]


def main(program, *names):
    unknown = [name for name in names if name not in PLACES]
    if unknown:
        sys.exit(f"error: there is no kind {unknown[0]}: {' '.join(PLACES)}")
    places = [PLACES[name] for name in names or PLACES]
    seed = int(os.environ.get("SIGNALS_SEED", random.randrange(1 << 30)))
    print(f"SIGNALS_SEED={seed}", flush=True)
    torture = int(os.environ.get("SIGNALS_TORTURE", 0))
    totals = {place.name: collections.Counter() for place in places}

    def wanted():
        """The kind of which a history is to be recorded next: the one that has had the least time, or `None`."""
        if torture > 1:
            lacking = places if time.monotonic() < began + torture else []
        elif torture:
            lacking = [place for place in places if totals[place.name]["writes"] < WRITES]
            if not lacking and any(together()[word] < TOGETHER[word] * len(places) / len(PLACES) for word in TOGETHER):
                return max(places, key=lambda place: totals[place.name]["operations"] / totals[place.name]["seconds"])
        else:
            lacking = [place for place in places if totals[place.name]["rounds"] < place.rounds]
        return min(lacking, key=lambda place: totals[place.name]["seconds"], default=None)

    def together():
        return sum(totals.values(), collections.Counter())

    complaints, began = [], time.monotonic()
    shown = began
    while place := wanted():
        counts = totals[place.name]
        # The seed of a round is that of a run which begins with it.
        found, wrong = perform(place, seed + counts["rounds"], program)
        counts.update(found)
        complaints += wrong
        for complaint in wrong:
            print(complaint, flush=True)
        if torture and time.monotonic() > shown + 30:
            shown = time.monotonic()
            print(words(together()), flush=True)
    for name, counts in totals.items():
        if counts["rounds"]:
            print(f"{name}: {words(counts)}, {counts['operations'] / counts['seconds']:.0f} operations/s")
    print(f"together: {words(together())}")
    if complaints:
        print("\n".join(complaints[:3]))  # Again, because the end is what a log of many steps shows.
        sys.exit("error: guarantees were broken; a seed repeats the programs of a history, but not its schedule")


if __name__ == "__main__":
    main(*sys.argv[1:])
