"""Looks at the built documentation in Chromium, as wide as a desktop and as narrow as a phone.

`.ci/docs --look` calls it with the folder of the site and a folder for pictures of all pages. It finds pages that do not load,
what is missing, errors of scripts, and what does not fit the window.
"""
import functools
import glob
import http.server
import json
import os
import sys
import threading

from chromium import Chromium

site, screens = sys.argv[1:3]
WINDOWS = ((1280, 1000), (390, 844))
missing = []


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def send_error(self, code, *rest, **named):
        if code == 404 and not self.path.endswith("favicon.ico"):
            missing.append(self.path)
        super().send_error(code, *rest, **named)


def shown(page):
    """Whether a page is looked at: those of symbols only if all are."""
    return "--all" in sys.argv or page.startswith(("/documentation/docs", "/tutorials")) or page.count("/") == 2


pages = sorted(path[len(site) + len("/data"):-len(".json")] for path in glob.glob(site + "/data/**/*.json", recursive=True))
pages = [page for page in pages if shown(page)]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
threading.Thread(target=server.serve_forever, daemon=True).start()
os.makedirs(screens, exist_ok=True)
wrong = 0
browser = Chromium()
try:
    tab = browser.new()
    for width, height in WINDOWS:
        tab.size(width, height)
        for page in pages:
            missing.clear()
            faults = tab.check(f"http://127.0.0.1:{server.server_address[1]}{page}/")
            faults += ["missing: " + path for path in missing]
            for fault in faults:
                print(f"error: {page} at {width}: {fault}", file=sys.stderr)
            wrong += len(faults)
            tab.whole_picture(f"{screens}/{width}{page.replace('/', '-')}.png")
finally:
    browser.close()
print(f"{len(pages)} pages at {len(WINDOWS)} widths, {wrong} faults; pictures are in {screens}")
sys.exit(wrong > 0)
