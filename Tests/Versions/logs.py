"""Logs with consumers, presence, and everything that a container has beside suspensions."""
import json
import os

from rounds import place

LOCK = "Logs/inbox/.consumers/c.lock"
LONG = "x" * 900  # With it, a segment has about seventy events.


class Consumer:
    """The consumer `c` of a log, which processes of both versions run one after the other."""

    def __init__(self, r):
        self.r, self.number, self.peer = r, 0, None
        self.positions = {}  # The lowest and the highest number that may be saved, for each producer.

    def begin(self, version):
        self.number += 1
        self.peer = self.r.start(version, "log {D} inbox", f"follow-into c {self.r.top}/effects-{self.number}")

    def end(self, kills):
        """Ends the process, and judges what it has received."""
        if kills:
            self.r.kill(self.peer)
        else:
            self.r.do(self.peer, "unfollow")
            self.r.wait_for_lock(self.peer, LOCK, held=False)  # Before that, it saves its position.
            self.r.leave(self.peer)
        path = f"{self.r.top}/effects-{self.number}"
        with open(path) as file:
            self.judge([line.split(" ", 2) for line in file.read().splitlines()], kills)

    def judge(self, entries, kills=False):
        """Checks that each producer's events came in order, each once, or again only after a kill."""
        last = {}
        for producer, sequence, _ in entries:
            sequence = int(sequence)
            low, high = self.positions.get(producer, (0, 0))
            right = sequence == last[producer] + 1 if producer in last else low < sequence <= high + 1
            self.r.expect(right, f"event {sequence} of {producer} came after {last.get(producer, (low, high))}")
            if producer not in last:
                self.positions[producer] = (sequence - 1, high)
            last[producer] = sequence
        for producer, sequence in last.items():
            # A killed process has perhaps not saved its position.
            self.positions[producer] = (self.positions[producer][0] if kills else sequence, sequence)

    def finish(self, version, writer, acknowledged):
        """Receives the rest in one more process, and checks that nothing acknowledged is missing."""
        r = self.r
        peer = r.start(version, "log {D} inbox", "follow-log c")
        r.do(writer, "append the end")
        r.event(peer, "entry .* the end$")
        self.judge([event.split(" ", 5)[3:] for event in peer.events if event.startswith("event entry ")])
        r.expect(not [event for event in peer.events if event.startswith("event failure")], f"failures: {peer.events}")
        total = sum(high for _, high in self.positions.values())
        r.expect(total > acknowledged, f"{acknowledged} events were appended, and {total - 1} arrived")
        r.leave(peer)
        return total


@place
def log(r):
    a, b = r.pair("log {D} inbox")
    follower = r.start(r.dice.choice(["earlier", "today"]), "log {D} inbox", "follow-new")
    consumer, acknowledged = Consumer(r), 0
    for _ in range(4):
        consumer.begin(r.dice.choice(["earlier", "today"]))
        peer, other = r.dice.sample([a, b], 2)
        number = r.dice.randint(1, 20)
        r.do(peer, f"append-many {number} {r.dice.choice(['e', LONG])}")
        acknowledged += number
        producer, sequence = r.do(other, "append one").split()
        acknowledged += 1
        r.event(follower, f"entry .* {producer} {sequence} one$")
        victim = r.dice.choice([a, b, None])
        results = r.together((a, "append-many 30 a"), (b, "append-many 30 b"), killing=victim)
        acknowledged += 30 * sum(result is not None for result in results)
        a, b = (r.start(peer.version, "log {D} inbox") if peer is victim else peer for peer in (a, b))
        r.one_holder()
        consumer.end(kills=r.dice.random() < 0.5)
        for peer in (a, b):
            r.do(peer, "trim-log")
    consumer.finish(r.dice.choice(["earlier", "today"]), a, acknowledged)
    count, errors = map(int, r.agree("log {D} inbox", last="read-log").split())
    r.expect(errors == 0 and count > 0, f"{count} events and {errors} errors can be read")


