"""Lists the types of this package on a path: of the release build, every function that runs while something happens.

    python3 -B Tests/Paths/types.py PEER          compares with the lists beside this file
    python3 -B Tests/Paths/types.py PEER --write  writes them

PEER is the release build of the product Peer. It runs under callgrind, which records the functions of all threads between
two moments. Functions that the compiler has inlined are not in the machine code, and so not in a stack trace either.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import uuid

HERE = pathlib.Path(__file__).parent
MODULES = "Signals|FileSignals|AppGroups|Stores|Containers|Contexts|Tweaks|Cluster|Inspector|StrictJSON|Requests|TweakFormat"
TYPE = re.compile(r"\b(?:%s)\.((?:\([A-Za-z]\w* in _[0-9A-F]+\)|[A-Z]\w*)(?:\.(?:\([A-Z]\w* in _[0-9A-F]+\)|[A-Z]\w*))*)" % MODULES)


class Process:
    """A peer under callgrind, whose commands are answered by lines."""

    def __init__(self, peer, folder, name):
        self.folder, self.name = folder, name
        self.child = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=no",
             f"--callgrind-out-file={folder}/{name}", "-q", peer],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def send(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()
        return self.wait(("ok", "error"))

    def wait(self, words):
        for line in self.child.stdout:
            if line.startswith("error"):
                sys.exit(f"error: {self.name}: {line}")
            if line.startswith(words):
                return line.rstrip()
        sys.exit(f"error: {self.name} has ended")

    def control(self, *words):
        subprocess.run(["callgrind_control", *words, str(self.child.pid)], check=True, stdout=subprocess.DEVNULL)
        time.sleep(0.5)

    def types(self, during):
        self.control("-i", "on")
        during()
        time.sleep(0.5)
        self.control("-i", "off")
        self.control("-d")
        names = set()
        for file in pathlib.Path(self.folder).glob(f"{self.name}.*"):
            names |= set(re.findall(r"^fn=\(\d+\) (.+)$", file.read_text(), re.M))
        return types(names)


def types(names):
    """The types that own functions, without the types of their parameters."""
    plain = subprocess.run(
        ["swift", "demangle", "--simplified"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    found = set()
    for line in plain.splitlines():
        # "specialized X.f(…)", "closure #1 in X.f(…)", "generic specialization <…> of X.f(…)"
        line = re.sub(r"generic specialization <.*> of ", "", line)
        line = re.sub(r"^.* in (?=\S+\.)", "", line) if " in " in line.split("(")[0] else line
        head = re.split(r"\(|<", line.split(" -> ")[0], maxsplit=1)[0]
        head = head.split(" ")[-1]
        match = TYPE.match(head)
        if match:
            found.add(match.group(1).split(".")[0])
    return found


def paths(peer, folder):
    a, b = Process(peer, folder, "a"), Process(peer, folder, "b")
    for process in (a, b):
        process.send(f"container {folder}/container")
        process.send("open-counter counter")
    b.send("observe counter")
    a.send("increment counter 3")
    yield "update", a.types(lambda: a.send("increment counter 1"))
    b.wait("event")

    def change():
        a.send("increment counter 1")
        b.wait("event")
    yield "sink", b.types(change)


def main(peer, *options):
    wrong = []
    with tempfile.TemporaryDirectory(prefix="paths.") as folder:
        for name, found in paths(peer, folder):
            text = "".join(f"{word}\n" for word in sorted(found))
            file = HERE / f"{name}.txt"
            print(f"{name}: {len(found)} types")
            if "--write" in options:
                file.write_text(text)
            elif not file.exists() or file.read_text() != text:
                wrong.append(name)
                print(text)
    if wrong:
        sys.exit(f"error: other types than in {', '.join(wrong)}; write them anew with --write")


if __name__ == "__main__":
    main(*sys.argv[1:])
