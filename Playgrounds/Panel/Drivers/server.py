"""Checks the server of the panel with real processes; see `Playgrounds/Panel/check`."""
import os
import sys
import time

from world import Panel, check, check_delays, checked

tool, peer = sys.argv[1:3]


def refusals(panel):
    status = {
        "a foreign Host": panel.request("GET", "/api/snapshot", Host=f"evil.example:{panel.port}")[0],
        "a Host without the port": panel.request("GET", "/api/snapshot", Host="127.0.0.1")[0],
        "a foreign Host for the page": panel.request("GET", "/", Host="evil.example")[0],
        "a foreign Origin": panel.request("GET", "/api/snapshot", Origin="http://evil.example")[0],
        "another port of this machine": panel.request("GET", "/api/snapshot", Sec_Fetch_Site="same-site")[0],
        "another site": panel.request("GET", "/api/snapshot", Sec_Fetch_Site="cross-site")[0],
        "a change without an Origin": panel.request(
            "POST", "/api/change", b"{}", Content_Type="application/json")[0],
    }
    for what, found in status.items():
        check(f"{what} is refused", found == 403, str(found))
    check("a missing token is refused", panel.request("GET", "/api/snapshot", Authorization=None)[0] == 401)
    check("a wrong token is refused", panel.request("GET", "/api/snapshot", Authorization="Bearer 0")[0] == 401)
    origin = {"Origin": f"http://{panel.host}"}
    check("a change as text is refused",
          panel.request("POST", "/api/change", b"{}", Content_Type="text/plain", **origin)[0] == 415)
    large = b'{"action":"' + b"x" * (300 << 10) + b'"}'
    check("a large body is refused",
          panel.request("POST", "/api/change", large, Content_Type="application/json", **origin)[0] == 413)
    chunked = {"Transfer-Encoding": "chunked"}
    check("a large body of unknown length is refused",
          panel.request("POST", "/api/change", large, Content_Type="application/json", **chunked, **origin)[0] == 413)
    check("a path outside of the page is refused", panel.request("GET", "/../Package.swift")[0] == 404)
    status, _, headers = panel.request("GET", "/", Authorization=None)
    check("the page needs no token", status == 200)
    check("the page has a strict policy", "default-src 'none'" in headers.get("Content-Security-Policy", ""))
    check("no other site may read", headers.get("Access-Control-Allow-Origin") is None)


def follow(panel, directory, app):
    snapshot = panel.get("/api/snapshot")
    kinds = {resource["kind"] for resource in snapshot["resources"]}
    wanted = {"file", "suite", "log", "presence", "database", "container", "tweak", "lock"}
    check("all kinds are in the snapshot", wanted <= kinds, ", ".join(sorted(wanted - kinds)))
    events = panel.events(f"{snapshot['epoch']}:{snapshot['seq']}")
    hello = events.wait(lambda event, _: event == "hello")
    check("the stream begins with a greeting", hello is not None and hello[3]["resumed"])
    delays, writes = [], []
    for number in range(20):
        time.sleep(0.15)
        start = time.time()
        app.send(f"write note.json text{number}")
        writes.append(time.time() - start)
        found = events.wait(lambda event, data: event == "state" and any(
            resource["id"] == "file/note.json" and resource.get("value", {}).get("text") == f"text{number}"
            for resource in data["resources"]))
        delays.append(found[0] - start if found else 99)
    check_delays("a change arrives within 100 ms", delays, writes)
    changes = [frame[3] for frame in events.frames if frame[1] == "change"]
    check("each change has a row", any(
        change["r"] == "file/note.json" and change["diff"][-1][1] == "/text" for change in changes))
    app.send("append-many 5000 burst")
    last = events.wait(lambda event, data: event == "state" and any(
        resource["id"] == "log/inbox" and resource["log"]["end"] == "5002" for resource in data["resources"]))
    check("a burst of events arrives", last is not None)
    counted = sum(frame[3].get("n", 0) for frame in events.frames if frame[1] == "change" and frame[3]["kind"] == "log")
    skipped = sum(frame[3]["skipped"] for frame in events.frames if frame[1] == "gap")
    time.sleep(0.3)
    check("no event of a burst is uncounted", counted + skipped <= 5000 and counted > 0, f"{counted} and {skipped}")
    old = panel.events("zzzz:1")
    check("another epoch is reset", old.wait(lambda event, _: event == "reset") is not None)
    text = panel.get("/api/value?r=file%2Fnote.json")
    check("a value can be read", "text19" in text["text"])
    entries = panel.get("/api/log?r=log/inbox&limit=3")["entries"]
    check("the last events can be read", entries[-1]["value"] == "burst 5000")
    rows = panel.get("/api/rows?r=database/items.sqlite&table=item&limit=2")
    check("rows can be read in pages", len(rows["rows"]) == 2 and "next" in rows)
    return events


def change(panel, flags):
    status, answer = panel.change(action="tweak.set", r="tweak/shop/limit", text="7")
    check("a flag can be set", status == 200 and answer["done"], str(answer))
    check("another process has the flag", flags.event("event tweak 7"))
    status, answer = panel.change(action="tweak.set", r="tweak/shop/limit", text="many")
    check("a flag keeps its type", status == 400, str(answer.get("error", {}).get("cause")))
    stale = panel.change(action="value.edit", r="file/note.json", version="0", path="/text", value="x")
    check("an outdated change is a conflict", stale[0] == 409 and "theirs" in stale[1]["error"])


def edit(panel, directory, app):
    app.send(f"publish-edits {directory} song.json")

    def song():
        return next((each for each in panel.get("/api/snapshot")["resources"] if each["id"] == "file/song.json"), {})

    end = time.time() + 20
    while "editor" not in song().get("file", {}) and time.time() < end:
        time.sleep(0.1)
    check("the snapshot names the app that edits", song()["file"].get("editor", {}).get("type") == "Song", str(song()))
    wanted = {"action": "value.edit", "r": "file/song.json", "path": "/tags"}
    status, answer = panel.change(**wanted, version=song()["version"], value=["slow"])
    check("an app writes an edit", status == 200 and answer["process"]["pid"] == app.process.pid, str(answer))
    status, answer = panel.change(**wanted, version=song()["version"], value=[1])
    check("an app refuses what is not of its type", status == 400 and answer["error"]["code"] == "refused", str(answer))


def checks(directory, state, world):
    panel = Panel(tool, directory, state, "--write")
    refusals(panel)
    follow(panel, directory, world.app)
    change(panel, world.flags)
    edit(panel, directory, world.app)
    work = world.other.send("env-list").split(",")[-1]
    status, answer = panel.change(action="container.switch", r="container/environments", id=work)
    check("an environment can be switched", status == 200, str(answer.get("error", "")))
    check("another process has switched", world.other.send("env-active") == work)
    panel.stop()
    again = Panel(tool, directory, state)
    check("the address survives a restart", again.address == panel.address)
    status, answer = again.change(action="tweak.reset", r="tweak/shop/limit")
    check("a panel without --write changes nothing", status == 403 and answer["error"]["code"] == "readOnly")
    mode = [os.stat(os.path.join(folder, name)).st_mode & 0o777 for folder, _, names in os.walk(state) for name in names]
    check("only the user can read the token", mode == [0o600])
    again.stop()


checked(peer, checks)
