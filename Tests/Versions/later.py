"""A later version of the package has changed a format: both versions refuse its files, and leave them as they are."""
import glob
import json
import re

from rounds import place


def changed(r, pattern, change):
    """Changes files as a later version would have written them."""
    paths = glob.glob(f"{r.folder}/{pattern}", recursive=True, include_hidden=True)
    r.expect(paths, f"there is no {pattern}")
    for path in paths:
        with open(path, "rb") as file:
            old = file.read()
        new = change(old)
        r.expect(new != old, f"{pattern} has no version")
        with open(path, "wb") as file:
            file.write(new)


def next_version(content):
    return re.sub(rb'("version"\s*:\s*)(\d+)', lambda match: match[1] + b"%d" % (int(match[2]) + 1), content)


@place
def later_environments(r):
    peer = r.start("today", "env {D}/root", "env-count n.json 1", "env-new Second")
    r.do(peer, f"env-export {r.do(peer, 'env-active')} {{D}}/one.archive")
    r.leave(peer)
    changed(r, "one.archive", lambda content: content[:8] + b"\2" + content[9:])
    for version in r.versions():
        r.refused(r.start(version, f"env {{D}}/root"), "env-import {D}/one.archive", "newer|version 2")
    changed(r, "root/.containers/state*.json", next_version)
    for version in r.versions():
        r.refused(r.start(version), "env {D}/root", "newer|version 2")


@place
def later_log(r):
    peer = r.start("today", "log {D} inbox", "append-many 5 e")
    r.leave(peer)
    changed(r, "Logs/inbox/*.segment", lambda content: b"SIGLOG03" + content[8:])
    before = r.content()
    for version in r.versions():
        answer = r.do(r.start(version, "log {D} inbox"), "read-log")
        r.expect(answer.split()[0] == "0" and answer.split()[1] != "0", f"{version} has read a later segment: {answer}")
        r.counts["refusals"] += 1
    r.expect(r.content() == before, "a later segment was changed")


@place
def later_session(r):
    opened = ["context-policy 1000 once keeps", "context-open {D} file", "context-setup"]
    peer = r.start("today", *opened, "context-login ada", "context-renew")
    r.leave(peer)
    kept = r.raw("renewal.json")
    changed(r, "renewal.json", next_version)
    if r.shares("renewal-record"):
        r.refused(r.start("earlier", *opened), "context-renew", "newer|version 3")
    r.refused(r.start("today", *opened), "context-renew", "newer|version 3")
    with open(r.folder + "/renewal.json", "wb") as file:
        file.write(kept)
    # An archive that cannot be read stays as it is, until a login puts it aside.
    changed(r, "session.json", next_version)
    before = r.content()
    for version in r.versions():
        state = r.do(r.start(version, *opened), "context-state")
        r.expect(state == "unauthenticated nobody", f"{version} has read a later archive: {state}")
        r.counts["refusals"] += 1
    r.expect(r.content() == before, "a later archive was changed")
    r.do(r.peers[-1], "context-login eve")
    aside = [content for name, content in r.content().items() if name.startswith("session.json.kept-")]
    r.expect(aside == [before["session.json"]], "a login has lost a later archive")


@place
def later_cache(r):
    r.leave(r.start("today", "remote-write {D} ada 1"))
    changed(r, "cache/*.tweaks", lambda content: content.replace(b"signals-tweaks 1", b"signals-tweaks 2", 1))
    before = r.content()
    r.expect(r.do(r.start("today"), "remote-read {D} ada") == "nothing", "a later entry was read")
    for version in r.versions():
        r.do(r.start(version), "remote-write {D} ada 2")
        r.expect(r.content() == before, f"{version} has replaced the entry of a later version")
        r.counts["refusals"] += 1


@place
def later_settings(r):
    """An app's own versions, beyond those that the other version of the app has."""
    r.leave(r.start("today", "app 3 {D}", "settings-write dark"))
    changed(r, "Files/settings.json", next_version)
    for version in r.versions():
        r.refused(r.start(version, "app 3 {D}"), "settings-update light", "version 4|found: 4")
    r.expect(json.loads(r.raw("Files/settings.json"))["version"] == 4, "a later value was replaced")
