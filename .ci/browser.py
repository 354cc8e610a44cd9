"""Loads the pages of a site in Chromium at two widths, over its DevTools protocol; see `.ci/browser`."""
import base64
import functools
import glob
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import websocket

site, screens = sys.argv[1:3]
WINDOWS = ((1280, 1000), (390, 844))
# A picture below the window would not load before the page is scrolled.
LOADED = """document.readyState == 'complete' && !!document.querySelector('h1, .title')
  && [...document.images].every(image => (image.loading = 'eager', image.complete))"""
# What reaches beyond the window, unless something around it scrolls; and what is not what it should be.
FAULTS = """(() => {
  const width = document.documentElement.clientWidth, faults = []
  const scrolls = element => element && element !== document.body
    && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement))
  if (Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) > width + 1)
    for (const element of document.querySelectorAll('body *'))
      if (element.getBoundingClientRect().right > width + 1 && !scrolls(element.parentElement))
        faults.push('too wide: ' + element.tagName + ' ' + element.textContent.trim().slice(0, 60))
  for (const image of document.images) if (!image.naturalWidth) faults.push('no image: ' + image.src)
  if (document.body.innerText.length < 80) faults.push('nothing is shown')
  if (/can.t be found|No data available/.test(document.body.innerText)) faults.push('the page says that there is none')
  return faults.slice(0, 4)
})()"""
missing = []


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send_error(self, code, *rest, **named):
        if code == 404 and not self.path.endswith("favicon.ico"):
            missing.append(self.path)
        super().send_error(code, *rest, **named)


class Browser:
    """One page of a browser without a window."""

    def __init__(self, folder):
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0"]
        arguments += ["--remote-allow-origins=*", "--user-data-dir=" + folder, "about:blank"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(["chromium"] + arguments, **quiet)
        self.events, self.count = [], 0
        target = self.eventually(lambda: self.target(folder))
        self.socket = websocket.create_connection(target, timeout=60)
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    @staticmethod
    def target(folder):
        with open(folder + "/DevToolsActivePort") as file:
            port = file.read().split("\n")[0]
        tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        return next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")

    @staticmethod
    def eventually(attempt):
        for _ in range(300):
            try:
                return attempt()
            except (OSError, StopIteration):
                time.sleep(0.1)
        sys.exit("error: Chromium did not start")

    def call(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.count:
                return answer.get("result", {})
            self.events.append(answer)

    def evaluate(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)

    def faults(self, address):
        """What is wrong with a page."""
        self.events.clear()
        missing.clear()
        self.call("Page.navigate", url=address)
        end = time.time() + 30
        while not self.evaluate(LOADED):
            if time.time() > end:
                return ["it does not load"]
            time.sleep(0.05)
        time.sleep(0.1)
        found = self.evaluate(FAULTS) + ["missing: " + path for path in missing]
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"]["text"])
            if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
        return found

    def picture(self, path, width, height):
        """Takes a picture of a page in a window that is as high as the page; a part beyond the window is laid out wrongly."""
        self.resize(width, self.evaluate("Math.min(document.documentElement.scrollHeight, 5000)"))
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
        self.resize(width, height)

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


def shown(page):
    """Whether a page is looked at: those of symbols only if all are."""
    return "--all" in sys.argv or page.startswith(("/documentation/docs", "/tutorials")) or page.count("/") == 2


pages = sorted(path[len(site) + len("/data"):-len(".json")] for path in glob.glob(site + "/data/**/*.json", recursive=True))
pages = [page for page in pages if shown(page)]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
threading.Thread(target=server.serve_forever, daemon=True).start()
os.makedirs(screens, exist_ok=True)
wrong = 0
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    browser = Browser(folder)
    for width, height in WINDOWS:
        browser.resize(width, height)
        for page in pages:
            faults = browser.faults(f"http://127.0.0.1:{server.server_address[1]}{page}/")
            for fault in faults:
                print(f"error: {page} at {width}: {fault}", file=sys.stderr)
            wrong += len(faults)
            browser.picture(f"{screens}/{width}{page.replace('/', '-')}.png", width, height)
    browser.close()
print(f"{len(pages)} pages at {len(WINDOWS)} widths, {wrong} faults; pictures are in {screens}")
sys.exit(wrong > 0)
