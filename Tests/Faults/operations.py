"""The operations whose system calls are made to fail.

Commands are those of Tests/Peer, with `{D}` for the folder of the attempt and the names of identifiers that were bound by
`name = command`. A step that begins with a word and a colon is done by the driver:

- `raw: PATH`: the content of a file in the folder, without white space
- `find: NAME`: the contents of all files of a name below the folder
- `sql: PATH QUERY`: a row of a database, read by Python's own SQLite
- `event: PATTERN`: wait for an event of the process
"""
import dataclasses

OPERATIONS = {}


@dataclasses.dataclass
class Operation:
    """One operation, and how to judge it."""
    name: str
    act: str  # The operation.
    look: list  # Shows the state, in a process that begins afterwards.
    prepare: list = ()  # Steps of a process that ends before the operation.
    side: list = ()  # Steps of a process that lives as long as the attempt.
    victim: list = ()  # Steps of the process before the operation.
    mine: list = ()  # Shows the state as the process itself sees it.
    repeat: list = ()  # Steps of the process if the operation failed.
    again: list = ()  # The next operation of the process.
    other: list = ()  # The next operation of another process, after which the state is shown once more.
    watch: list = ()  # Steps of the process after that of the other.
    answers: bool = True  # The answer is the same in every attempt.
    steady: bool = False  # What the process and another one answer next is the same in every attempt.
    creates: bool = False  # The operation opens what it creates, so that a failure may leave a new file.
    partial: bool = False  # The operation consists of independent steps, so that a failure may leave some of them.

    def __post_init__(self):
        OPERATIONS[self.name] = self


def files():
    opened = ["container {D}", "open-counter n.json"]
    prepared = [*opened, "write-counter n.json 7"]
    common = dict(prepare=prepared, look=["raw: Files/n.json"], other=[*opened, "increment n.json 1"])
    known = dict(common, victim=opened, mine=["value n.json", "read n.json"], again=["increment n.json 1"])
    Operation("file-open", opened[1], **{**common, "victim": opened[:1], "again": [opened[1], "increment n.json 1"]})
    Operation("file-create", opened[1], **{
        **common, "prepare": opened[:1], "victim": opened[:1], "again": [opened[1], "increment n.json 1"], "creates": True})
    Operation("file-read", "read n.json", **known)
    Operation("file-write", "write-counter n.json 9", **known)
    Operation("file-update", "increment n.json 1", **known, answers=False)
    Operation("file-observe", opened[1], **{
        **common, "victim": opened[:1], "repeat": opened[1:], "again": ["observe n.json"],
        "watch": [r"event: n\.json \d+ 8"]})
    stored = ["durable-open storage {D} t.txt"]
    text = dict(
        prepare=[*stored, "durable-update old"], victim=stored, look=["raw: Files/t.txt"], mine=["durable-read"],
        again=["durable-update next"], other=[*stored, "durable-read", "durable-update last"])
    Operation("file-write-storage", "durable-replace new", **text)
    Operation("file-update-storage", "durable-update new", **text)
    Operation("file-create-storage", stored[0], **{
        **text, "prepare": [], "victim": [], "mine": [], "again": [*stored, "durable-update next"],
        "creates": True})


def suites():
    opened = ["suite {D} s.json"]
    common = dict(
        prepare=[*opened, "suite-increment a 5", "suite-increment b 5", "suite-set k old"], victim=opened,
        look=[*opened, "suite-synchronize", "raw: Files/s.json"], again=["suite-increment a 1"],
        other=[*opened, "suite-increment b 1"])
    # The process that prepares ends before its journal is brought into the file.
    Operation("suite-open", opened[0], **{**common, "victim": [], "again": [*opened, "suite-increment a 1"]})
    Operation("suite-read", "suite-get k", **common)
    Operation("suite-set-first", "suite-set k new", **{**common, "prepare": [*common["prepare"], "suite-synchronize"]},
              mine=["suite-get k"])
    Operation("suite-set", "suite-set k new", **common, mine=["suite-get k"])
    Operation("suite-set-known", "suite-set k new", **{**common, "victim": [*opened, "suite-increment a 2"]},
              mine=["suite-get k"])
    Operation("suite-update", "suite-transfer a b 1", **common)
    Operation("suite-adopt", "suite-adopt {D}/m", **{**common, "prepare": [*common["prepare"], "mmkv {D}/m"]})
    Operation("suite-synchronize", "suite-synchronize", **{**common, "victim": [*opened, "suite-increment a 2"]},
              mine=["suite-get k"])
    stored = ["keep-suite storage {D} s.json"]
    Operation("suite-set-storage", "keep-key a 4", prepare=[*stored, "keep-key a 1"], victim=[
        *stored, "keep-key b 2", "keep-key c 3"], look=[*stored, "kept-keys"], mine=["kept-keys"], again=["keep-key d 5"],
        other=[*stored, "keep-key e 6"])


