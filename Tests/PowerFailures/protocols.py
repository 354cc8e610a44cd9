"""The protocols that write, and how to judge what a power failure leaves of them.

Commands are those of Tests/Peer, with `{D}` for the folder and the names that were bound by `name = command`. In `look`, the
driver itself does `find: NAME`: the contents of all files of a name in the folder.
"""
import dataclasses

PROTOCOLS = {}


class Wrong(Exception):
    """An outcome that breaks a promise."""


@dataclasses.dataclass
class Protocol:
    """One protocol: a process performs steps, and another one looks afterwards."""
    name: str
    steps: list  # Recorded.
    look: list  # Shows what is left, in a process that begins afterwards.
    judge: callable  # Raises `Wrong` for (seen, references, answered).
    prepare: list = ()  # Before the recording, and on the disk.
    durable: list = ()  # Names of files that do not belong to the protocol.
    rest: float = 0.1  # Seconds for work in the background.
    key: str = None  # The path of the file whose fate the table shows.
    unsaved: list = ()  # Directories that another process has just created: their names are not on the disk.
    waits: bool = True  # What is acknowledged is on the disk, so missing syncs must be found.

    def __post_init__(self):
        PROTOCOLS[self.name] = self


def check(holds, problem):
    if not holds:
        raise Wrong(problem)


def possible(references, answered, since=None):
    """What the answers so far permit: the last acknowledged state, or that of the step that may have begun."""
    return references[answered if since is None else since:answered + 2]


def stored(seen, references, answered, since=None):
    """Everything acknowledged is there, or what was acknowledged up to a step that waited for the disk."""
    allowed = possible(references, answered, since)
    check(seen in allowed, f"expected {' or '.join(map(str, dict.fromkeys(map(tuple, allowed))))}")


# MARK: Files and suites

BYSTANDER = ["keep-file json storage {D} other.json", "kept-file"]


def volatile(damages):
    """A file that does not wait for the disk: an older value, or damage that is reported or one of those permitted."""
    def judge(seen, references, answered):
        check(seen[-1] == references[0][-1], "another file has changed")
        if seen in possible(references, answered, 0):
            return
        value = seen[1]
        check(value.startswith("ok initial stale") or damages(value, references), "damage is not reported")
        check(all(answer.startswith("ok") or "Write a value" in answer for answer in seen), "an operation failed")
    return judge


def is_part(value, references):
    """Bytes that any text may have: a part of one of the texts, or zeros."""
    text = value.removeprefix("ok ").removesuffix(" current").replace("\0", "")
    return value.endswith(" current") and any(
        reference[1].removeprefix("ok ").removesuffix(" current").startswith(text) for reference in references)


def files():
    for durability in ("storage", "process"):
        for format in ("json", "text"):
            opened = f"keep-file {format} {durability} {{D}} t.json"
            Protocol(
                f"file-{format}-{durability}", [opened, "keep-update first", "keep-update second", "keep-update third"],
                [opened, "kept-file", "keep-update after", "kept-file", *BYSTANDER],
                stored if durability == "storage" else volatile(is_part if format == "text" else lambda *_: False),
                waits=durability == "storage", prepare=[BYSTANDER[0], "keep-update bystander"],
                key="Files/t.json" if durability == "process" else None)
        for format in ("json", "text"):
            opened = f"keep-file {format} {durability} {{D}} t.json"
            Protocol(
                f"known-file-{format}-{durability}", [opened, "keep-update second", "keep-update third"],
                [opened, "kept-file", "keep-update after", "kept-file", *BYSTANDER],
                stored if durability == "storage" else volatile(is_part if format == "text" else lambda *_: False),
                waits=durability == "storage", prepare=[BYSTANDER[0], "keep-update bystander", opened, "keep-update first"],
                key="Files/t.json" if durability == "process" else None)
        # No bystander, so that the folders are created on the way.
        Protocol(
            f"folders-{durability}", [f"keep-file json {durability} {{D}}/new/inner t.json", "keep-update first"],
            [f"keep-file json {durability} {{D}}/new/inner t.json", "kept-file", "keep-update after", "kept-file",
             "keep-file json storage {D} u.json", "kept-file"],
            stored if durability == "storage" else volatile(lambda *_: False), waits=durability == "storage")
        opened = f"keep-suite {durability} {{D}} s.json"
        Protocol(
            f"suite-{durability}", [opened, "keep-key a 1", "keep-key b 2", "keep-key a 3"],
            [opened, "kept-keys", "keep-key c 4", "kept-keys", *BYSTANDER],
            stored if durability == "storage" else suite, waits=durability == "storage",
            prepare=[BYSTANDER[0], "keep-update bystander"],
            key="Files/s.json" if durability == "process" else None)
        Protocol(
            f"suite-settled-{durability}", [opened, "keep-key a 1", "keep-key b 2", "keep-key a 3"],
            [opened, "kept-keys", "keep-key c 4", "kept-keys", *BYSTANDER],
            stored if durability == "storage" else suite, waits=durability == "storage", rest=0.8,
            prepare=[BYSTANDER[0], "keep-update bystander"])
    # A journal that waited for the disk is not removed before the file that replaces it is there.
    Protocol(
        "suite-both", [
            "keep-suite storage {D} s.json", "keep-key a 1", "keep-key b 2", "keep-suite process {D} s.json", "keep-nothing"],
        ["keep-suite storage {D} s.json", "kept-keys", "keep-key c 4", "kept-keys"],
        lambda seen, references, answered: stored(seen, references, answered, since=min(answered, 3)))

    # Processes were killed between the creation of folders and the sync of their names, or are there now.
    for name, unsaved in {"folder": ["Files"], "folders": ["new", "new/inner", "new/inner/Files"]}.items():
        container = "/".join(["{D}", *unsaved[-1].split("/")[:-1]])
        Protocol(
            f"{name}-unsaved", [f"keep-file json storage {container} t.json", "keep-update first"],
            [f"keep-file json storage {container} t.json", "kept-file"], stored, unsaved=unsaved)
    # What was written without waiting for the disk is acknowledged anew.
    Protocol(
        "file-both", [
            "keep-file json process {D} t.json", "keep-update first", "keep-file json storage {D} t.json", "keep-update first"],
        ["keep-file json storage {D} t.json", "kept-file", "keep-update after", "kept-file"],
        lambda seen, references, answered: stored(seen, references, answered) if answered == 4 else None)


