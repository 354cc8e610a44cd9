"""Builds the program of Tests/Peer of earlier commits, in folders of their own, and keeps it by commit and toolchain."""
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

FORMATS = "Tests/Fixtures/Formats"
PLACE = ".build/versions"


def git(*words):
    """The output of git, or `None` if it fails."""
    result = subprocess.run(["git", *words], capture_output=True, text=True)
    return result.stdout if result.returncode == 0 else None


def earlier():
    """The commits of the file `earlier`, by the comparison of their formats with today's."""
    with open(os.path.join(os.path.dirname(__file__), "earlier")) as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {kind: commit for kind, commit in lines}


def require(commit):
    """Fetches a commit if the repository does not have it, and ends the program if that fails."""
    if git("rev-parse", "--git-dir") is None:
        print("skipped: earlier versions are built from the repository's history, and git finds no repository here")
        sys.exit(77)
    if git("cat-file", "-e", commit + "^{commit}") is not None or git("fetch", "--depth=1", "origin", commit) is not None:
        return
    text = f"the history does not have the earlier commit {commit}"
    if git("rev-parse", "--is-shallow-repository").strip() == "true":
        print(f"skipped: {text}, because the clone is shallow. Fetch all of it with `git fetch --unshallow`")
        sys.exit(77)
    sys.exit(f"error: {text}. Fetch it, or choose another one in Tests/Versions/earlier")


def check(kind, commit):
    """Ends the program if the claim about the formats of a commit is wrong."""
    changed = git("diff", "--name-only", commit, "--", FORMATS)
    generations = {name for path in changed.split() if (name := path.removeprefix(FORMATS + "/").split("/")[0]).isdigit()}
    newest = max(int(name) for name in os.listdir(FORMATS) if name.isdigit())
    if kind == "same" and generations:
        sys.exit(
            f"error: {FORMATS} has changed since {commit}, so its formats are not today's. "
            "Choose another commit in Tests/Versions/earlier")
    if kind == "other" and str(newest) not in generations:
        sys.exit(f"error: {commit} has generation {newest} of {FORMATS}, so its formats are today's. "
                 "Choose another commit in Tests/Versions/earlier")


def program(commit):
    """The program of a commit, which is built if it has not been built before."""
    toolchain = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    place = os.path.abspath(f"{PLACE}/{commit}-{hashlib.sha256(toolchain.encode()).hexdigest()[:8]}")
    if os.path.exists(place + "/Peer"):
        return place + "/Peer"
    os.makedirs(PLACE, exist_ok=True)
    with open(place + ".lock", "w") as lock:
        # Another step of `.ci/run` may be building it, which may end in the meantime.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(place + "/Peer"):
            build(commit, place)
    return place + "/Peer"


def build(commit, place):
    """Builds the program of a commit in an empty folder."""
    began, package = time.monotonic(), place + "/package"
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(package)
    archive = subprocess.Popen(["git", "archive", commit], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", package], stdin=archive.stdout, check=True)
    if archive.wait():
        sys.exit(f"error: git cannot export {commit}")
    trim(package + "/Package.swift")
    options = ["--package-path", package, "--product", "Peer", "--disable-index-store"]
    for option in ["-gnone", "-whole-module-optimization", "-num-threads", "2"]:
        options += ["-Xswiftc", option]
    result = subprocess.run(["swift", "build", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        lines = [line for line in result.stdout.splitlines() if "error:" in line] or result.stdout.splitlines()[-20:]
        sys.exit("\n".join([*lines, f"error: the peer of {commit} cannot be built"]))
    shutil.move(package + "/.build/debug/Peer", place + "/new")
    shutil.rmtree(package, ignore_errors=True)
    os.rename(place + "/new", place + "/Peer")
    print(f"Built the peer of {commit[:8]} in {time.monotonic() - began:.0f} s", flush=True)


def trim(manifest):
    """Removes the tests, and the treatment of warnings as errors, because a newer compiler has more of them."""
    with open(manifest) as file:
        text = file.read()
    text = re.sub(r"    \.testTarget\(\n.*?\n    \),\n", "", text, flags=re.DOTALL)
    text = re.sub(r"\.treat(All)?Warnings?\([^)]*as: \.error\)", '.define("EARLIER")', text)
    with open(manifest, "w") as file:
        file.write(text)


def choose(commit=None):
    """The earlier commits of this run, or the given one, by how their formats compare with today's."""
    kinds = {"given": commit} if commit else earlier()
    if not commit and not os.environ.get("SIGNALS_TORTURE"):
        kinds.pop("same")  # Its peer would take another minute to build.
    for kind, commit in kinds.items():
        require(commit)
        check(kind, commit)
    return {kind: git("rev-parse", commit).strip() for kind, commit in kinds.items()}


if __name__ == "__main__":
    for commit in choose(*sys.argv[2:3]).values():
        program(commit)