def logs():
    opened = ["log {D} inbox"]
    common = dict(
        prepare=[*opened, "append-many 5 e"], victim=opened, look=[*opened, "read-log"], again=["append y"],
        other=[*opened, "append z"], answers=False)
    Operation("log-open", opened[0], **{**common, "victim": [], "again": [*opened, "append y"]})
    Operation("log-append-first", "append x", **common)
    Operation("log-append", "append x", **{**common, "victim": [*opened, "append w"]})
    long = "x" * 900
    Operation("log-trim", "trim-log", **{
        **common, "prepare": [*opened, f"append-many 300 {long}", f"consume c {long} 300"], "partial": True,
        "other": [*opened, "append z", "consume c z"]})
    Operation("log-consume", "consume c e 5", **{
        **common, "answers": True, "again": ["append y", "consume c y"], "other": [*opened, "append z", "consume c z"],
        # Consumers remove handled segments, which may fail.
        "partial": True, "steady": True})


def presences():
    opened = ["presence {D} app"]
    common = dict(side=[*opened, "announce side"], victim=opened, look=[*opened, "present"], answers=False)
    after = dict(again=["announce two"], other=[*opened, "announce three"])
    Operation("presence-open", opened[0], **{**common, "victim": []}, again=[*opened, "announce two"], other=after["other"])
    Operation("presence-announce", "announce one", **common, **after)
    Operation("presence-update", "announce-update new", **{**common, "victim": [*opened, "announce one"]}, **after)
    Operation("presence-withdraw", "withdraw", **{**common, "victim": [*opened, "announce one"]}, **after)
    Operation("presence-read", "present", **{**common, "answers": True}, **after)


def environments():
    opened = ["env {D}/root"]
    prepared = [
        *opened, "first = env-active", "env-count n.json 1", "second = env-new Second", "env-activate {second}",
        "env-count n.json 2", "third = env-new Third", "env-activate {third}", "env-count n.json 3",
        "env-export {second} {D}/second.archive", "env-activate {first}"]
    common = dict(
        prepare=prepared, victim=opened, look=[*opened, "env-active", "env-list", "find: n.json"],
        again=["env-activate {third}", "env-count n.json 1"],
        other=[*opened, "env-activate {first}", "env-count n.json 1"], answers=False)
    Operation("env-open", opened[0], **{**common, "victim": [], "again": [*opened, *common["again"]]})
    Operation("env-create", "env-new Fourth", **common)
    Operation("env-switch", "env-activate {second}", **common)
    Operation("env-rename", "env-rename {second} Other", **{
        **common, "look": [*common["look"], "env-names"], "mine": ["env-names"], "answers": True})
    Operation("env-delete", "env-delete {second}", **common)
    Operation("env-clone", "env-clone {second}", **common)
    Operation("env-clone-active", "env-clone {first}", **common)
    Operation("env-clean", "env-clean {second}", **common)
    Operation("env-clean-active", "env-clean {first}", **common)
    Operation("env-reset", "env-reset", **{**common, "again": ["env-new Next"], "other": [*opened, "env-new Last"]})
    Operation("env-export", "env-export {second} {D}/copy.archive", **{**common, "look": [*common["look"], "find: copy.archive"]})
    Operation("env-import", "env-import {D}/second.archive", **common)


