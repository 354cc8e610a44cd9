"""Processes that perform commands; see Tests/Peer."""
import os
import select
import subprocess
import tempfile
import time

LIMIT = float(os.environ.get("SIGNALS_POWER_LIMIT", 30))  # Seconds, which only a failing command takes.


class Silence(Exception):
    """A process ended, or did not answer."""


class Peer:
    """A process that performs one command a line."""

    def __init__(self, program, home, tracer=()):
        self.errors = tempfile.TemporaryFile()
        environment = {**os.environ, "HOME": home, "SWIFT_BACKTRACE": "enable=no"}
        self.process = subprocess.Popen(
            [*tracer, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env=environment)
        self.output, self.rest, self.answers = self.process.stdout.fileno(), b"", []

    def ask(self, command):
        """Performs a command: the answer."""
        try:
            self.process.stdin.write((command + "\n").encode())
            self.process.stdin.flush()
        except OSError:
            pass  # It has ended, which reading finds out.
        end = time.monotonic() + LIMIT
        while not self.answers:
            remaining = end - time.monotonic()
            if remaining <= 0 or not select.select([self.output], [], [], remaining)[0]:
                raise Silence(f"no answer to {command} in {LIMIT:.0f} s")
            data = os.read(self.output, 65536)
            if not data:
                raise Silence(f"it ended during {command}: {self.complaints()}")
            *lines, self.rest = (self.rest + data).split(b"\n")
            self.answers += [line.decode(errors="replace") for line in lines if not line.startswith(b"event ")]
        return self.answers.pop(0)

    def complaints(self):
        status = self.process.wait()
        self.errors.seek(0)
        return f"{status} " + " ".join(self.errors.read().decode(errors="replace").split())[:300]

    def end(self):
        """Ends the process, which the end of its input kills, also if it is traced."""
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            try:
                stream.close()
            except OSError:
                pass
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
