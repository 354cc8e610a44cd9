"""Traces of system calls, in which one call fails."""
import re
import signal
import subprocess

_line = re.compile(r"(?:(\d+) +)?(.*)")
_resumed = re.compile(r"<\.\.\. (\w+) resumed>")


class Refused(Exception):
    """The system does not permit tracing."""


class Fault:
    """The failure of one call: the N-th of its name in the main thread, counted from the start of the trace.

    With `everywhere`, it is the N-th of each thread.
    """

    def __init__(self, call, error, number, everywhere=False):
        self.call, self.error, self.number, self.everywhere = call, error, number, everywhere

    @property
    def options(self):
        return [*["-f"][:self.everywhere], "-e", f"inject={self.call}:error={self.error}:when={self.number}"]

    def __str__(self):
        return f"{self.call}:{self.error}:{self.number}" + (":everywhere" if self.everywhere else "")

    @classmethod
    def parse(cls, text):
        call, error, number, *rest = text.split(":")
        return cls(call, error, int(number), rest == ["everywhere"])


class Call:
    """One call between the marks: its text, its number among those of its name and thread, and whether it was made to fail."""

    def __init__(self, thread, is_main, name, number, text):
        self.thread, self.is_main, self.name, self.number = thread, is_main, name, number
        self.text, self.failed = text, False


class Trace:
    """Traces a process that is idle now."""

    def __init__(self, pid, path, fault=None):
        self.pid, self.path = pid, path
        options = fault.options if fault else ["-f"]
        self.process = subprocess.Popen(
            ["strace", "-y", "-s", "200", "-o", path, *options, "-p", str(pid)], stderr=subprocess.PIPE, text=True)
        first = self.process.stderr.readline()
        if "attached" not in first:
            self.process.wait()
            raise Refused(first.strip())

    def stop(self):
        """Lets the process go on without a tracer."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()

    def calls(self):
        """The calls between the marks, of all threads, and the other calls."""
        counts, pending, inside, outside, is_inside = {}, {}, [], [], False
        with open(self.path, errors="replace") as file:
            for line in file:
                thread, text = _line.match(line.rstrip("\n")).groups()
                resumed = _resumed.match(text)
                if resumed:
                    call = pending.pop(thread, None)
                    if call:
                        call.text = call.text.replace(" <unfinished ...>", "") + text[resumed.end():]
                elif re.match(r"\w+\(", text):
                    name = text.partition("(")[0]
                    counts[thread, name] = counts.get((thread, name), 0) + 1
                    call = Call(thread, thread in (None, str(self.pid)), name, counts[thread, name], text)
                    if text.endswith("<unfinished ...>"):
                        pending[thread] = call
                    if '"/signals-mark-end"' in text:
                        is_inside = False
                    (inside if is_inside else outside).append(call)
                    if '"/signals-mark-begin"' in text:
                        is_inside = True
                else:
                    continue
                if call and "(INJECTED)" in text:
                    call.failed = True
        return inside, outside
