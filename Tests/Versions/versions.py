"""Lets processes of an earlier version and of today's use the same folders, kills some, and judges what they make of it.

`.ci/machine versions` calls it with today's program of Tests/Peer, perhaps with a place (a regular expression) and a commit.
"""
import collections
import concurrent.futures
import os
import random
import re
import sys
import time
import traceback

import building
import databases  # noqa: F401: these modules declare the places.
import environments  # noqa: F401
import later  # noqa: F401
import logs  # noqa: F401
import sessions  # noqa: F401
import values  # noqa: F401
from missing import WITHOUT
from rounds import PLACES, WORDS, Round, Wrong

WORKERS = max(2, (os.cpu_count() or 2))
TORTURE_SECONDS = 600


def check_missing(commit, missing):
    """Ends the program if the list of missing commands names one that the earlier peer has."""
    for command in missing:
        if building.git("grep", "--quiet", f'"{command}"', commit, "--", "Tests/Peer") is not None:
            sys.exit(f"error: the peer of {commit} has the command {command}: remove it from Tests/Versions/missing.py")


def perform(name, kind, programs, seed):
    """One round: its counts, and what was wrong."""
    counts = collections.Counter()
    round = Round(name, kind, programs, seed, counts)
    try:
        PLACES[name](round)
        return counts, None
    except Wrong as wrong:
        problem = str(wrong)
    except Exception:  # A round must not end the others.
        problem = traceback.format_exc()
    finally:
        round.end()
    story = "\n      ".join(round.story[-25:])
    again = f"SIGNALS_SEED={seed} .ci/machine versions {name}"
    return counts, f"WRONG {name} beside {kind}, repeat with {again}: {problem}\n      {story}"


def main(today, pattern=".*", commit=None):
    torture = os.environ.get("SIGNALS_TORTURE")
    programs = {}
    for kind, earlier in building.choose(commit).items():
        programs[kind] = {"earlier": building.program(earlier), "today": today}
        check_missing(earlier, WITHOUT.get(kind, ()))
        print(f"{kind}: {earlier[:8]}", flush=True)
    names = [name for name in PLACES if re.fullmatch(pattern, name)]
    if not names:
        sys.exit(f"error: there is no place {pattern}: {' '.join(PLACES)}")

    first = int(os.environ.get("SIGNALS_SEED", random.randrange(1 << 30)))
    limit = 0 if not torture else max(int(torture), TORTURE_SECONDS if torture == "1" else 0)
    end, totals, rounds, wrong = time.monotonic() + limit, collections.Counter(), 0, []
    print(f"seed {first}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        seed = first
        while not wrong and (seed == first or time.monotonic() < end):
            jobs = {
                pool.submit(perform, name, kind, programs[kind], seed): name
                for kind in programs for name in names}
            for job in concurrent.futures.as_completed(jobs):
                counts, problem = job.result()
                totals += counts
                rounds += 1
                if problem:
                    wrong.append(problem)
                    print(problem, flush=True)
            seed += 1
    print(
        f"{len(programs)} pairs of versions, {len(names)} places, {rounds} rounds: "
        + ", ".join(f"{totals[word]} {word}" for word in WORDS) + f", {len(wrong)} wrong")
    return wrong


if __name__ == "__main__":
    if main(*sys.argv[1:]):
        sys.exit("error: two versions do not work together")
