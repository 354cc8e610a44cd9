"""Checks the command line `signals` with real processes; see `Playgrounds/Panel/check`."""
import json
import os
import subprocess
import sys

from world import check, checked

tool, peer = sys.argv[1:3]


def run(*arguments, directory=None):
    environment = {**os.environ, "SIGNALS_DIRECTORY": directory or ""}
    quiet = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": 60}
    return subprocess.run([tool, *arguments], env=environment, **quiet)


def reads(directory):
    listed = run("list", "logs", directory=directory)
    check("a list in a pipe has tabs and a head", listed.stdout.startswith("LOG\t"), listed.stdout[:40])
    value = run("get", "note.json", "/text", directory=directory)
    check("a part of a value is printed", value.stdout == "hello\n", value.stdout)
    shown = json.loads(run("containers", "show", "Work", "--root", "environments", "--json", directory=directory).stdout)
    check("an environment is shown as JSON", shown["name"] == "Work" and not shown["active"])
    tail = run("log", "tail", "inbox", directory=directory)
    check("a log is printed", "two" in tail.stdout, tail.stdout)


def changes(directory, world):
    done = run("tweaks", "set", "shop/limit", "9", directory=directory)
    check("a flag is set", done.returncode == 0 and world.flags.event("event tweak 9"), done.stderr)
    typed = run("tweaks", "set", "shop/limit", "nine", directory=directory)
    check("a flag keeps its type", typed.returncode == 1 and "whole number" in typed.stderr, typed.stderr)
    archive = directory + "/work.archive"
    for arguments in (("export", "Work", archive), ("import", archive, "Copy")):
        done = run("containers", *arguments, "--root", "environments", directory=directory)
        check(f"environments {arguments[0]}", done.returncode == 0, done.stderr)
    kept = run("containers", "reset", "--root", "environments", directory=directory)
    check("a reset without --yes is refused in a pipe", kept.returncode == 4, kept.stderr)
    done = run("containers", "reset", "--yes", "--root", "environments", directory=directory)
    check("environments are reset", "Deleted 2 environments" in done.stdout, done.stdout + done.stderr)


def edits(directory, world):
    world.app.send(f"publish-edits {directory} song.json")
    done = run("set", "song.json", "/rating", "5", directory=directory)
    name = f"player ({world.app.process.pid})"
    check("an app writes an edit", done.returncode == 0 and f"through {name}" in done.stdout, done.stdout + done.stderr)
    check("the app has the value", " 5 " in world.app.send("song"))
    wrong = run("set", "song.json", "/kind", "rock", directory=directory)
    check("an app refuses what is not of its type", wrong.returncode == 1 and "at kind" in wrong.stderr, wrong.stderr)
    done = run("unset", "song.json", "/rating", directory=directory)
    check("a member that may be absent is removed", done.returncode == 0 and " - " in world.app.send("song"), done.stderr)
    plain = run("set", "note.json", "/other", "5", directory=directory)
    check("a member that the type drops is refused", plain.returncode == 1 and "no place for /other" in plain.stderr)


def codes(directory):
    check("an unknown name ends with 2", run("get", "nothing", directory=directory).returncode == 2)
    check("a missing directory ends with 2", run("list", directory=directory + "/none").returncode == 2)
    check("a wrong option ends with 64", run("list", "--none", directory=directory).returncode == 64)
    for shell in ("bash", "zsh", "fish"):
        script = run("--generate-completion-script", shell)
        check(f"there is a completion for {shell}", script.returncode == 0 and "containers" in script.stdout)


def cipher(folder):
    path = folder + "/flags.json"
    flags = {"shop": {"key": {"Title": "Key", "Value": "abc"}, "ratio": {"Title": "Ratio", "Value": 1.0}}}
    with open(path, "w") as file:
        json.dump(flags, file)
    done = run("tweaks", "encrypt", path, "shop/key", "--with", "rev")
    with open(path) as file:
        text = file.read()
    key = json.loads(text)["shop"]["key"]
    check("a value is encrypted and marked", key["Value"] == "cba" and key["Encrypted"] is True, done.stderr)
    check("other values keep their notation", '"Value" : 1.0' in text, text)
    wrong = run("tweaks", "encrypt", path, "shop/ratio", "--with", "rev")
    check("a number is not encrypted", wrong.returncode == 1 and "no text" in wrong.stderr, wrong.stderr)
    failed = run("tweaks", "decrypt", path, "--with", "exit 3")
    check("a failed program changes nothing", failed.returncode == 1 and open(path).read() == text, failed.stderr)
    done = run("tweaks", "decrypt", path, "--with", "rev")
    with open(path) as file:
        check("a value is decrypted", json.load(file) == flags, done.stderr)


def checks(directory, folder, world):
    reads(directory)
    changes(directory, world)
    edits(directory, world)
    codes(directory)
    cipher(folder)


checked(peer, checks)
