"""Environments: switches, changes, crashes, archives and user defaults."""
import json
import os

from rounds import place


def numbers(r, root="root"):
    """The numbers `n.json` in all environments of a root."""
    found = []
    for folder, _, names in os.walk(f"{r.folder}/{root}"):
        if "n.json" in names and ".gone" not in folder and ".new" not in folder:
            with open(folder + "/n.json") as file:
                found.append(int(file.read()))
    return sorted(found)


def roots(r, *more):
    """Processes of both versions, and three environments, the first of which is active."""
    a, b = r.pair("env {D}/root", *more)
    first = r.do(a, "env-active")
    return a, b, [first, r.do(a, "env-new Second"), r.do(b, "env-new Third")]


@place
def environments(r):
    a, b, ids = roots(r, "env-follow")
    total = 0
    for _ in range(4):
        peer, other = r.dice.sample([a, b], 2)
        wanted = r.dice.choice(ids)
        r.do(peer, f"env-activate {wanted}")
        r.last(other, "active", lambda text: text == wanted, f"the switch to {wanted}")
        number = r.dice.randint(1, 5)
        r.do(other, f"env-count n.json {number}")
        total += number
        r.expect(sum(numbers(r)) == total, f"the environments have {numbers(r)}, not {total}")
    for _ in range(3):
        victim, hops, number = r.dice.choice([a, b, None]), r.dice.randint(1, 8), r.dice.randint(5, 30)
        results = r.together(
            (a, f"env-hammer {','.join(ids)} {hops} {r.dice.randrange(1000)}"), (b, f"env-count n.json {number}"),
            killing=victim, within=0.06)
        a, b = (r.start(peer.version, "env {D}/root", "env-follow") if peer is victim else peer for peer in (a, b))
        least = total + (number if results[1] is not None else 0)
        found = sum(numbers(r))
        r.expect(least <= found <= total + number, f"the environments have {found}, at least {least} were counted")
        total = found
        r.one_holder()
        active = r.agree("env {D}/root", last="env-active")
        for peer in (a, b):
            r.last(peer, "active", lambda text: text == active, f"that {active} is active")
        a, b = b, a
    r.agree("env {D}/root", last="env-list")


@place
def changed_environments(r):
    a, b, ids = roots(r, "env-follow")
    r.do(a, "env-count n.json 5")
    count = 3

    def seen(change):
        for peer in (a, b):
            r.last(peer, "list", lambda text: text == str(count), f"{count} environments after {change}")

    for peer, other in ((a, b), (b, a)):
        copy = r.do(peer, f"env-clone {ids[0]}")
        count += 1
        seen("a clone")
        r.do(other, f"env-activate {copy}")
        r.do(peer, "env-count n.json 1")
        r.expect(6 in numbers(r), f"the clone is not the next of 5: {numbers(r)}")
        r.do(other, f"env-activate {ids[0]}")
        r.do(other, f"env-clean {copy}")
        r.expect(numbers(r) == [5], f"the clone is not clean: {numbers(r)}")
        r.do(peer, f"env-delete {copy}")
        count -= 1
        seen("a deletion")
    r.agree("env {D}/root", last="env-list")


@place
def crashed_switch(r):
    """A process is killed at a step of a switch, and the other version puts the root in order."""
    a, b, ids = roots(r)
    for number, id in enumerate(ids):
        r.do(a, f"env-activate {id}")
        r.do(b, f"env-count n.json {10 ** number}")
    for peer in (a, b):
        r.leave(peer)
    for dying in r.versions():
        for _ in range(2):
            other = "today" if dying == "earlier" else "earlier"
            peer = r.start(dying, f"env-crash {r.dice.randint(1, 12)}", "env {D}/root")
            before = r.do(peer, "env-active")
            wanted = r.dice.choice([id for id in ids if id != before])
            if r.dies(peer, f"env-activate {wanted}"):
                r.expect(r.do(r.start(other, "env {D}/root"), "env-active") in (before, wanted), "another environment is active")
            r.expect(numbers(r) == [1, 10, 100], f"the environments have {numbers(r)}")
            active = r.agree("env {D}/root", last="env-active")
            with open(os.path.join(r.folder, "root", "Files", "n.json")) as file:
                r.expect(int(file.read()) == 10 ** ids.index(active), f"{active} has the files of another environment")


