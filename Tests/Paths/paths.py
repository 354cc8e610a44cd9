"""Lists the types of this package in the stack traces of a change and of a switch.

    python3 -B Tests/Paths/paths.py PEER          compares with the lists beside this file
    python3 -B Tests/Paths/paths.py PEER --write  writes them

PEER is a release build of the product Peer. `strace -k` records the stack of every system call of a process: of `update`
in process A; of the delivery to a subscriber in process B, whose subscriber writes a line; of a switch with everything
in one scope; and of a flag's change in a provider, whose property wrapper has a subscriber that writes a line. Of a switch,
the list has what it passes through until it arrives at a member. Functions that the compiler has inlined are in no stack
trace.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "Faults"))
from peers import Peer  # noqa: E402

MODULES = "Signals FileSignals AppGroups Stores Containers Contexts Tweaks".split()
OURS = re.compile(r"\$s(%s)" % "|".join(f"{len(name)}{name}" for name in MODULES))
FRAME = re.compile(r" > .*?\((\S+?)\+0x")
# What the compiler adds, and what it puts before the name of a function.
ADDED = re.compile(r"outlined|destroy|initialize|assign|type metadata|lazy protocol|default argument|thunk|variable init")
PREFIX = re.compile(
    r"(partial apply for|(implicit )?closure #\d+ in|specialized|static|\$defer #\d+ .*? in|merged|function signature of|"
    r"protocol witness for \S.*? in conformance)\s+")
OWNER = re.compile(r"([A-Z]\w*)(<[^.]*>)?(\.|$)")
# The functions of a member of a scope.
STEP = re.compile(r"(holdForSwitch|letGo|settleForSwitch|prepareSwitch)\b")


class Traced:
    """The stacks of a process's system calls while something happens, the outermost function first."""

    def __init__(self, peer, folder):
        self.path = os.path.join(folder, "stacks")
        self.process = subprocess.Popen(
            ["strace", "-f", "-k", "-e", "trace=!epoll_wait", "-o", self.path, "-p", str(peer.pid)],
            stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if "attached" not in line:
            sys.exit(f"error: {line.strip()}")

    def stacks(self):
        self.process.terminate()
        self.process.communicate()
        stacks = []
        for line in open(self.path, errors="replace"):
            frame = FRAME.match(line)
            if frame:
                stacks[-1].insert(0, frame[1])
            elif not line.startswith(" >"):
                stacks.append([])
        names = sorted({name for stack in stacks for name in stack if OURS.match(name)})
        plain = subprocess.run(
            ["swift", "demangle", "--simplified"], input="\n".join(names), capture_output=True, text=True, check=True)
        plain = dict(zip(names, plain.stdout.splitlines()))
        return [[plain[name] for name in stack if name in plain] for stack in stacks]


def owner(function):
    """The type that a function belongs to, or `None`."""
    if ADDED.match(function):
        return None
    while PREFIX.match(function):
        function = PREFIX.sub("", function, count=1)
    found = OWNER.match(function)
    return found and found[1]


def owners(functions):
    return {owner(function) for function in functions} - {None}


def until_member(stack):
    """The part of a stack from the switch to a member of the scope, without the moves of files."""
    if not any("Scope.switchContents" in function for function in stack):
        return []
    for place, function in enumerate(stack):
        if STEP.search(function) and owner(function) not in ("Scope", "ScopeMembers", "ScopeMember"):
            return stack[:place + 1]
    return []


def after_provider(stack):
    """The part of a stack from the provider of a flag on."""
    for place, function in enumerate(stack):
        if owner(function) and owner(function).endswith("TweakProvider"):
            return stack[place:]
    return []


def ask(peer, command):
    answer = peer.ask(command)
    if not re.match("ok( |$)", answer):
        sys.exit(f"error: {command}: {answer}")
    return answer[3:]


def lists(program, folder):
    home = os.path.join(folder, "home")
    os.mkdir(home)
    a, b, c = (Peer(program, home) for _ in range(3))
    for peer in (a, b):
        ask(peer, f"container {folder}/container")
        ask(peer, "open-counter counter")
    ask(b, "observe counter")
    ask(a, "increment counter 3")
    traced = Traced(a, folder)
    ask(a, "increment counter 1")
    yield "update", set().union(*map(owners, traced.stacks()))
    b.event(r"counter \d+ 4$")
    traced = Traced(b, folder)
    ask(a, "increment counter 1")
    b.event(r"counter \d+ 5$")
    yield "sink", set().union(*map(owners, traced.stacks()))
    root = os.path.join(folder, "root")
    os.mkdir(root)
    ask(c, f"env {root}")
    first, second = (ask(c, f"env-new {name}").split()[-1] for name in ("First", "Second"))
    ask(c, f"world {root}")
    for id in (first, second):
        ask(c, f"env-activate {id}")
    traced = Traced(c, folder)
    ask(c, f"env-activate {first}")
    yield "switch", set().union(*(owners(until_member(stack)) for stack in traced.stacks()))
    ask(a, "tweak-memory")
    ask(a, "tweak-wrap general answer")
    ask(a, "tweak-provide general answer 1")
    a.event(r"tweak 1$")
    traced = Traced(a, folder)
    ask(a, "tweak-provide general answer 2")
    a.event(r"tweak 2$")
    yield "flag", set().union(*(owners(after_provider(stack)) for stack in traced.stacks()))
    for peer in (a, b, c):
        peer.end()


def main(program, *options):
    wrong = []
    with tempfile.TemporaryDirectory(prefix="paths.") as folder:
        for name, found in lists(program, os.path.realpath(folder)):
            text = "".join(f"{word}\n" for word in sorted(found))
            file = HERE / f"{name}.txt"
            print(f"{name}: {len(found)} types: {' '.join(sorted(found))}")
            if "--write" in options:
                file.write_text(text)
            elif not file.exists() or file.read_text() != text:
                wrong.append(name)
    if wrong:
        sys.exit(f"error: other types than in the lists of {', '.join(wrong)}; write them anew with --write")


if __name__ == "__main__":
    main(*sys.argv[1:])