def suite(seen, references, answered):
    check(seen[-1] == references[0][-1], "another file has changed")
    if seen in possible(references, answered, 0):
        return
    check(seen[1].startswith("ok  stale"), "damage is not reported")


# MARK: Logs

EVENTS = ["one", "two", "three", "four"]


def logged(durability):
    def judge(seen, references, answered):
        events = seen[1].removeprefix("ok").strip().split(",") if seen[1] != "ok" else []
        whole = [event for event in events if event != "damaged"]
        check(seen[1].startswith("ok"), "the log cannot be read")
        check(whole == EVENTS[:len(whole)] or durability == "process" and set(whole) <= set(EVENTS), "other events")
        check(durability == "process" or len(whole) >= answered - 1, "an acknowledged event is lost")
        after = seen[3].removeprefix("ok").strip().split(",")
        check([event for event in after if event != "damaged"] == [*whole, "after"], "the next event is not received")
    return judge


def consumed(seen, references, answered):
    """Acknowledged events are those of the preparation; handled ones may be received again, but none is skipped."""
    received = [event for event in seen[2].removeprefix("ok ").split(",") if event != "damaged"]
    events = [*(f"e {number}" for number in range(1, 6)), "after"]
    check(received == events[len(events) - len(received):], "not the end of the events")
    handled = (0, 3, 5, 5)[answered]  # At most; the first answer is that of the opening.
    check(len(received) >= len(events) - handled, "an event was skipped")


def trimmed(seen, references, answered):
    received = [event for event in seen[2].removeprefix("ok ").split(",") if event != "damaged"]
    check(received and received[-1] == "after", "the next event is not received")
    check(not any(event == "damaged" for event in seen[2].split(",")), "a loss is reported, and nothing was lost")
    late = [event for event in seen[3].removeprefix("ok ").split(",")]
    check(late[-2:] == [f"{LONG} 60", "after"] and "damaged" not in late, "a consumer that was late has lost events")


LONG = "x" * 4500


def logs():
    for durability in ("storage", "process"):
        opened = f"keep-log {durability} {{D}} inbox"
        Protocol(
            f"log-{durability}", [opened, *(f"keep-event {event}" for event in EVENTS)],
            [opened, "kept-events", "keep-event after", "kept-events"], logged(durability),
            waits=durability == "storage")
    opened = "keep-log storage {D} inbox"
    Protocol(
        "log-unsaved", [opened, *(f"keep-event {event}" for event in EVENTS)],
        [opened, "kept-events", "keep-event after", "kept-events"], logged("storage"), unsaved=["Logs", "Logs/inbox"])
    Protocol(
        "log-both", ["keep-log process {D} inbox", "keep-event one", opened, "keep-event two"],
        [opened, "kept-events", "keep-event after", "kept-events"],
        lambda seen, references, answered: check(
            seen[3].endswith("after") and (answered < 4 or "two" in seen[1]), "an acknowledged event is lost"))
    Protocol(
        "log-cursor", [opened, "keep-cursor c e 3", "keep-cursor c e 5"],
        [opened, "keep-event after", "keep-cursor c after"], consumed, prepare=[opened, "keep-events 5 e"],
        waits=False, rest=0.3)
    Protocol(
        "log-segments", [opened, *[f"keep-event {LONG * 4} {number}" for number in range(8)]],
        [opened, "kept-events", "keep-event after", "kept-events"], segments)
    Protocol(
        "log-trim", ["log {D} inbox", opened, f"keep-cursor c {LONG} 60", "trim-log"],
        [opened, "keep-event after", "keep-cursor c after", "keep-cursor late after"], trimmed,
        prepare=[opened, f"keep-events 60 {LONG}", f"keep-cursor late {LONG} 30"], waits=False)


