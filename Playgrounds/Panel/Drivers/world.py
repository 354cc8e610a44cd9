"""Real processes that share a directory, and the server of the panel; used by the checks of the panel."""
import http.client
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

failures = []
NAMES = ("player", "sync", "settings", "switcher")


def check(what, holds, detail=""):
    shown = " ".join(str(detail).split())[:200]
    print(("ok    " if holds else "WRONG ") + what + (f" ({shown})" if shown else ""), flush=True)
    if not holds:
        failures.append(what)


def checked(peer, checks):
    """Runs checks with four processes in a new directory and a new folder, and ends the program if one fails."""
    directory, folder = tempfile.mkdtemp(), tempfile.mkdtemp()
    world = World(peer, directory)
    try:
        checks(directory, folder, world)
    finally:
        world.end()
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
    if failures:
        sys.exit("error: " + "; ".join(failures))


def check_delays(what, delays, others):
    """Checks delays in seconds; where other work holds the machine, by those of steps without the panel."""
    allowed = max(0.1, 8 * statistics.median(others))
    detail = f"fastest {min(delays) * 1000:.0f} ms, median {statistics.median(delays) * 1000:.0f} ms"
    if allowed > 0.1:
        detail += f"; the machine is busy, so {allowed * 1000:.0f} ms are allowed"
    check(what, sorted(delays)[2] < allowed, detail)


class Peer:
    """A process that uses the directory, as an app would."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.answers, self.events = [], []
        self.change = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.change:
                (self.events if line.startswith("event ") else self.answers).append(line.strip())
                self.change.notify_all()

    def send(self, command):
        count = len(self.answers)
        self.process.stdin.write(command + "\n")
        with self.change:
            if not self.change.wait_for(lambda: len(self.answers) > count, timeout=20):
                sys.exit(f"error: no answer to {command}")
        answer = self.answers[count]
        if not answer.startswith("ok"):
            sys.exit(f"error: {command}: {answer}")
        return answer[3:]

    def event(self, wanted):
        with self.change:
            return self.change.wait_for(lambda: wanted in self.events, timeout=20)


class Panel:
    """The server of the panel."""

    def __init__(self, tool, directory, state, *options):
        self.arguments = [tool, "panel", directory, *options]
        self.environment = {**os.environ, "XDG_STATE_HOME": state}
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, text=True, env=self.environment)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]+)", line)
        if not found:
            sys.exit(f"error: the panel did not start: {line}")
        self.address, self.port, self.token = found.group(0), int(found.group(1)), found.group(2)
        self.host = f"127.0.0.1:{self.port}"

    def headers(self, **changes):
        headers = {"Host": self.host, "Authorization": f"Bearer {self.token}"}
        headers.update({name.replace("_", "-"): value for name, value in changes.items()})
        return {name: value for name, value in headers.items() if value is not None}

    def request(self, method, path, body=None, **changes):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host=True)
        headers = self.headers(**changes)
        if body is not None and "Transfer-Encoding" not in headers:
            headers["Content-Length"] = str(len(body))
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        try:
            if body is not None:
                if headers.get("Transfer-Encoding") == "chunked":
                    for start in range(0, len(body), 65536):
                        part = body[start:start + 65536]
                        connection.send(b"%X\r\n" % len(part) + part + b"\r\n")
                    connection.send(b"0\r\n\r\n")
                else:
                    connection.send(body)
        except OSError:
            pass  # The server may refuse before it has read everything.
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data, answer.headers

    def get(self, path):
        return json.loads(self.request("GET", path)[1])

    def change(self, **members):
        body = json.dumps(members).encode()
        status, data, _ = self.request(
            "POST", "/api/change", body, Content_Type="application/json", Origin=f"http://{self.host}")
        return status, json.loads(data)

    def events(self, last):
        return Events(self, last)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)


class Events:
    """A stream of events, read on a thread of its own."""

    def __init__(self, panel, last):
        self.connection = http.client.HTTPConnection("127.0.0.1", panel.port, timeout=60)
        self.connection.request("GET", "/api/events", headers=panel.headers(**{"Last-Event-ID": last}))
        self.answer = self.connection.getresponse()
        self.frames = []
        self.change = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        frame = {}
        while True:
            try:
                line = self.answer.readline().decode()
            except (OSError, http.client.HTTPException, AttributeError, ValueError):
                return
            if not line:
                return
            line = line.rstrip("\n")
            if line:
                name, _, value = line.partition(": ")
                frame[name] = value
                continue
            if "event" in frame:
                with self.change:
                    self.frames.append((time.time(), frame["event"], frame["id"], json.loads(frame["data"])))
                    self.change.notify_all()
            frame = {}

    def wait(self, wanted, timeout=20):
        def found():
            return next((frame for frame in self.frames if wanted(frame[1], frame[3])), None)

        with self.change:
            self.change.wait_for(lambda: found() is not None, timeout=timeout)
            return found()


class World:
    """Four processes that use a directory: an app, a consumer of its log, one with flags, and one with environments.

    Each is a program with a name of its own, as the panel shows it.
    """

    def __init__(self, peer, directory):
        self.directory, self.programs = directory, tempfile.mkdtemp()
        self.all = self.app, self.sync, self.flags, self.other = [self.start(peer, name) for name in NAMES]
        for process, name in zip(self.all, NAMES):
            for command in (f"presence {directory} app", f"announce {name}"):
                process.send(command)
        for command in (f"container {directory}", "open note.json", "write note.json hello",
                        f"log {directory} inbox", "append one", "append two",
                        f"share-database {directory}/items.sqlite {directory} app", "insert-items 3 x"):
            self.app.send(command)
        for command in (f"log {directory} inbox", "follow-log indexer", f"hold {directory}/Files/note2.json"):
            self.sync.send(command)
        for command in (f"tweaks {directory}", "tweak-set shop limit 5", "tweak-observe shop limit"):
            self.flags.send(command)
        root = directory + "/environments"
        os.mkdir(root)
        for command in (f"env {root}", "env-new Work"):
            self.other.send(command)

    def start(self, peer, name):
        program = f"{self.programs}/{name}"
        shutil.copy(peer, program)
        return Peer(program)

    def end(self):
        for process in self.all:
            process.process.kill()
            process.process.wait()
        shutil.rmtree(self.programs, ignore_errors=True)
