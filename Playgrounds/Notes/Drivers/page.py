"""Looks at the page of Notes in Chromium, as wide as a desktop and as narrow as a phone, in both colour schemes.

`Playgrounds/Notes/check --look` calls it with the folder of the programs and a folder for pictures.
"""
import os
import sys

from chromium import Chromium
from rounds import Home

bin, screens = sys.argv[1:3]
wrong = []


def eventually(tab, expression, what):
    if not tab.until(expression, 30):
        problem = tab.js("document.getElementById('problem')?.textContent")
        wrong.append(f"{what} (the problem is {problem!r})")


def use(tab):
    """Works with the page as a person does."""
    shown = "document.querySelector('#notes').textContent.includes('%s')"
    write = "document.querySelector('#text').value = '%s'; document.querySelector('#composer button').click()"
    tab.js(write % "written by hand <b>not bold</b>")
    eventually(tab, shown % "written by hand <b>not bold</b>", "an added note is not shown")
    tab.js("[...document.querySelectorAll('#notes button')].find(b => b.textContent === 'Pin').click()")
    eventually(tab, "!!document.querySelector('#notes li.pinned')", "a pinned note is not shown")
    tab.js(write % ("x" * 501))
    eventually(tab, "!document.getElementById('problem').hidden", "a note that is too long is not refused")
    home.asked("add", "written by another process")
    eventually(tab, shown % "written by another process", "a note of another process is not shown")
    home.kill()
    eventually(tab, "document.querySelector('#connection').className === 'lost'", "a killed daemon is not noticed")
    home.start()
    eventually(tab, "document.querySelector('#connection').className === ''", "the page does not connect again")
    tab.js("[...document.querySelectorAll('#environments button')].find(b => b.textContent === 'Staging').click()")
    eventually(tab, "document.body.classList.contains('Staging')", "a switch is not shown")
    if tab.js(shown % "written by"):
        wrong.append("a switch leaves notes of the other environment")


home = Home(bin)
home.start()
home.set_up()
home.asked("flags", "banner", "This environment is for a demonstration.")
home.asked("add", "The third note is long. " * 15)
for text in ["Buy tea, and a brush for the fence", "https://example.com/" + "a-long-address/" * 12]:
    home.asked("add", text)
os.makedirs(screens, exist_ok=True)
address = f"http://127.0.0.1:{home.port}/"
browser = Chromium()
try:
    tab = browser.new()
    for scheme in ("light", "dark"):
        for width, height in ((1280, 900), (390, 844)):
            tab.size(width, height, scheme)
            wrong += [f"{fault} at {width}" for fault in tab.check(address)]
            eventually(tab, "document.querySelectorAll('#notes li').length >= 3", "the notes are not shown")
            tab.whole_picture(f"{screens}/{scheme}-{width}.png")
    home.asked("switch", "Production")
    tab.size(1280, 900, "dark")
    wrong += tab.check(address)
    use(tab)
    tab.whole_picture(f"{screens}/used.png")
    # Refused notes, and the connection that ends with the daemon, are errors that the browser reports.
    expected = ("422", "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "net::ERR", "Failed to load resource")
    wrong += [error for error in tab.faults() if not any(part in error for part in expected)]
finally:
    browser.close()
    home.close()
for fault in wrong:
    print("error: " + fault, file=sys.stderr)
print(f"The page works, with {len(wrong)} faults; pictures are in {screens}")
sys.exit(len(wrong) > 0)
