"""Databases: transactions, shares, migrations, caches and copies."""
import sqlite3

from rounds import place
from values import counted


def query(r, name, text):
    connection = sqlite3.connect(f"{r.folder}/{name}", timeout=20)
    try:
        return connection.execute(text).fetchall()
    finally:
        connection.close()


@place
def database(r):
    opened = ["store-open {D}/a.sqlite"]
    total = counted(
        r, "the counter", opened, "store-count", lambda: query(r, "a.sqlite", "SELECT n FROM counter")[0][0])
    a, b = r.pair(*opened, "store-loop")
    r.do(a, "ping")
    r.kill(r.dice.choice([a, b]))
    r.do(r.peers[-1], "store-stop")
    torn = query(r, "a.sqlite", "SELECT count(*) FROM pair WHERE a <> b")[0][0]
    r.expect(torn == 0, f"{torn} transactions are torn")
    r.leave(r.peers[-1])
    r.do(r.start("today", *opened), "store-backup {D}/copy.sqlite")
    for version in r.versions():
        r.do(r.start(version, "store-open {D}/copy.sqlite"), "store-count 1")
    copied = query(r, "copy.sqlite", "SELECT n FROM counter")[0][0]
    r.expect(copied == total + 2, f"the copy has {copied}, not {total + 2}")


@place
def shared_database(r):
    versions = dict(zip(("app", "widget"), r.versions()))

    def start(author):
        return r.start(versions[author], f"share-database {{D}}/s.sqlite {{D}} {author}", "follow-items")

    peers = {author: start(author) for author in versions}
    received, last = dict.fromkeys(versions, 0), dict.fromkeys(versions, 0)

    def look(author, inserted):
        """Waits until a process has received so many rows of the other, in order."""
        other = "widget" if author == "app" else "app"
        start = received[author]

        def rows():
            changes = [event.split()[2:] for event in peers[author].events if event.startswith("event change ")]
            return start + sum(int(change[2]) for change in changes if change[1] == other)
        r.until(peers[author], lambda: rows() >= inserted, f"{inserted} rows of {other}")
        # After a kill, the last changes come again.
        r.expect(rows() == inserted or start, f"{author} has received {rows()} rows of {inserted}")
        numbers = [int(event.split()[2]) for event in peers[author].events if event.startswith("event change ")]
        r.expect(numbers == sorted(set(numbers)), f"the feed is out of order: {numbers}")
        last[author] = max([last[author], *numbers])

    counts = dict.fromkeys(versions, 0)
    for _ in range(3):
        number = r.dice.randint(1, 15)
        r.together(*[(peer, f"insert-items {number} {author}") for author, peer in peers.items()])
        for author in versions:
            counts[author] += number
        look("app", counts["widget"])
        look("widget", counts["app"])
    r.refused(
        r.start(versions["app"]), "share-database {D}/s.sqlite {D} widget", "widget.*(use|running|another process|other share)")
    r.refused(
        r.start(versions["widget"]), "share-database {D}/s.sqlite {D} app", "app.*(use|running|another process|other share)")
    victim, other = r.dice.sample(list(versions), 2)
    r.together((peers[victim], "insert-items 30 last"), killing=peers[victim])
    stored = query(r, "s.sqlite", "SELECT count(*) FROM item")[0][0]
    rows = stored - counts[other]
    r.expect(counts[victim] <= rows <= counts[victim] + 30, f"{rows} rows of {victim} are stored")
    look(other, rows)
    # The other version takes over the author, and receives what was committed meanwhile.
    r.do(peers[other], "insert-items 5 meanwhile")
    versions[victim] = "today" if versions[victim] == "earlier" else "earlier"
    peers[victim], received[victim] = start(victim), counts[other]
    look(victim, counts[other] + 5)


@place
def migration(r):
    for newer in r.versions():
        older, name = "today" if newer == "earlier" else "earlier", f"{{D}}/{newer}.sqlite"
        old, new = r.start(older), r.start(newer)
        r.expect(r.do(old, f"schema-open {name} 1") == "created", "it exists")
        r.expect(r.do(new, f"schema-open {name} 2") == "migrated", "it was not migrated")
        r.refused(old, f"schema-open {name} 1", "has version 2.*up to 1")
        r.expect(r.do(old, f"schema-open {name} 2") == "current", "it was migrated twice")
    r.do(old, "schema-open {D}/both.sqlite 1")
    answers = r.together((old, "schema-open {D}/both.sqlite 2"), (new, "schema-open {D}/both.sqlite 2"))
    r.expect(sorted(answers) == ["current", "migrated"], f"two processes have migrated: {answers}")
    r.expect(query(r, "both.sqlite", "SELECT count(*) FROM run") == [(1,)], "it was migrated twice")
    victim, other = r.dice.sample([old, new], 2)
    r.do(victim, "schema-open {D}/killed.sqlite 1")
    victim.send(f"schema-stop {r.folder}/killed.sqlite")
    r.event(victim, "migrating")
    r.kill(victim)
    r.expect(r.do(other, "schema-open {D}/killed.sqlite 2") == "migrated", "it was not migrated after a kill")


@place
def cache(r):
    if not r.has("cache-put"):
        return
    opened = ["cache-open {D}/c.sqlite", "cache-follow"]
    a, b = r.pair(*opened)
    for number in range(1, 6):
        peer, other = r.dice.sample([a, b], 2)
        r.do(peer, f"cache-put {number}")
        r.event(other, f"count {number}$")
    r.kill(r.dice.choice([a, b]))
    r.expect(r.agree(opened[0], last="cache-count") == "5", "the cache has lost rows")
