"""Measures the panel under load: an app with 1,000 files and 100 signals that makes 100,000 changes a second.

Run it with `Playgrounds/Panel/load`. It prints the processor time that the app needs more while a panel is open, and how
the page keeps up. Short stretches with and without a panel alternate, in pairs whose order changes, so that other work on
the machine falls on both. The processor time of the app is divided by its changes: a slow machine does not look cheap.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from chromium import Chromium
from world import Panel

tool, load = sys.argv[1:3]
RATE = 100_000
PAIRS = 10
# Seconds of a stretch, and of the pause before it, in which the app and the panel settle.
STRETCH, PAUSE = 3, 1
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
            [load, directory, "1000", "100", str(RATE)], stdout=subprocess.PIPE, text=True)
        self.last = None
        self.change = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            seconds, changes = line.split()
            with self.change:
                self.last = float(seconds), int(changes)
                self.change.notify_all()

    def next(self):
        """The processor time and the number of changes so far, at the next report."""
        with self.change:
            self.last = None
            if not self.change.wait_for(lambda: self.last, timeout=60):
                sys.exit("error: the app does not report")
            return self.last

    def stretch(self):
        """The share of a processor for 100,000 changes a second in percent, and the changes a second."""
        time.sleep(PAUSE)
        (start, (seconds, changes)) = time.time(), self.next()
        time.sleep(STRETCH)
        (after, more), end = self.next(), time.time()
        return (after - seconds) / (more - changes) * RATE * 100, (more - changes) / (end - start)


def used(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Inspected:
    """A panel and a page, which are opened anew for each stretch."""

    def __init__(self, directory, state):
        self.directory, self.state = directory, state
        self.browser, self.panel = Chromium(), None
        self.tab = self.browser.new()
        self.shares, self.long, self.frames = [], [], []

    def measure(self, app):
        self.panel = Panel(tool, self.directory, self.state)
        tab = self.tab
        tab.go(self.panel.address)
        if not tab.until("document.body?.dataset.state === 'live' && document.querySelector('.row')"):
            sys.exit("error: the page does not open")
        tab.js(WATCH)
        start, before = time.time(), used(self.panel.process.pid)
        share = app.stretch()
        self.shares.append((used(self.panel.process.pid) - before) / (time.time() - start) * 100)
        self.long += tab.js("long")
        self.frames += tab.js("frames")
        self.shown = tab.js("document.querySelector('.rates')?.textContent")
        tab.js("location.hash = 'section=files'")
        self.answers = tab.until("document.querySelector('#heading').textContent === 'Files'", 2)
        tab.go("about:blank")
        self.panel.stop()
        return share

    def close(self):
        self.browser.close()
        if self.panel and self.panel.process.poll() is None:
            self.panel.process.kill()


def main():
    # In memory, so that the disk is not what is measured.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    state, directory = tempfile.mkdtemp(), tempfile.mkdtemp(dir=memory)
    app, inspected = App(directory), None
    try:
        inspected = Inspected(directory, state)
        app.stretch()
        alone, watched, rates = [], [], []
        for pair in range(PAIRS):
            for isWatched in (pair % 2 == 0, pair % 2 == 1):
                share, rate = inspected.measure(app) if isWatched else app.stretch()
                (watched if isWatched else alone).append(share)
                rates.append(rate)
        growth = sorted(with_panel - without for with_panel, without in zip(watched, alone))
        print(f"changes a second     {statistics.median(rates):.0f}")
        print(f"app alone            {statistics.median(alone):.2f} % of a processor")
        print(f"app, inspected       {statistics.median(watched):.2f} % of a processor")
        print(f"growth               {statistics.median(growth):.2f} % of a processor, the median of {PAIRS} pairs; "
              f"half of them from {growth[PAIRS // 4]:.2f} to {growth[PAIRS * 3 // 4]:.2f} %")
        print(f"panel                {statistics.median(inspected.shares):.1f} % of a processor")
        frames, long = sorted(inspected.frames), inspected.long
        print(f"frames of the page   {len(frames)}, longest {frames[-1]:.0f} ms, 99 % below "
              f"{frames[len(frames) * 99 // 100]:.0f} ms")
        print(f"long tasks           {len(long)}, longest {max(long, default=0):.0f} ms")
        print(f"the page shows       {inspected.shown}")
        print(f"the page answers     {'yes' if inspected.answers else 'NO'}")
    finally:
        if inspected:
            inspected.close()
        app.process.kill()
        app.process.wait()
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(state, ignore_errors=True)


main()
