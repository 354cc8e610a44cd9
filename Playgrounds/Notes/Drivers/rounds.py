"""Drives Notes with real processes: nothing that was acknowledged is lost, and nothing is seen in a wrong environment.

`Playgrounds/Notes/check` calls it with the folder of the programs and the number of rounds. In each round, processes and HTTP
clients add notes to environments that are switched meanwhile, and the daemon and the tools are killed. Each note, draft,
setting and flag says where it belongs.
"""
import collections
import http.client
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

ENVIRONMENTS = ("Production", "Staging", "Demo")
SIZES = dict(zip(ENVIRONMENTS, ("small", "medium", "large")))
ROUND = 3.0  # Seconds.
problems = []


def complain(problem):
    problems.append(problem)
    print("WRONG " + problem, flush=True)


def free_ports():
    """Two free ports in a row: the page's, and that of the server of tokens."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            port = random.randrange(20000, 30000)
            try:
                first.bind(("127.0.0.1", port))
                second.bind(("127.0.0.1", port + 1))
                return port
            except OSError:
                continue


class Home:
    """The directory of the notes, and the daemon that works in it."""

    def __init__(self, bin):
        self.bin = bin
        self.folder = tempfile.mkdtemp(prefix="notes.")
        self.port = free_ports()
        self.environment = {
            **os.environ, "NOTES_HOME": self.folder, "NOTES_SERVER": f"http://127.0.0.1:{self.port + 1}"}
        self.log = open(self.folder + ".log", "w")
        self.daemon = None

    def start(self):
        self.daemon = subprocess.Popen(
            [self.bin + "/notesd", "--port", str(self.port), "--token-lifetime", "5"], env=self.environment,
            stdout=self.log, stderr=self.log)
        end = time.time() + 60
        while time.time() < end:
            try:
                return self.post({"set": {}})
            except OSError:
                time.sleep(0.02)
            if self.daemon.poll() is not None:
                sys.exit(f"error: the daemon ended with {self.daemon.returncode}:\n{self.text_of_log()}")
        sys.exit("error: the daemon does not answer:\n" + self.text_of_log())

    def kill(self):
        self.daemon.kill()
        self.daemon.wait()

    def text_of_log(self):
        with open(self.log.name) as file:
            return file.read()[-4000:]

    def tool(self, *arguments):
        """Runs the tool to its end: its status, its output and its error."""
        done = subprocess.run([self.bin + "/notes", *arguments], env=self.environment, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout.strip(), done.stderr.strip()

    def asked(self, *arguments):
        """What a command prints that must succeed."""
        for _ in range(20):
            status, output, error = self.tool(*arguments)
            if status == 0:
                return output
            if status != 3:
                break
        complain(f"notes {' '.join(arguments)} failed with {status}: {error}")
        return "[]"

    def set_up(self):
        """Logs a user in to each environment, and gives it settings and a flag of its own."""
        for place in ENVIRONMENTS:
            self.asked("switch", place)
            self.asked("set", "--text-size", SIZES[place])
            self.asked("flags", "banner", place)
            self.asked("login", f"user of {place}")
            # The daemon hears of a login by another process a moment after that process has ended.
            end = time.time() + 30
            while self.shown().get("user") != f"user of {place}":
                if time.time() > end:
                    sys.exit(f"error: the daemon does not follow the login to {place}:\n{self.text_of_log()}")

    def shown(self):
        """What a page shows that is opened now."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/events")
        line = connection.getresponse().readline()
        connection.close()
        return json.loads(line[6:])

    def post(self, action, **headers):
        """Sends an action: the status and the answer. Fails with an `OSError` if there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": "application/json", **headers}
        try:
            connection.request("POST", "/actions", json.dumps(action), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (http.client.HTTPException, ValueError) as error:
            raise OSError(str(error))
        finally:
            connection.close()

    def check_refusals(self):
        """Sends what a page of another site could send."""
        add = {"add": {"text": "foreign", "in": ENVIRONMENTS[-1]}}
        foreign = {"a foreign host": {"Host": "example.com"}, "a foreign origin": {"Origin": "http://example.com"},
                   "a form": {"Content-Type": "text/plain"}}
        for what, headers in foreign.items():
            if self.post(add, **headers)[0] != 403:
                complain(f"a request of {what} is not refused")
        for status, action in ((400, {"no": 1}), (413, ["x" * 70_000]), (422, {"add": {"text": " ", "in": ENVIRONMENTS[-1]}})):
            try:
                found = self.post(action)[0]
            except OSError:
                found = 413  # The server may refuse a large body before it has read everything.
            if found != status:
                complain(f"a bad request is answered with {found} instead of {status}")
        if "foreign" in self.asked("list"):
            complain("a refused request has added a note")

    def close(self):
        self.kill()
        self.log.close()
        if not problems:
            shutil.rmtree(self.folder)
            os.remove(self.log.name)


class Drive:
    """What the clients of one run did."""

    def __init__(self, home):
        self.home = home
        self.lock = threading.Lock()
        self.tried, self.acknowledged = {}, {}
        self.counts = collections.Counter()
        self.number = 0
        self.stopped = threading.Event()

    def text(self, place):
        """A text that says to which environment it belongs."""
        with self.lock:
            self.number += 1
            text = f"{place} {self.number}"
            self.tried[text] = place
            return text

    def count(self, what, text=None, note=None):
        with self.lock:
            self.counts[what] += 1
            if note:
                self.acknowledged[text] = note.upper()

    def write_by_http(self, dice):
        while not self.stopped.is_set():
            place = dice.choice(ENVIRONMENTS)
            text = self.text(place)
            try:
                # A draft is saved at the next pause or switch, unless a note is added before.
                self.home.post({"type": {"text": f"{place} draft", "in": place}})
                status, answer = self.home.post({"add": {"text": text, "in": place}})
            except OSError:
                self.count("unanswered requests")
                time.sleep(0.01)
                continue
            if status == 200:
                self.count("notes by HTTP", text, answer["note"])
            elif status == 409:
                self.count("refused")
            else:
                complain(f"the daemon answered {status}: {answer}")

    def write_by_tool(self, dice):
        while not self.stopped.is_set():
            place = dice.choice(ENVIRONMENTS)
            text = self.text(place)
            status, output, error = self.home.tool("add", text, "--in", place)
            if status == 0:
                self.count("notes by processes", text, output)
            elif status == 3:
                self.count("refused")
            else:
                complain(f"notes add ended with {status}: {error}")

    def kill_tools(self, dice):
        """Kills processes at any moment of their life; the note of such a process may exist or not."""
        while not self.stopped.is_set():
            place = dice.choice(ENVIRONMENTS)
            arguments = ["switch", place] if dice.random() < 0.3 else ["add", self.text(place), "--in", place]
            tool = subprocess.Popen(
                [self.home.bin + "/notes", *arguments], env=self.home.environment, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0, 0.15))
            tool.kill()
            tool.wait()
            self.count("killed processes")

    def switch(self, dice):
        while not self.stopped.is_set():
            place = dice.choice(ENVIRONMENTS)
            if dice.random() < 0.5:
                status, _, error = self.home.tool("switch", place)
                if status != 0:
                    complain(f"notes switch ended with {status}: {error}")
            else:
                try:
                    status, answer = self.home.post({"activate": {"environment": place}})
                except OSError:
                    continue
                if status != 200:
                    complain(f"the switch answered {status}: {answer}")
            self.count("switches")
            time.sleep(dice.uniform(0, 0.05))

    def watch(self):
        """Follows the stream of a page, and connects again after each kill."""
        while not self.stopped.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.home.port, timeout=20)
            try:
                connection.request("GET", "/events")
                answer = connection.getresponse()
                while not self.stopped.is_set():
                    line = answer.readline()
                    if not line:
                        break
                    if line.startswith(b"data: "):
                        self.look_at(json.loads(line[6:]))
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.01)
            finally:
                connection.close()

    def look_at(self, screen):
        self.count("frames")
        place = screen["environment"]
        if screen.get("user") not in (None, f"user of {place}"):
            complain(f"{screen.get('user')} is shown in {place}")
        if screen["settings"]["textSize"] != SIZES[place]:
            complain(f"the settings {screen['settings']} are shown in {place}")
        if screen["flags"]["banner"] != place:
            complain(f"the flag of {screen['flags']['banner']!r} is shown in {place}")
        if screen["draft"] not in ("", f"{place} draft"):
            complain(f"the draft {screen['draft']!r} is shown in {place}")
        for note in screen["notes"]:
            if not note["text"].startswith(place + " "):
                complain(f"{note['text']!r} is shown in {place}")
                break

    def round(self, dice):
        self.stopped.clear()
        jobs = [(self.write_by_http, dice), (self.write_by_http, dice), (self.write_by_tool, dice), (self.write_by_tool, dice)]
        jobs += [(self.kill_tools, dice), (self.switch, dice), (self.watch, None)]
        threads = []
        for job, source in jobs:
            arguments = [random.Random(source.random())] if source else []
            threads.append(threading.Thread(target=job, args=arguments))
        for thread in threads:
            thread.start()
        end = time.time() + ROUND
        while time.time() < end:
            time.sleep(dice.uniform(0.2, 1.2))
            self.home.kill()
            self.count("kills")
            time.sleep(dice.uniform(0, 0.3))
            self.home.start()
        self.stopped.set()
        for thread in threads:
            thread.join()
        self.verify()

    def verify(self):
        """Reads everything back, in processes that begin now."""
        for place in ENVIRONMENTS:
            self.home.asked("switch", place)
            if json.loads(self.home.asked("set"))["textSize"] != SIZES[place]:
                complain(f"the settings of {place} are lost")
            if f"banner = {place}" not in self.home.asked("flags"):
                complain(f"the flag of {place} is lost")
            notes = {note["text"]: note["id"] for note in json.loads(self.home.asked("list", "--json"))}
            expected = {text: note for text, note in self.acknowledged.items() if self.tried[text] == place}
            for text, note in expected.items():
                if notes.get(text) != note:
                    complain(f"the acknowledged note {text!r} is lost")
            for text in notes:
                if self.tried.get(text) != place:
                    complain(f"{text!r} is in {place}")
            # The consumer of the log may still have to write the last lines.
            end = time.time() + 30
            while True:
                lines = [line["note"] for line in json.loads(self.home.asked("history", "--json")) if line["kind"] == "added"]
                if set(expected.values()) <= set(lines) or time.time() > end:
                    break
                time.sleep(0.05)
            if missing := set(expected.values()) - set(lines):
                complain(f"{len(missing)} notes are not in the history of {place}")
            if len(lines) != len(set(lines)):
                complain(f"the history of {place} has an event twice")
            elsewhere = {note for text, note in self.acknowledged.items() if self.tried[text] != place}
            if elsewhere & set(lines):
                complain(f"the history of {place} has notes of another environment")


class Changes:
    """What `notes changes` prints meanwhile: each change of a value names the process that made it."""

    VALUES = ("file", "suite", "tweak", "database", "container", "session")

    def __init__(self, home):
        self.output = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [home.bin + "/notes", "changes", "--json"], env=home.environment, stdout=self.output)

    def judge(self, kills):
        self.process.terminate()
        self.process.wait()
        self.output.seek(0)
        changes = [json.loads(line) for line in self.output if line.endswith("\n")]
        values = [change for change in changes if change["kind"] in self.VALUES and change["op"] != "delete"]
        unknown = [change for change in values if not change.get("proc") and not change.get("author")]
        print(f"{len(values)} changes of values were seen, {len(unknown)} of an unknown process", flush=True)
        for change in unknown:
            print(f"  {change['r']}: {change['summary']}", flush=True)
        if not values:
            complain("`notes changes` has printed no change")
        # A process that is killed between two steps may leave one, and a switch that another process has to complete.
        if len(unknown) > min(kills, len(values) // 20):
            complain(f"{len(unknown)} of {len(values)} changes are of unknown processes")


def main(bin, rounds):
    seed = int(os.environ.get("SIGNALS_SEED", random.randrange(1 << 30)))
    print(f"seed {seed}", flush=True)
    dice = random.Random(seed)
    home = Home(bin)
    home.start()
    home.set_up()
    home.check_refusals()
    drive = Drive(home)
    changes = Changes(home)
    for number in range(1, rounds + 1):
        drive.round(dice)
        totals = ", ".join(f"{count} {what}" for what, count in sorted(drive.counts.items()))
        print(f"round {number} of {rounds}: {totals}", flush=True)
        if problems:
            break
    changes.judge(drive.counts["kills"] + drive.counts["killed processes"])
    home.close()
    if problems:
        sys.exit(f"error: {len(problems)} faults with SIGNALS_SEED={seed}; the files are in {home.folder}\n" + home.text_of_log())
    print(f"Nothing was lost or misplaced: {len(drive.acknowledged)} acknowledged notes, {drive.counts['kills']} kills")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
