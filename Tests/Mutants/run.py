"""Runs the tests against the faults of `mutants.py`; see `.ci/machine mutants`."""
import os
import signal
import subprocess
import sys
import time

from mutants import MUTANTS

LIMIT = 120  # Seconds.
PATIENCE = 40  # Seconds, for a fault that shows only by chance.
copy = os.path.join(os.getcwd(), ".build/mutants")


def run(*words, limit=3600, **options):
    """Runs a program, and returns its exit status and its output, or `None` if it did not end in time."""
    process = subprocess.Popen(
        words, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True, **options)
    try:
        output, _ = process.communicate(timeout=limit)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]


def build(release, machine):
    options = ["-c", "release", "-Xswiftc", "-enable-testing", "-Xswiftc", "-DDEBUG", "--scratch-path", ".build/release"] if release else []
    options += ["-Xswiftc", "-gline-tables-only"]
    status, output = run("swift", "build", *(["--product", "Peer"] if machine else ["--build-tests"]), *options)
    if status == 0 and machine and os.path.exists(os.path.join(copy, os.path.dirname(machine[0]), "building.py")):
        status, output = run("python3", "-B", os.path.join(os.path.dirname(machine[0]), "building.py"))
    if status != 0:
        return None, output
    return [*options, "--skip-build", "--disable-xctest"], output


def judge(mutant):
    """Returns whether a fault was found, and how."""
    originals = {}
    for path, old, new in mutant.edits:
        file = os.path.join(copy, path)
        with open(file) as source:
            text = source.read()
        originals.setdefault(file, text)
        if text.count(old) != 1:
            return False, f"{path} has {text.count(old)} times what the fault replaces"
        with open(file, "w") as source:
            source.write(text.replace(old, new))
    try:
        machine = mutant.finder.split() if mutant.finder.startswith("Tests/") else None
        options, output = build(mutant.release, machine)
        if options is None:
            return False, "it does not compile:\n" + "\n".join(line for line in output.splitlines() if "error:" in line)
        # What never comes is not waited for as long as on a busy machine.
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "SIGNALS_PATIENCE": "20"}
        if mutant.release:
            environment["SIGNALS_TORTURE"] = str(LIMIT)
        if machine:
            environment["PYTHONPATH"] = "Tests/Faults"
            command = ["python3", "-B", machine[0], ".build/debug/Peer", *machine[1:]]
        else:
            command = ["swift", "test", *options, "--filter", mutant.finder]
        start, rounds, status = time.time(), 0, 0
        # Two processes may miss each other in a round, and then the fault does not show.
        while status == 0 and time.time() - start < PATIENCE:
            rounds += 1
            status, output = run(*command, limit=LIMIT, env=environment)
        took = time.time() - start
        if status == 0:
            return False, f"nothing failed in {took:.0f} s and {rounds} rounds"
        if machine:
            if status is None:
                return False, f"the machine did not end in {took:.0f} s"
            wrong = [line for line in output.splitlines() if line.startswith("WRONG ")]
            shown = wrong or output.splitlines()[-1:] or ["no output"]
            return bool(wrong), f"{shown[0][:200]} ({took:.0f} s)"
        if status is None:
            return True, f"the tests did not end in {took:.0f} s"
        if " 0 tests" in output:
            return False, "there are no such tests"
        found = [line for line in output.splitlines() if line.startswith("✘ Test \"") and " failed after" in line]
        return True, (found[0].split("\"")[1] if found else f"exit status {status}") + f" ({took:.0f} s)"
    finally:
        for file, text in originals.items():
            with open(file, "w") as source:
                source.write(text)


def main():
    if not os.path.exists(copy):
        subprocess.run(["git", "clone", "--quiet", ".", copy], check=True)
    # Earlier versions are built once for both copies.
    if not os.path.lexists(os.path.join(copy, ".build/versions")):
        os.makedirs(os.path.join(copy, ".build"), exist_ok=True)
        os.symlink("../../versions", os.path.join(copy, ".build/versions"))
    run("git", "checkout", "--quiet", ".")
    run("git", "pull", "--quiet")
    wanted = [mutant for mutant in MUTANTS if len(sys.argv) < 2 or sys.argv[1] in mutant.name]
    missed = 0
    for mutant in wanted:
        isFound, how = judge(mutant)
        missed += not isFound
        print(("found   " if isFound else "MISSED  ") + f"{mutant.name}: {how}", flush=True)
    print(f"{len(wanted) - missed} of {len(wanted)} faults were found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
