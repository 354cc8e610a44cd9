"""Values: files, parts of files, texts, versioned settings, suites and flags."""
import json

from rounds import place


def counted(r, name, opened, increment, read, observed=None, batches=4, most=12):
    """Processes of both versions count, and are killed: no acknowledged increment is lost."""
    a, b = r.pair(*opened)
    total = 0
    for _ in range(batches):
        peer, other = r.dice.sample([a, b], 2)
        number = r.dice.randint(1, most)
        r.do(peer, f"{increment} {number}")
        total += number
        if observed:
            r.event(other, observed % total)
    for _ in range(batches):
        number, victim = r.dice.randint(1, most), r.dice.choice([a, b, None])
        results = r.together((a, f"{increment} {number}"), (b, f"{increment} {number}"), killing=victim)
        total += number * sum(result is not None for result in results)
        found = read()
        r.expect(
            total <= found <= total + (number if victim else 0),
            f"{name} is {found} after {total} increments, and {number if victim else 0} of a killed process")
        total = found
        a, b = (r.start(peer.version, *opened) if peer is victim else peer for peer in (a, b))
        if observed:
            for peer in (a, b):
                r.event(peer, observed % total)
        r.one_holder()
    return total


@place
def file(r):
    opened = ["container {D}", "open-counter n.json", "observe n.json"]
    total = counted(
        r, "the file", opened, "increment n.json", lambda: int(r.raw("Files/n.json")), r"n\.json \d+ %d$")
    a, b = r.pair(*opened)
    for peer, other in ((a, b), (b, a)):
        total += 1000
        r.do(peer, f"write-counter n.json {total}")
        r.event(other, rf"n\.json \d+ {total}$")
    r.expect(r.agree(*opened, last="read n.json") == str(total), "a written value is lost")


@place
def part_of_file(r):
    a, b = r.pair("container {D}")
    done = {"left": 0, "right": 0}
    for _ in range(3):
        number, victim = r.dice.randint(1, 15), r.dice.choice([a, b, None])
        sides = {a: "left", b: "right"}
        results = r.together(*[(peer, f"turn d.json {sides[peer]} {number}") for peer in (a, b)], killing=victim)
        pair = json.loads(r.raw("Files/d.json")).get("pair", {})
        for peer, result in zip((a, b), results):
            found = pair.get(sides[peer], 0)
            least = done[sides[peer]] + (number if result is not None else 0)
            r.expect(least <= found <= done[sides[peer]] + number, f"{sides[peer]} is {found}, not {least}")
            done[sides[peer]] = found
        a, b = (r.start(peer.version, "container {D}") if peer is victim else peer for peer in (a, b))


@place
def text(r):
    size = 20_000
    a, b = r.pair(f"loop-write {{D}} t.json {size}")
    readers = r.pair("container {D}", "open t.json", "observe t.json")
    for round in range(30):
        found = json.loads(r.raw("Files/t.json") or b'{"text": ""}')["text"]
        r.expect(len(found) in (0, size) and len(set(found)) <= 1, f"a torn text of {len(found)} bytes")
        for reader in readers:
            r.do(reader, "read t.json")
        if round == 15:
            r.kill(a)
    count = int(r.do(b, "stop"))
    r.expect(count > 0, "the writer was kept waiting")
    last = json.loads(r.raw("Files/t.json"))["count"]
    for reader in readers:
        r.event(reader, rf"t\.json \d+ {last} ")
    r.agree("container {D}", "open t.json", last="read t.json")


@place
def stored_value(r):
    opened = [f"sealed {{D}} s.json {r.dice.choice(['process', 'storage'])}", "follow-sealed"]
    a, b = r.pair(*opened)
    done = {}
    for number in range(3):
        for peer in (a, b):
            r.do(peer, f"increase {peer.version} {r.dice.choice([0, 10, 5000])}")
        for peer in (a, b):
            r.event(peer, rf"done {r.dice.randint(3, 30)}$")
        victim, other = r.dice.sample([a, b], 2)
        r.kill(victim)
        r.do(other, f"halt {number}")
        r.event(other, f"halted {number} ")
        for peer in (a, b):
            reports = [int(event.split()[2]) for event in peer.events if event.startswith("event done ")]
            done[peer.version] = done.get(peer.version, 0) + reports[-1]
            wrong = [event for event in peer.events if event.startswith(("event breach", "event failure", "event refused"))]
            r.expect(not wrong, f"{peer.version}: {wrong[:2]}")
        tally = json.loads(r.raw("Files/s.json"))["tally"]
        for version, least in done.items():
            found = tally[version]
            r.expect(
                least <= found <= least + (version == victim.version),
                f"{version} has done {least}, and {found} are stored")
        done = tally
        total = sum(tally.values())
        r.do(other, f"expect 0 {total}")
        r.event(other, f"reached 0 {total}$")
        r.leave(other)
        a, b = r.pair(*opened)


