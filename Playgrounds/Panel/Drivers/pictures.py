"""Takes the pictures of the panel in the documentation, with real processes; see `Playgrounds/Panel/pictures`."""
import json
import os
import shutil
import sys
import tempfile
import time

from chromium import Chromium
from world import Panel, World

tool, peer, folder = sys.argv[1:4]


def prepare(world, directory):
    """What an app leaves in its group: settings, a list of flags, and a log that one consumer no longer reads."""
    for name, value in {"settings.json": {"theme": "light", "volume": 5, "apiKey": "k-4711"},
                        "queue.json": {"now": "Blue in Green", "next": ["So What", "Naima"], "shuffle": False}}.items():
        with open(f"{directory}/Files/{name}", "w") as file:
            json.dump(value, file, indent=2)
    for command in (f"suite {directory} preferences.json", "suite-set theme dark", "suite-set language en"):
        world.app.send(command)
    for name, value in (("crossfade", 1), ("history", 50)):
        world.flags.send(f"tweak-set player {name} {value}")
    gone = world.start(peer, "uploader")
    for command in (f"log {directory} inbox", "follow-log uploads"):
        gone.send(command)
    time.sleep(1)
    gone.process.kill()
    world.app.send("append-many 40 track-played")


def edit(directory, volume, theme):
    with open(f"{directory}/Files/.new", "w") as file:
        json.dump({"theme": theme, "volume": volume, "apiKey": "k-4711"}, file, indent=2)
    os.rename(f"{directory}/Files/.new", f"{directory}/Files/settings.json")


def main():
    state, base = tempfile.mkdtemp(), tempfile.mkdtemp()
    directory = base + "/player"
    os.mkdir(directory)
    world, browser, panel = World(peer, directory), None, None
    try:
        prepare(world, directory)
        panel = Panel(tool, directory, state, "--write")
        browser = Chromium()
        tab = browser.new()
        tab.go(panel.address)
        tab.until("document.body?.dataset.state === 'live'")
        time.sleep(1)
        for volume, theme in ((6, "light"), (7, "light"), (7, "dark")):
            edit(directory, volume, theme)
            time.sleep(0.6)
            world.app.send(f"write note.json volume-{volume}")
            world.app.send("append-many 25 track-played")
            time.sleep(0.3)
        world.flags.send("tweak-set shop limit 20")
        world.app.send("insert-items 2 x")
        time.sleep(1)
        pictures = {
            "panel": ("section=timeline", 1280, 520, "[...document.querySelectorAll('.space .row:not([hidden])')]"
                      ".find(row => row.textContent.includes('theme:')).click()"),
            "panel-flags": ("section=flags&open=tweak/shop/limit", 1280, 440, None),
            "panel-narrow": ("section=logs", 390, 440, None),
        }
        for name, (place, width, height, action) in pictures.items():
            for suffix, scheme in (("", "light"), ("~dark", "dark")):
                tab.size(width, height, scheme)
                tab.js(f"location.hash = {json.dumps(place)}")
                time.sleep(0.6)
                if action:
                    tab.js(action)
                    time.sleep(0.6)
                tab.js("document.activeElement?.blur()")
                time.sleep(0.2)
                tab.picture(f"{folder}/{name}{suffix}.png")
        faults = tab.faults()
        if faults:
            sys.exit("error: " + "; ".join(faults))
    finally:
        if browser:
            browser.close()
        if panel:
            panel.process.kill()
        world.end()
        shutil.rmtree(base, ignore_errors=True)
        shutil.rmtree(state, ignore_errors=True)


main()
