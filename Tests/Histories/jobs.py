"""Jobs: each that was added has one effect, by the last process that claimed it."""
import collections

from notes import CLAIM, EFFECT, FINISH, JOB, RELEASE
from registers import Violation


def check(notes):
    kinds = collections.defaultdict(list)
    for note in notes:
        kinds[note[3]].append(note)
    claims = check_claims(kinds)
    check_holders(notes, claims, kinds[FINISH] + kinds[RELEASE])
    check_effects(kinds, claims)


def check_claims(kinds):
    """Each claim of a job has a number of its own, which grows. Returns the claims of each job by number."""
    claims = collections.defaultdict(dict)
    for note in kinds[CLAIM]:
        thread, call, answer, _, job, _, attempt, *_ = note
        if answer and attempt:
            if attempt in claims[job]:
                raise Violation("claim", f"job {job} was claimed twice as {attempt}, again by {thread} at {call}")
            claims[job][attempt] = note
    for job, numbered in claims.items():
        latest = 0
        for attempt in sorted(numbered, reverse=True):
            _, call, answer, *_ = numbered[attempt]
            if latest and latest < call:
                raise Violation("claim", f"claim {attempt} of job {job} began at {call}, after a later one had ended at {latest}")
            latest = min(latest or answer, answer)
    return claims


def check_holders(notes, claims, ends):
    """A process that lives has its claims until it ends them, unless it may be stopped for too long."""
    last = {}
    for note in notes:
        last[note[0].process] = max(last.get(note[0].process, 0), note[1])
    ended = {}
    for thread, call, answer, kind, job, attempt, result, *_ in ends:
        ended[job, attempt] = min(call, ended.get((job, attempt), call))
        claim = claims[job].get(attempt)
        if claim and answer and not result and not claim[7]:
            raise Violation("stolen", f"{thread} had lost claim {attempt} of job {job} at {call}")
    for job, numbered in claims.items():
        for attempt, following in zip(sorted(numbered), sorted(numbered)[1:]):
            thread, _, _, _, _, _, _, is_limited, _ = numbered[attempt]
            taken = numbered[following][2]
            if not is_limited and last[thread.process] > taken and ended.get((job, attempt), taken) >= taken:
                raise Violation("stolen", f"job {job} was claimed at {taken}, and {thread} had it as {attempt}")


def check_effects(kinds, claims):
    """Each job has one effect, of the claim that was finished, which is the last one."""
    effects, added = {}, {note[5]: note for note in kinds[JOB]}
    for _, _, _, _, job, value, attempt, *_ in kinds[EFFECT]:
        if effects.setdefault(job, (value, attempt)) != (value, attempt):
            raise Violation("twice", f"job {job} has two effects")
    for job, (value, attempt) in effects.items():
        if value not in added or added[value][2] and added[value][6] != job:
            raise Violation("job", f"job {job} has the effect {value}, which was not added as such")
        if claims[job] and attempt < max(claims[job]):
            raise Violation("fence", f"claim {attempt} of job {job} has an effect, after claim {max(claims[job])}")
    if len({value for value, _ in effects.values()}) < len(effects):
        raise Violation("twice", "two jobs have one value")
    for thread, call, answer, _, job, attempt, result, *_ in kinds[FINISH]:
        is_done = effects.get(job, (0, 0))[1] == attempt
        if answer and kinds[EFFECT] and is_done != bool(result):
            raise Violation("fence", f"{thread} finished claim {attempt} of job {job} at {call}: {result}, and the effect says {is_done}")
    if kinds[EFFECT]:
        for note in kinds[JOB]:
            if note[2] and note[6] not in effects:
                raise Violation("job", f"job {note[6]} of {note[0]} was added at {note[1]}, and has no effect")
