"""Checks the page of the panel in Chromium, with four processes that use the directory; see `Playgrounds/Panel/check`."""
import http.server
import os
import sys
import threading
import time
import uuid

from chromium import Chromium
from world import NAMES, Panel, check, check_delays, checked, failures

tool, peer = sys.argv[1:3]
LIVE = "document.body?.dataset.state === 'live'"
# The time at which a text appears on the page, in milliseconds since 1970.
WATCH = """(text => {
  window.seen = 0
  const look = () => {
    if (!seen && document.querySelector(".space")?.textContent.includes(text)) {
      window.seen = performance.timeOrigin + performance.now()
      observer.disconnect()
    }
  }
  const observer = new MutationObserver(look)
  observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  look()
})("%s")"""


def opens(browser, panel):
    tab = browser.new()
    tab.go(panel.address)
    check("the page opens and follows", tab.until(LIVE))
    check("the token leaves the address", "token" not in tab.js("location.href"))
    counts = "Object.fromEntries([...document.querySelectorAll('.sections li')].map(item =>"
    counts += " [item.dataset.key, Number(item.querySelector('.amount')?.textContent)]))"
    for section in ("files", "suites", "logs", "locks", "databases", "flags", "environments", "presence"):
        check("the page counts what four processes share", tab.until(f"({counts}).{section} > 0"), section)
    tab.js("location.hash = 'section=presence'")
    rows = "[...document.querySelectorAll('.space .row')].map(row => row.textContent).join()"
    check("the page shows the processes", all(tab.until(f"{rows}.includes('{name}')") for name in NAMES), tab.js(rows))
    return tab


def follows(tab, app):
    """A change in a process is on the page within 100 ms."""
    tab.js("location.hash = 'section=files'")
    delays, others = [], []
    for number in range(20):
        tab.js(WATCH % f"mark-{number}:")
        start = time.time()
        app.send(f"write note.json mark-{number}:")
        tab.js("1")
        others.append(time.time() - start)
        if not tab.until("window.seen"):
            return check("a change appears on the page", False, f"number {number}")
        delays.append(tab.js("window.seen") / 1000 - start)
        time.sleep(0.12)
    tab.js("location.hash = 'section=timeline'")
    rows = "[...document.querySelectorAll('.space .row')].filter(row => row.textContent.includes('note.json')).length"
    check("the timeline has a row for changes", tab.until(f"{rows} > 0"))
    check_delays("a change appears within 100 ms", delays, others)


def edits(tab, flags):
    tab.js("location.hash = 'section=flags&open=tweak/shop/limit'")
    check("a flag has an editor", tab.until("document.querySelector('#flag-value')"))
    tab.type("#flag-value", "many")
    tab.enter()
    check("the editor keeps the type", tab.until("document.querySelector('#flag-problem').textContent.includes('number')"))
    tab.type("#flag-value", "33")
    tab.enter()
    check("another process reports the edited flag", flags.event("event tweak 33"))
    said = tab.until("document.querySelector('#toast').textContent.includes('Set shop/limit to 33')")
    check("the page says what it did", said)
    tab.click("#toast .button")
    check("an edit can be undone", flags.event("event tweak 5"))


def values(tab, app, directory):
    app.send(f"publish-edits {directory} song.json")
    tab.js("location.hash = 'section=files&open=file/song.json'")
    check("a value names the app that changes it",
          tab.until("document.querySelector('.detail')?.textContent.includes(', as Song')"))
    tab.click(".detail [data-key=edit]")
    check("the editor opens", tab.until("document.querySelector('#value-text')"))
    tab.js("""(() => { const place = document.querySelector("#value-place")
      place.value = "/tags"
      place.dispatchEvent(new Event("change", { bubbles: true })) })()""")
    save = "dialog [data-key=save]"
    for text, outcome in (("[1]", "document.querySelector('dialog .failure')?.textContent.includes('at tags.[0]')"),
                          ('["slow"]', "!document.querySelector('dialog')")):
        tab.type("#value-text", text)
        tab.until(f"document.querySelector('{save}').ariaDisabled !== 'true'")
        tab.click(save)
        check(f"the app decides about {text}", tab.until(outcome))
    check("the app has the value", "slow" in app.send("song"))