def sessions():
    for place in ("file", "database"):
        opened = ["context-policy 5000 once keeps", "context-open {D} " + place]
        ready = [*opened, "context-setup"]
        known = [*ready, "context-login ada"]
        common = dict(
            prepare=known, victim=ready, look=[*ready, "context-state"], mine=["context-state"],
            again=["context-replace eve"], other=[*ready, "context-name Other"], answers=False)
        Operation(f"session-open-{place}", "context-setup", **{
            **common, "victim": opened, "mine": [], "again": ["context-setup", "context-replace eve"]})
        Operation(f"session-login-{place}", "context-login ada", **{**common, "prepare": ready})
        Operation(f"session-renew-{place}", "context-renew", **common)
        Operation(f"session-logout-{place}", "context-logout", **common)
        Operation(f"session-reopen-{place}", "context-reopen ada", **{**common, "prepare": [*known, "context-replace grace"]})


def databases():
    opened = ["store-open {D}/a.sqlite"]
    common = dict(
        prepare=[*opened, "store-count 7"], victim=opened, look=["sql: a.sqlite SELECT n FROM counter"],
        mine=["store-value"], again=["store-count 1"], other=[*opened, "store-count 1"])
    Operation("database-create", opened[0], **{
        **common, "prepare": [], "victim": [], "mine": [], "again": [*opened, "store-count 1"], "creates": True})
    Operation("database-open", opened[0], **{**common, "victim": [], "mine": [], "again": [*opened, "store-count 1"]})
    Operation("database-read", "store-value", **common)
    Operation("database-write", "store-count 1", **common)
    migrated = "schema-open {D}/s.sqlite 2"
    Operation(
        "database-migrate", migrated, prepare=["schema-open {D}/s.sqlite 1"], again=[migrated], other=[migrated],
        look=["sql: s.sqlite PRAGMA user_version", "sql: s.sqlite SELECT count(*) FROM sqlite_schema",
              "sql: s.sqlite SELECT count(*) FROM run"])
    Operation("database-back-up", "store-backup {D}/copy.sqlite", **{
        **common, "look": [*common["look"], "sql: copy.sqlite SELECT n FROM counter"]})


def together():
    everything = [
        "container {D}", "open-counter n.json", "observe n.json", "suite {D} s.json", "suite-set k v", "log {D} inbox", "append v",
        "presence {D} app", "announce me", "share-database {D}/a.sqlite {D} app", "insert-items 1 v"]
    common = dict(
        # The changes in the journal of the suite are brought into its file.
        look=["raw: Files/n.json", "suite {D} s.json", "suite-synchronize", "raw: Files/s.json", "log {D} inbox", "read-log"],
        answers=False,
        other=["container {D}", "open-counter n.json", "increment n.json 1", "suite {D} s.json", "suite-set k last",
               "log {D} inbox", "append z"])
    used = ["increment n.json 1", "suite-set k next", "append y", "announce two", "insert-items 1 y"]
    Operation("suspend", "suspend {D}", victim=everything, again=["resume {D}", *used], **common)
    Operation("resume", "resume {D}", victim=[*everything, "suspend {D}"], again=["resume {D}", *used], **common)
    world = ["world {D}/root"]
    opened = ["env {D}/root"]
    Operation(
        "world-switch", "world-hop {second} 1 1",
        prepare=[*opened, "first = env-active", "second = env-new Second", "env-activate {second}", "env-activate {first}"],
        victim=world, look=[*opened, "env-active", "env-list"], again=["world-hop {first} 1 1"],
        other=[*opened, "env-activate {second}"], answers=False)
    studio = ["publish-edits {D} song.json"]
    edited = dict(
        prepare=studio, look=["raw: Files/song.json"], again=["inspect {D}", "inspect-title song.json Green"],
        other=["inspect {D}", "inspect-title song.json Last"])
    Operation("inspector-edit", "inspect-title song.json Red", side=studio, victim=["inspect {D}"], **edited)
    # The process that has the file open, and so makes the change, is the inspector's own.
    Operation("inspector-edit-here", "inspect-title song.json Red", victim=[*studio, "inspect {D}"], **edited)


for declare in (files, suites, logs, presences, environments, sessions, databases, together):
    declare()