@place
def switched_log(r):
    """Processes of both versions append to a log during switches: each event is in exactly one environment."""
    a, b, ids = roots(r)
    writers = r.pair("log-in {D}/root inbox")
    victim = r.dice.choice([*writers, None])
    hops = f"env-hammer {','.join(ids)} 12 {r.dice.randrange(1000)}"
    results = r.together((r.dice.choice([a, b]), hops), *[(peer, "append-tracked 30 e") for peer in writers], killing=victim)
    reported = {
        event.removeprefix("event appended e ").split()[1] for peer in r.peers for event in peer.events if "appended" in event}
    r.expect(reported <= {"any", *ids}, f"an event is in another environment: {reported}")
    least, found = 30 * sum(result is not None for result in results[1:]), 0
    for id in ids:
        r.do(r.dice.choice([a, b]), f"env-activate {id}")
        count, errors = map(int, r.agree("log-in {D}/root inbox", last="read-log").split())
        r.expect(errors == 0, f"the log of {id} has {errors} errors")
        found += count
    most = least + (30 if victim else 0)
    r.expect(least <= found <= most, f"{least} events were appended, and the environments have {found}")


@place
def archive(r):
    for exporting in r.versions():
        importing = "today" if exporting == "earlier" else "earlier"
        a = r.start(exporting, f"env {{D}}/{exporting}", "env-count n.json 7")
        r.do(a, f"env-export {r.do(a, 'env-active')} {{D}}/{exporting}.archive")
        b = r.start(importing, f"env {{D}}/to-{exporting}")
        r.do(b, f"env-activate {r.do(b, f'env-import {{D}}/{exporting}.archive')}")
        r.do(b, "env-count n.json 1")
        r.expect(numbers(r, f"to-{exporting}") == [8], f"the import has {numbers(r, f'to-{exporting}')}")


@place
def user_defaults(r):
    """User defaults, which are separate in each process while it runs."""
    for first in r.versions():
        second = "today" if first == "earlier" else "earlier"
        root, suite = f"{{D}}/{first}", f"suite.{first}"
        a = r.start(first, f"switching {root} {suite}")
        old = r.do(a, f"switching {root} {suite}")
        r.do(a, f"defaults-set {suite} key one")
        new = r.do(a, "switching-new Second")
        r.do(a, f"switching-to {new}")
        r.do(a, f"defaults-set {suite} key two")
        r.do(a, f"defaults-sync {suite}")
        r.leave(a)
        b = r.start(second, f"switching {root} {suite}")
        r.expect(r.do(b, f"defaults-get {suite} key") == "two", "the active environment has lost its defaults")
        r.do(b, f"switching-to {old}")
        r.expect(r.do(b, f"defaults-get {suite} key") == "one", "the inactive environment has lost its defaults")
        r.do(b, f"defaults-set {suite} key three")
        r.do(b, f"switching-to {new}")
        r.do(b, f"defaults-sync {suite}")
        r.leave(b)
        a = r.start(first, f"switching {root} {suite}", f"switching-to {old}")
        r.expect(r.do(a, f"defaults-get {suite} key") == "three", "the changed defaults are lost")


@place
def inspector(r):
    """An inspector changes a value through the app that has it open."""
    app = r.start("earlier", "publish-edits {D} song.json")
    inspector = r.start("today", "inspect {D}")
    r.do(inspector, "inspect-title song.json Red")
    r.expect("Red" in r.do(app, "song"), "the app does not have the inspector's change")
    r.expect("Red" in json.dumps(json.loads(r.raw("Files/song.json"))), "the change is not stored")
    r.kill(app)
    r.do(inspector, "inspect-title song.json Blue")
    app = r.start("earlier", "publish-edits {D} song.json")
    r.expect("Blue" in r.do(app, "song"), "a change without an app is lost")
