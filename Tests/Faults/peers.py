"""Processes that perform commands, and their open files."""
import os
import re
import select
import subprocess
import tempfile
import time

LIMIT = float(os.environ.get("SIGNALS_FAULTS_LIMIT", 60))  # Seconds, which only a failing operation takes.


def temporary(prefix):
    """A folder in memory if there is one, for checks that do not rely on a disk."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return os.path.realpath(tempfile.mkdtemp(prefix=prefix, dir=place))


class Silence(Exception):
    """A process did not answer."""


class Peer:
    """A process that performs one command a line; see Tests/Peer."""

    def __init__(self, program, home, tracer=(), limit=LIMIT):
        self.limit, self.errors = limit, tempfile.TemporaryFile()
        environment = {**os.environ, "HOME": home, "SWIFT_BACKTRACE": "enable=no"}
        self.process = subprocess.Popen(
            [*tracer, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=environment)
        self.pid = self.process.pid
        self.output, self.rest = self.process.stdout.fileno(), b""
        self.answers, self.events = [], []

    def receive(self, wanted, name):
        """Reads lines until a condition holds, and returns its result."""
        end = time.monotonic() + self.limit
        while not (found := wanted()):
            remaining = end - time.monotonic()
            if remaining <= 0 or not select.select([self.output], [], [], remaining)[0]:
                raise Silence(f"no {name} in {self.limit:.0f} s; it is in {self.place()}")
            if not self.listen():
                raise Silence(f"it ended with {self.process.wait()}, without {name}: {self.complaints()}")
        return found

    def listen(self):
        """Waits for output, and takes it: whether there was any, and not the end."""
        data = os.read(self.output, 65536)
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace")
            (self.events if text.startswith("event ") else self.answers).append(text)
        return bool(data)

    def place(self):
        """The system calls in which the threads of the process are."""
        places = []
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{thread}/wchan") as file:
                    places.append(file.read() or "running")
            except OSError:
                continue  # It has ended.
        return ", ".join(sorted(places))

    def send(self, command):
        """Begins a command, whose answer comes later."""
        try:
            self.process.stdin.write((command + "\n").encode())
            self.process.stdin.flush()
        except OSError:
            pass  # It has ended, which reading finds out.

    def answer(self, command):
        """Waits for the answer to a command."""
        self.receive(lambda: self.answers, f"answer to {command}")
        return self.answers.pop(0)

    def ask(self, command):
        """Performs a command: the answer."""
        self.send(command)
        return self.answer(command)

    def become_idle(self):
        """Waits until the process waits for a command."""
        end = time.monotonic() + self.limit
        while True:
            with open(f"/proc/{self.pid}/syscall") as file:
                # The number of the call `read` differs between processors; its first argument is the standard input.
                if file.read().split()[1:2] == ["0x0"]:
                    return
            if time.monotonic() > end:
                raise Silence("it does not wait for a command")
            time.sleep(0.001)

    def event(self, pattern):
        """Waits for an event."""
        matches = re.compile("event " + pattern).search
        self.receive(lambda: any(map(matches, self.events)), f"event {pattern}")

    def files(self, folder):
        """The open files in a folder: their names, and the names of those that are locked."""
        opened, locked = [], []
        for number in os.listdir(f"/proc/{self.pid}/fd"):
            try:
                path = os.readlink(f"/proc/{self.pid}/fd/{number}")
                with open(f"/proc/{self.pid}/fdinfo/{number}") as file:
                    info = file.read()
            except OSError:
                continue  # Closed meanwhile.
            if path.startswith(folder + "/"):
                opened.append(path[len(folder) + 1:])
                if "\nlock:" in info:
                    locked.append(path[len(folder) + 1:])
        return opened, locked

    def complaints(self):
        self.errors.seek(0)
        return " ".join(self.errors.read().decode(errors="replace").split())[:2000]

    def end(self, kills=True):
        """Ends the process: kills it, or closes its input, which also ends one that is traced."""
        if kills:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            try:
                stream.close()
            except OSError:
                pass
        try:
            self.process.wait(self.limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