def segments(seen, references, answered):
    def whole(answer):
        return [event[-2:].strip() for event in answer.removeprefix("ok").strip().split(",") if event not in ("", "damaged")]
    events = whole(seen[1])
    check(events == [str(number) for number in range(len(events))] and len(events) >= answered - 1, "an event is lost")
    check(whole(seen[3]) == [*events, "er"], "the next event is not received")


# MARK: Databases

def databases():
    for durability in ("storage", "process"):
        opened = f"keep-database {durability} {{D}}/rows.sqlite"
        Protocol(
            f"database-{durability}", [opened, *(f"keep-row {event}" for event in EVENTS)],
            [opened, "kept-rows", "keep-row after", "kept-rows"], logged(durability),
            waits=durability == "storage")


# MARK: Presence

def presences():
    Protocol(
        "presence", ["presence {D} app", "announce one", "announce-update two", "withdraw"],
        ["presence {D} app", "present", "announce after", "present"],
        lambda seen, references, answered: check(
            seen[1] == "ok" and seen[3] == "ok after", "a process that has ended is present"), waits=False)


# MARK: Environments

def environments():
    opened = "env {D}/root"
    prepared = [
        opened, "first = env-active", "env-count n.json 1", "second = env-new Second", "env-activate {second}",
        "env-count n.json 2", "third = env-new Third", "env-activate {third}", "env-count n.json 3", "env-activate {first}"]
    look = [opened, "env-active", "env-list", "find: n.json", "find: info.json", "env-activate {second}", "env-active"]
    common = dict(look=look, judge=stored, prepare=prepared)
    Protocol("switch", [opened, "env-activate {second}", "env-activate {third}", "env-activate {first}"], **common)
    Protocol("create", [opened, "fourth = env-new Fourth", "env-activate {fourth}"], **common)
    Protocol("rename", [opened, "env-rename {third} Other", "env-rename {second} Another"], **{
        **common, "look": [*look, "env-names"]})
    Protocol("delete", [opened, "env-delete {third}"], **common)
    Protocol("clean", [opened, "env-clean {second}", "env-clean {first}"], **common)
    Protocol("clone", [opened, "env-clone {second}", "env-clone {first}"], **common)
    archived = [*prepared, "env-export {second} {D}/second.archive"]
    Protocol("export", [opened, "env-export {third} {D}/third.archive"], [
        opened, "env-active", "env-list", "find: third.archive"], stored, prepare=prepared)
    Protocol("import", [opened, "env-import {D}/second.archive"], **{**common, "prepare": archived})


# MARK: Sessions, secrets and flags

def reopened(seen):
    return (*seen[:-1], seen[-1].split(" ")[0])


def sessions():
    for place in ("database", "file"):
        ready = ["context-policy 5000 once keeps", "context-open {D} " + place, "context-setup"]
        Protocol(
            f"session-{place}", [*ready, "context-login ada", "context-name Other", "context-renew", "context-logout"],
            [*ready, "context-state", "context-replace eve", "context-state"], stored, durable=["server.json*"])
    Protocol(
        "session-users", [*ready, "context-login ada", "context-replace grace", "context-reopen ada"],
        [*ready, "context-state", "context-reopen grace"],
        # The session may be ready only after the answer to the reopening, which then has another state.
        lambda seen, references, answered: stored(reopened(seen), list(map(reopened, references)), answered),
        durable=["server.json*"])
    Protocol(
        "secret", ["keep-secret {D}/secrets token one", "keep-secret {D}/secrets token two"],
        ["kept-secret {D}/secrets token", "keep-secret {D}/secrets token after", "kept-secret {D}/secrets token"], stored)
    Protocol(
        "secret-unsaved", ["keep-secret {D}/secrets token one"],
        ["kept-secret {D}/secrets token", "keep-secret {D}/secrets token after", "kept-secret {D}/secrets token"], stored,
        unsaved=["secrets"])
    Protocol(
        "remote-cache", [f"remote-write {{D}} user {number}" for number in (1, 2, 3)],
        ["remote-read {D} user", "remote-write {D} user 4", "remote-read {D} user"],
        lambda seen, references, answered: check(
            seen[0] in ["ok nothing", *(f"ok {number}" for number in range(1, answered + 2))] and seen[2] == "ok 4",
            "another number"), waits=False)


for declare in (files, logs, databases, presences, environments, sessions):
    declare()