def switches(tab, other):
    work = other.send("env-list").split(",")[-1]
    tab.js(f"location.hash = 'section=environments&open=container/environments&tab=environment {work}'")
    check("an environment can be chosen", tab.until("document.querySelector('.detail [data-key=switch]')"))
    tab.click(".detail [data-key=switch]")
    check("a switch is previewed", tab.until("document.querySelector('dialog .preview')"))
    tab.click("dialog [data-key=confirm]")
    check("the page closes the preview", tab.until("!document.querySelector('dialog')"))
    check("another process has switched", other.send("env-active") == work)
    tab.js("[...document.querySelectorAll('#actions .button')].find(each => each.textContent === 'Reset…').click()")
    check("a reset is previewed", tab.until("document.querySelector('dialog')?.textContent.includes('Would delete 1')"))
    tab.click("dialog [data-key=confirm]")
    check("the page closes the dialog", tab.until("!document.querySelector('dialog')"))
    default = str(uuid.UUID(int=0))
    check("another process is back in the default environment", other.send("env-active") == default)


def tails(tab, app):
    tab.js("location.hash = 'section=logs&open=log/inbox&tab=events'")
    text = "document.querySelector('.detail [role=tabpanel]')?.textContent"
    check("the events of a log are shown", tab.until(f"{text}?.includes('two')"))
    for name in ("three", "four"):
        app.send(f"append {name}")
        check("a new event is shown", tab.until(f"{text}.includes('{name}')"), name)


def survives(tab, panel, app):
    tab.faults()
    panel.stop()
    check("the page notices that the panel is gone", tab.until("document.body.dataset.state === 'lost'"))
    panel.start()
    check("the page is live again after a restart", tab.until(LIVE))
    tab.faults()
    tab.js("location.hash = 'section=files'")
    tab.js(WATCH % "after-the-restart")
    app.send("write note.json after-the-restart")
    check("the page follows again", tab.until("window.seen"))


class Foreign(http.server.BaseHTTPRequestHandler):
    """A site at another port of this machine."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>foreign</title>")

    def log_message(self, *_):
        pass


def refuses(browser, panel):
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    tab = browser.new()
    tab.go(f"http://127.0.0.1:{site.server_address[1]}/")
    tab.until("document.title === 'foreign'")
    attempt = f"""fetch("http://{panel.host}/api/snapshot", {{ headers: {{ Authorization: "Bearer {panel.token}" }} }})
      .then(answer => answer.text(), () => "refused")"""
    check("a foreign origin cannot read, even with the token", tab.js(attempt) == "refused")
    blind = f"""fetch("http://{panel.host}/api/change", {{ method: "POST", mode: "no-cors", body: "{{}}" }})
      .then(answer => answer.type, () => "refused")"""
    check("a foreign origin sees nothing of a blind write", tab.js(blind) in ("opaque", "refused"))
    frame = f"""new Promise(done => {{
      const frame = document.createElement("iframe")
      frame.onload = () => {{ try {{ done(frame.contentDocument?.title ?? "hidden") }} catch {{ done("hidden") }} }}
      frame.src = "http://{panel.host}/"
      document.body.append(frame) }})"""
    check("the page cannot be framed", tab.js(frame) in ("hidden", ""))
    # A name that leads to this machine, as in DNS rebinding.
    tab.go(f"http://panel.localhost:{panel.port}/")
    check("a foreign host is refused", tab.until("document.body?.textContent.includes('the host is not')"))
    tab.go(f"http://{panel.host}/")
    check("a page without the token says so", tab.until("document.querySelector('.failure')?.textContent.includes('no token')"))
    site.shutdown()


def checks(directory, state, world):
    start = time.time()
    panel, browser = Panel(tool, directory, state, "--write"), None
    try:
        browser = Chromium()
        tab = opens(browser, panel)
        follows(tab, world.app)
        edits(tab, world.flags)
        switches(tab, world.other)
        tails(tab, world.app)
        # The editor's refusal is an answer of the page alone; the server refused nothing until now.
        faults = tab.faults()
        check("the page has no errors", not faults, "; ".join(faults))
        values(tab, world.app, directory)
        survives(tab, panel, world.app)
        refuses(browser, panel)
    finally:
        if failures and browser and os.environ.get("PANEL_PICTURES"):
            tab.picture(os.environ["PANEL_PICTURES"] + "/failed.png")
        if browser:
            browser.close()
        panel.process.kill()
        panel.process.wait()
    print(f"{time.time() - start:.1f} s")


checked(peer, checks)
