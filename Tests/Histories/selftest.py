"""Checks the judge: it rejects each bad history for its rule, accepts the good ones, and agrees with a plain search.

A history that broke a rule, and was shrunk, is kept as another file of `fixtures/bad`.
"""
import itertools
import os
import random
import sys

import judge
import notes as noting
import registers
from notes import READ, UPDATE, WRITE, Thread

FIXTURES = os.path.join(os.path.dirname(__file__), "fixtures")


def fixtures(kind):
    folder = os.path.join(FIXTURES, kind)
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as file:
            comment = file.readline()[1:].strip()
        yield name, comment.partition(":")[0], noting.load(os.path.join(folder, name))


def check_fixtures():
    """Judges the histories that were written by hand: the complaints, and the numbers of bad and good ones."""
    complaints, rules, goods = [], set(), 0
    for name, rule, notes in fixtures("bad"):
        found = judge.verdict(notes)
        rules.add(rule)
        if found is None or found.rule != rule:
            complaints.append(f"bad/{name} must break the rule {rule}: {found}")
        elif judge.verdict(judge.shrink(notes)).rule != rule:
            complaints.append(f"bad/{name} breaks another rule after it was shrunk")
    for name, _, notes in fixtures("good"):
        goods += 1
        if found := judge.verdict(notes):
            complaints.append(f"good/{name} breaks no rule: {found}")
    complaints += [f"no bad history breaks the rule {rule}" for rule in judge.RULES - rules]
    return complaints, len(list(fixtures("bad"))), goods


def is_linear(notes):
    """Whether an order of the calls explains a history: tries all."""
    done = [note for note in notes if note[2]]
    killed = [note for note in notes if not note[2] and note[3] != READ]
    for count in range(len(killed) + 1):
        for happened in itertools.combinations(killed, count):
            for calls in itertools.permutations([*done, *happened]):
                value, is_legal = 0, True
                for place, (_, call, answer, kind, _, argument, result, *_) in enumerate(calls):
                    # Nothing that follows may have ended before this began.
                    if any(later[2] and later[2] < call for later in calls[place + 1:]) or (
                            answer and kind != WRITE and result != value):
                        is_legal = False
                        break
                    if kind != READ:
                        value = argument
                if is_legal:
                    return True
    return False


def simulate(dice, length, threads, kills=True):
    """A history of a register that works."""
    time, value, fresh, running, notes = 0, 0, 0, {}, []
    lives = dict.fromkeys(range(threads), 0)
    while len(notes) + len(running) < length or running:
        time += 1
        worker = dice.randrange(threads)
        if worker not in running:
            if len(notes) + len(running) < length:
                kind = dice.choice((WRITE, UPDATE, READ))
                fresh += kind != READ
                running[worker] = [time, kind, fresh if kind != READ else 0, None]
            continue
        call, kind, argument, result = running[worker]
        if result is None and dice.random() < 0.5:
            running[worker][3] = value if kind != WRITE else 0
            value = argument if kind != READ else value
        elif kills and dice.random() < 0.1:
            notes.append((Thread(worker, lives[worker], 0), call, 0, kind, 0, argument, 0, 0, 0))
            lives[worker] += 1
            del running[worker]
        elif result is not None:
            notes.append((Thread(worker, lives[worker], 0), call, time, kind, 0, argument, result, 0, 0))
            del running[worker]
    return notes


def changed(dice, notes):
    """A history with another answer of one call."""
    notes = list(notes)
    places = [place for place, note in enumerate(notes) if note[2] and note[3] != WRITE]
    if places:
        place = dice.choice(places)
        note = notes[place]
        values = [0, *(other[5] for other in notes if other[3] != READ)]
        notes[place] = (*note[:6], dice.choice(values), *note[7:])
    return notes


def judge_register(notes):
    try:
        registers.linearize(registers.settled(notes))
    except registers.Violation:
        return False
    return True


def judge_switches(notes):
    """Judges writes of few values, of which a killed one may happen at any time, as switches of environments do."""
    calls = [
        (call, answer or registers.FOREVER, kind, argument, result)
        for _, call, answer, kind, _, argument, result, *_ in notes if answer or kind == WRITE]
    try:
        registers.linearize(calls)
    except registers.Violation:
        return False
    return True


def switches(dice, notes):
    """The same history with few values, which are only written and read, by processes that are often killed."""
    return [
        (thread, call, 0 if kind != READ and dice.random() < 0.5 else answer, WRITE if kind == UPDATE else kind, key,
         argument % 2, result % 2 if kind == READ else 0, *rest)
        for thread, call, answer, kind, key, argument, result, *rest in notes]


def check_search(seed, rounds):
    """Compares the search with a plain one: the complaints, and how many histories were not linearizable."""
    dice, complaints, rejected = random.Random(seed), [], 0
    for _ in range(rounds):
        notes = simulate(dice, dice.randrange(2, 8), dice.randrange(1, 5))
        if not judge_register(notes):
            complaints.append("a register that works was rejected")
        notes = changed(dice, notes)
        expected = is_linear(notes)
        rejected += not expected
        if judge_register(notes) != expected:
            complaints.append(f"expected {expected} for:\n" + "\n".join(map(noting.text, notes)))
        notes = switches(dice, notes)
        expected = is_linear(notes)
        rejected += not expected
        if judge_switches(notes) != expected:
            complaints.append(f"expected {expected} for switches:\n" + "\n".join(map(noting.text, notes)))
    for _ in range(5):
        if not judge_register(simulate(dice, 3000, 8)):
            complaints.append("a long history of a register that works was rejected")
    return complaints, rejected


def main(seed):
    complaints, bad, good = check_fixtures()
    more, rejected = check_search(seed, 2000)
    for complaint in (complaints + more)[:10]:
        print(f"error: {complaint}")
    if complaints or more:
        sys.exit(1)
    print(f"The judge rejects {bad} bad histories, accepts {good} good ones, and agrees with a plain search on 4000 random ones, "
          f"{rejected} of which were bad")


if __name__ == "__main__":
    main(int(os.environ.get("SIGNALS_SEED", random.randrange(1 << 30))))
