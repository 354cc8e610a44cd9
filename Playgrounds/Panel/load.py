"""Measures the panel under load: an app with 1,000 files and 100 signals that makes 100,000 changes a second.

Run it with `Playgrounds/Panel/load`. It prints the share of a processor that the app needs without and with an inspector,
and the longest tasks of the page.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../.ci"))
from chromium import Chromium  # noqa: E402
from panel_world import Panel  # noqa: E402

tool, load = sys.argv[1:3]
SECONDS = 8
# Long tasks keep the page from answering; the frames show whether it does.
WATCH = """(() => {
  window.long = []
  window.frames = []
  new PerformanceObserver(list => { for (const entry of list.getEntries()) long.push(entry.duration) })
    .observe({ type: "longtask" })
  let last = performance.now()
  requestAnimationFrame(function next(now) { frames.push(now - last); last = now; requestAnimationFrame(next) })
})()"""


class App:
    def __init__(self, directory):
        self.process = subprocess.Popen(
            [load, directory, "1000", "100", "100000"], stdout=subprocess.PIPE, text=True)
        self.shares, self.changes = [], 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            share, changes = line.split()
            self.shares.append(float(share))
            self.changes = int(changes)

    def share(self):
        """The median share of a processor in percent, over the next seconds."""
        start = len(self.shares) + 1
        while len(self.shares) < start + SECONDS:
            time.sleep(0.1)
        return statistics.median(self.shares[start:])


def used(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    # In memory, so that the disk is not what is measured.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    state, directory = tempfile.mkdtemp(), tempfile.mkdtemp(dir=memory)
    app, browser, panel = App(directory), None, None
    try:
        alone = [app.share()]
        panel = Panel(tool, directory, state)
        browser = Chromium()
        tab = browser.new()
        tab.go(panel.address)
        if not tab.until("document.body?.dataset.state === 'live' && document.querySelector('.row')"):
            sys.exit("error: the page does not open")
        tab.js(WATCH)
        start, before = time.time(), used(panel.process.pid)
        inspected = app.share()
        inspector = (used(panel.process.pid) - before) / (time.time() - start) * 100
        long, frames = tab.js("long"), tab.js("frames")
        shown = tab.js("document.querySelector('.rates')?.textContent")
        tab.js("location.hash = 'section=files'")
        answered = tab.until("document.querySelector('#heading').textContent === 'Files'", 2)
        if os.environ.get("PANEL_PICTURES"):
            tab.picture(os.environ["PANEL_PICTURES"] + "/load.png")
        browser.close()
        panel.stop()
        browser = panel = None
        alone.append(app.share())
        print(f"changes a second     {app.changes}")
        print(f"app alone            {alone[0]:.2f} % and {alone[1]:.2f} % of a processor")
        print(f"app, inspected       {inspected:.2f} % of a processor")
        print(f"growth               {inspected - statistics.mean(alone):.2f} % of a processor")
        print(f"panel                {inspector:.1f} % of a processor")
        print(f"frames of the page   {len(frames)}, longest {max(frames):.0f} ms, 99 % below "
              f"{sorted(frames)[len(frames) * 99 // 100]:.0f} ms")
        print(f"long tasks           {len(long)}, longest {max(long, default=0):.0f} ms")
        print(f"the page shows       {shown}")
        print(f"the page answers     {'yes' if answered else 'NO'}")
    finally:
        if browser:
            browser.close()
        if panel:
            panel.process.kill()
        app.process.kill()
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(state, ignore_errors=True)


main()
