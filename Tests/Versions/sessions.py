"""Sessions of users, whose archive processes of both versions share."""
import json

from rounds import place


def opened(r, location, *more):
    return ["context-policy 5000 once keeps", f"context-open {{D}} {location}", *more, "context-setup"]


@place
def session(r):
    for location in ("file", "database"):
        r.renew_folder()
        a, b = r.pair(*opened(r, location))
        state = r.do(a, "context-login ada")
        for step in range(8):
            peer, other = r.dice.sample([a, b], 2)
            token = int(state.split()[2])
            # The other process has the last state.
            r.do(peer, f"context-await authenticated {token}")
            choice = r.dice.choice(["context-renew", "context-renew", f"context-name n{step}"])
            state = r.do(peer, choice)
            wanted = token + (choice == "context-renew")
            r.expect(state.split()[2] == str(wanted), f"{choice} gave {state}, not {wanted}")
            r.do(other, f"context-await authenticated {wanted}")
        r.do(a, f"context-await authenticated {wanted}")
        r.agree(*opened(r, location), last="context-state")
        r.do(a, "context-replace grace")
        r.do(b, "context-await authenticated 0")
        if not r.shares("renewal-record") and b.version == "earlier" and json.loads(r.raw("renewal.json"))["version"] == 2:
            r.refused(b, "context-reopen ada", "has version 2.*up to 1")
            r.do(a, "context-await authenticated 0")
            a, b = b, a
        reopened = r.do(b, "context-reopen ada")
        r.expect(reopened.split()[1:3] == ["ada", str(wanted)], f"the kept session is lost: {reopened}")
        r.do(a, f"context-await authenticated {wanted}")
        r.do(a, "context-leave")
        r.do(b, "context-await unauthenticated 0")
        peer, b = (b, a) if b.version == "earlier" else (a, b)  # Of the two, today's reads the notes of both.
        r.kill(peer)
        r.do(b, "context-await unauthenticated 0")
        state = r.do(b, "context-reopen ada")
        r.expect(state.split()[2] == str(wanted), f"the kept session is lost: {state}")
        item = r.do(b, "context-put 1 text")
        r.expect(item == "", "an item was not stored")
        r.do(b, "context-logout")
        r.agree(*opened(r, location), last="context-state")


@place
def changed_session(r):
    """Processes of both versions rename a user at the same time, and are killed."""
    location = r.dice.choice(["file", "database"])
    a, b = r.pair(*opened(r, location))
    r.do(a, "context-login ada")
    r.do(b, "context-await authenticated 1")
    for number in range(4):
        victim = r.dice.choice([a, b, None])
        names = {peer: f"{peer.version}{number}" for peer in (a, b)}
        r.together(*[(peer, f"context-name {names[peer]}") for peer in (a, b)], killing=victim)
        a, b = (r.start(peer.version, *opened(r, location)) if peer is victim else peer for peer in (a, b))
        state = r.agree(*opened(r, location), last="context-state").split()
        r.expect(state[1:3] == ["ada", "1"] and state[3] in names.values(), f"the session is {state}")


@place
def renewed_session(r):
    """Processes of both versions renew a session at the same time, and are killed: a token is spent once."""
    if not r.has("context-accounts") or not r.shares("renewal-locks"):
        return
    location, killed = r.dice.choice(["file", "database"]), set()
    commands = opened(r, location, "context-accounts 5")
    a, b = r.pair(*commands)
    state = ""
    for _ in range(4):
        if "ada" not in state:
            state = r.do(a, "context-replace ada")
        for peer in (a, b):
            r.do(peer, f"context-await authenticated {state.split()[2]}")
        victim = r.dice.choice([a, b, None])
        # The server accepts no token twice, so that the session ends if the killed process has sent its token.
        r.together((a, "context-renew"), (b, "context-renew"), killing=victim, permitted="no longer accepts")
        if victim:
            killed.add(victim.pid)
        a, b = (r.start(peer.version, *commands) if peer is victim else peer for peer in (a, b))
        again = json.loads(r.raw("server.json")).get("reuses", [])
        r.expect(set(again) <= killed, f"a token of {again} was sent twice, and {killed} were killed")
        state = r.agree(*commands, last="context-state")
        r.expect(victim or "ada" in state, f"the session has ended: {state}")