@place
def settings(r):
    """Two versions of an app, which also have two versions of the package."""
    for newer in r.versions():
        older = "today" if newer == "earlier" else "earlier"
        low, high = r.dice.choice([(1, 2), (2, 3), (1, 3)])
        old, new = r.start(older, f"app {low} {{D}}"), r.start(newer, f"app {high} {{D}}")
        r.do(old, "settings-overwrite dark")
        r.do(new, "settings-observe")
        r.event(new, f"settings {high} dark")
        r.do(old, "settings-observe")
        r.do(new, "settings-update light")
        newer_error = rf"version {high}\b.*\b{low}\b|found: {high}, supported: {low}"
        r.event(old, f"settings .*({newer_error})")
        r.refused(old, "settings-update dark", newer_error)
        r.expect(r.do(old, "settings") == f"{low} dark", "the older app has lost its last value")
        r.expect(r.do(r.start(older, f"app {high} {{D}}"), "settings").startswith(f"{high} light"), "the value is lost")
        r.do(new, "settings-update dark")
        r.expect(r.do(new, "settings").startswith(f"{high} dark"), "an update after a refusal is lost")
        r.leave(old)
        r.leave(new)


@place
def suite(r):
    if not r.shares("journals"):
        return suite_without_journals(r)
    keepers = r.pair("suite {D} s.json")

    def stored():
        # Until then, the journal may have changes that the file does not have.
        r.do(r.dice.choice(keepers), "suite-synchronize")
        return json.loads(r.raw("Files/s.json"))

    opened = ["suite {D} s.json", "suite-observe text", "suite-sums x y"]
    counted(r, "the key", opened, "suite-increment n", lambda: stored().get("n", 0))
    a, b = r.pair(*opened)
    r.do(a, "suite-increment x 100")
    r.do(b, "suite-increment y 100")
    for peer in (a, b):
        r.event(peer, "sum 200$")
        peer.events.clear()
    for _ in range(3):
        victim = r.dice.choice([a, b, None])
        r.together((a, "suite-transfer x y 10"), (b, "suite-transfer y x 7"), killing=victim)
        found = stored()
        r.expect(found["x"] + found["y"] == 200, f"a transfer is torn: {found}")
        a, b = (r.start(peer.version, *opened) if peer is victim else peer for peer in (a, b))
    for number, (peer, other) in enumerate([(a, b), (b, a)]):
        r.do(peer, f"suite-set text {peer.version}{number}")
        r.event(other, f"text {peer.version}{number}$")
    for peer in (a, b):
        sums = {event.split()[2] for event in peer.events if event.startswith("event sum ")}
        r.expect(sums <= {"200"}, f"{peer.version} has seen half of a transfer: {sums}")
    r.agree(*opened, last="suite-get text")


def suite_without_journals(r):
    """The earlier version replaces the file without the journal beside it, and today's reports what that loses."""
    stored = lambda: json.loads(r.raw("Files/s.json")).get("n", 0)
    old, new = r.start("earlier", "suite {D} s.json"), r.start("today", "suite {D} s.json", "suite-failures")
    total = 0
    for _ in range(4):
        for peer in r.dice.sample([old, new], 2):
            number = r.dice.randint(1, 12)
            r.do(peer, f"suite-increment n {number}")
            total += number
            if peer is new:
                r.do(new, "suite-synchronize")
            r.expect(stored() == total, f"the key is {stored()} after {total} increments")
    r.do(new, "suite-increment n 5")
    r.do(old, "suite-set text old")
    # On a slow machine, the file was up to date by then.
    if stored() != total + 5:
        r.event(new, "failure .*n.*")
    number = stored()
    r.do(new, "suite-increment n 1")
    r.do(new, "suite-synchronize")
    r.expect(stored() == number + 1, f"the key is {stored()} after an increment of {number}")
    r.agree("suite {D} s.json", last="suite-get text")


@place
def flags(r):
    if not r.shares("journals"):  # The flags of both are in a suite.
        return
    a, b = r.pair("tweaks {D}", "tweak-observe f v")
    for number, (peer, other) in enumerate([(a, b), (b, a)], 1):
        r.do(peer, f"tweak-set f v {number}")
        r.event(other, f"tweak {number}$")
    victim = r.dice.choice([a, b, None])
    r.together((a, "tweak-flip 1 40"), (b, "tweak-flip 2 40"), killing=victim)
    a, b = (r.start(peer.version, "tweaks {D}") if peer is victim else peer for peer in (a, b))
    r.together((a, "tweak-flip 3 20"), (b, "tweak-flip 4 20"))
    history = r.agree("tweaks {D}", last="tweak-history")
    for peer in (a, b):
        r.do(peer, "tweak-set f last 7")  # Reads the file.
    for peer in (a, b):
        r.expect(r.do(peer, "tweak-history").endswith(" ordered"), f"{peer.version} has seen flags go back")
    r.expect(history.endswith(" ordered"), "a new process has seen flags go back")


@place
def remote_cache(r):
    for number, version in enumerate(r.versions(), 1):
        r.leave(r.start(version, f"remote-write {{D}} ada {number}"))
        reader = r.start("today")
        r.expect(r.do(reader, "remote-read {D} ada") == str(number), f"the answer of {version} is lost")
        if r.has("remote-read"):
            r.expect(r.do(r.start("earlier"), "remote-read {D} ada") == str(number), f"the answer of {version} is lost")
    a, b = r.pair("remote-loop {D}")
    r.do(r.start("today"), "remote-write {D} eve 5")
    r.kill(r.dice.choice([a, b]))
    r.expect(r.do(r.start("today"), "remote-read {D} ada") == "2", "the answer of another user is lost")
    r.expect(r.do(r.start("today"), "remote-read {D} eve") == "5", "an answer is lost")
