"""A Chromium without a window, driven over its DevTools protocol through a pipe, so that no package is needed."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]
# Chromium does not load a lazy image below the window until the page is scrolled, so each image is made eager.
LOADED = """document.readyState == 'complete' && !!document.querySelector('h1, .title')
  && [...document.images].every(image => (image.loading = 'eager', image.complete))"""
# At most four faults of the page: elements that reach beyond the window and cannot be scrolled, images that do not load, and
# a page that has no content or says so.
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


class Chromium:
    def __init__(self, program="chromium"):
        self.folder = tempfile.mkdtemp()
        (child_in, self.output), (self.input, child_out) = os.pipe(), os.pipe()

        def connect():
            # The descriptors 3 and 4 may be among the pipe's own, so they are replaced by copies.
            first, second = os.dup(child_in), os.dup(child_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        arguments = [program, *OPTIONS, "--user-data-dir=" + self.folder, "about:blank"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(arguments, preexec_fn=connect, close_fds=False, **quiet)
        os.close(child_in)
        os.close(child_out)
        self.rest, self.count, self.tabs, self.lost = b"", 0, {}, []

    def send(self, method, session=None, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        return self.count

    def call(self, method, session=None, **parameters):
        number = self.send(method, session, **parameters)
        end = time.time() + 60
        while True:
            message = self.receive(end)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            if message.get("sessionId") in self.tabs:
                self.tabs[message["sessionId"]].events.append(message)

    def receive(self, end):
        while b"\0" not in self.rest:
            if not select.select([self.input], [], [], max(0, end - time.time()))[0]:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise RuntimeError("Chromium has ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def new(self, width=1280, height=800):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.tabs[session] = tab = Tab(self, session)
        for domain in ("Page", "Runtime", "Log"):
            tab.call(domain + ".enable")
        tab.size(width, height)
        return tab

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.folder, ignore_errors=True)


class Tab:
    def __init__(self, browser, session):
        self.browser, self.session, self.events = browser, session, []

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def js(self, expression):
        """The value of an expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def until(self, expression, seconds=20):
        """Waits until an expression is true, and returns whether it became so."""
        end = time.time() + seconds
        while time.time() < end:
            try:
                if self.js(f"!!({expression})"):
                    return True
            except RuntimeError:
                pass  # The page is being loaded.
            time.sleep(0.02)
        return False

    def go(self, address):
        self.call("Page.navigate", url=address)

    def size(self, width, height, scheme="light"):
        self.window = width, height, scheme
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def click(self, selector):
        # The element's own `click` misses what covers it, so the pointer is used.
        place = self.js(f"""(() => {{
          const element = document.querySelector({json.dumps(selector)})
          element?.scrollIntoView({{ block: "nearest" }})
          const box = element?.getBoundingClientRect()
          return box && [box.x + box.width / 2, box.y + box.height / 2] }})()""")
        if not place:
            raise RuntimeError(f"nothing to click: {selector}")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def type(self, selector, text):
        """Replaces the text of a field."""
        self.js(f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.focus(); field.select() }})()")
        self.call("Input.insertText", text=text)

    def enter(self):
        for kind, text in (("keyDown", {"text": "\r"}), ("keyUp", {})):
            self.call("Input.dispatchKeyEvent", type=kind, key="Enter", windowsVirtualKeyCode=13, **text)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def whole_picture(self, path):
        """Takes a picture of the page down to its end, at most 5,000 pixels high."""
        width, height, scheme = self.window
        # Chromium does not lay out a part beyond the window correctly, so the window becomes as high as the page.
        self.size(width, self.js("Math.min(document.documentElement.scrollHeight, 5000)"), scheme)
        self.picture(path)
        self.size(width, height, scheme)

    def check(self, address):
        """Loads a page, and returns the faults of its layout and its errors."""
        self.faults()
        self.go(address)
        if not self.until(LOADED, 30):
            return ["it does not load", *self.faults()]
        time.sleep(0.1)
        return self.js(FAULTS) + self.faults()

    def faults(self):
        """The exceptions and errors of the page since the last call."""
        found = []
        for event in self.events:
            kind, details = event.get("method"), event.get("params", {})
            if kind == "Runtime.exceptionThrown":
                details = details["exceptionDetails"]
                found.append(details.get("exception", {}).get("description") or details["text"])
            if kind == "Log.entryAdded" and details["entry"]["level"] == "error":
                found.append(details["entry"]["text"])
        self.events.clear()
        return found