@place
def trimmed_log(r):
    """A consumer that is away keeps what the other version would trim."""
    for away in r.versions():
        name = f"late-{away}"
        r.do(r.start(away, "log {D} inbox"), f"follow-into {name} {r.top}/{name}")
        r.kill(r.peers[-1])
    a, b = r.pair("log {D} inbox")
    total = 0
    for _ in range(3):
        number = r.dice.randint(80, 160)
        r.together((a, f"append-many {number} {LONG}"), (b, f"append-many {number} {LONG}"))
        total += 2 * number
        r.together((a, "trim-log"), (b, "trim-log"))
    count = r.do(a, "append the end")
    r.expect(count, "no event")
    for back in r.versions():
        name = f"late-{r.dice.choice(['earlier', 'today'])}"
        r.expect(r.agree("log {D} inbox", last="read-log") == f"{total + 1} 0", "trimming has removed events")
        peer = r.start(back, "log {D} inbox", f"follow-log {name}")
        r.event(peer, "entry .* the end$")
        entries = [event for event in peer.events if event.startswith("event entry ")]
        r.expect(len(entries) in (total + 1, 1), f"{name} has received {len(entries)} of {total + 1} events")
        r.do(peer, "unfollow")
        r.leave(peer)
        r.do(r.dice.choice([a, b]), "trim-log")
        if len(entries) > 1:
            break


@place
def consumer_in_use(r):
    """A consumer runs in one process only, also of another version."""
    for holder in r.versions():
        other = "today" if holder == "earlier" else "earlier"
        a = r.start(holder, "log {D} inbox", "follow-log c")
        r.wait_for_lock(a, LOCK, held=True)
        b = r.start(other, "log {D} inbox", "follow-log c")
        r.event(b, 'failure .*already reads .*"c"|failure .*"c" is in use')
        r.counts["refusals"] += 1
        text = f"for {holder}"
        r.do(b, f"append {text}")
        r.event(a, f"entry .* {text}$")
        r.expect(not [event for event in b.events if "entry" in event], f"{other} reads as a consumer in use")
        r.one_holder()
        r.kill(a)
        r.do(b, "append more")
        r.event(b, "entry .* more$")
        r.do(b, "unfollow")
        r.leave(b)


@place
def presence(r):
    a, b = r.pair("presence {D} app", "presence-observe")

    def shown(*names):
        for peer in (a, b):
            r.last(peer, "present", lambda text: sorted(filter(None, text.split(","))) == sorted(names), f"present {names}")

    r.do(a, "announce one")
    shown("one")
    r.do(b, "announce two")
    shown("one", "two")
    r.do(a, "announce-update three")
    shown("two", "three")
    suspended, other = r.dice.sample([a, b], 2)
    r.do(suspended, "suspend {D}")
    r.do(other, "announce four")
    r.last(other, "present", lambda text: sorted(text.split(",")) == ["four", "three", "two"], "the suspended process")
    r.do(suspended, "resume {D}")
    shown("two", "three", "four")
    r.do(other, "withdraw")
    shown("two", "three")
    r.kill(suspended)
    left = "two" if suspended is a else "three"
    r.last(other, "present", lambda text: text == left, f"only {left} present")
    r.expect(r.agree("presence {D} app", last="present") == left, "the presence of a killed process is left")


@place
def container(r):
    """A file, a suite, a log, a presence and a database, with suspensions."""
    if not r.shares("journals"):
        return
    a, b = names = dict(zip(("Ada", "Bell"), r.versions()))
    peers = {name: r.start(version, f"shared {{D}} {name} 0") for name, version in names.items()}
    total = {}

    def add(peer):
        for key, value in json.loads(r.do(peer, "shared-report")).items():
            if key not in ("holders", "refused"):
                total[key] = total.get(key, 0) + value

    def converge(most):
        wanted = json.dumps({**total, "refused": 0, "holders": []})
        for peer in peers.values():
            answer = r.do(peer, f"shared-converge {wanted}")
            again, _, problems = answer.partition(" ")
            r.expect(int(again) <= most and not problems, f"{peer.version} has received: {answer}")

    for _ in range(2):
        r.together(*[(peer, f"shared-step {r.dice.randrange(1000)} 25") for peer in peers.values()])
        name = r.dice.choice([a, b])
        rest = peers[b if name == a else a]
        r.do(peers[name], "shared-suspend")
        r.do(rest, "shared-present " + ",".join(sorted(n + ("*" if n == name else "") for n in names)))
        r.do(rest, f"shared-step {r.dice.randrange(1000)} 10")
        r.do(peers[name], "shared-resume")
    for peer in peers.values():
        add(peer)
    converge(0)
    victim = r.dice.choice([a, b])
    r.kill(peers[victim])
    # Another version continues under the same name.
    version = "today" if names[victim] == "earlier" else "earlier"
    peers[victim] = r.start(version, f"shared {{D}} {victim} 0")
    r.do(peers[victim], f"shared-step {r.dice.randrange(1000)} 10")
    add(peers[victim])
    converge(total["events"])
    r.expect(os.path.exists(r.folder + "/Files/tally.json"), "there is no file")
