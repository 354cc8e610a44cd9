#!/usr/bin/env python3
"""Makes what it takes to type-check Swift code for Apple's platforms on Linux; nothing that it makes can run.

    make-platform.py OUT WHEEL

The standard library comes from the toolchain's own textual interfaces, Foundation and Dispatch from the interfaces that the
toolchain synthesises of its Linux modules, Combine, Core Data, the unified log, Security and SwiftUI from what is declared beside this file,
and Darwin's C headers from WHEEL, the package `ziglang` of PyPI, which contains Apple's open-source headers. What has no spelling
on Darwin is left out.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

OUT, WHEEL = pathlib.Path(sys.argv[1]), sys.argv[2]
HERE = pathlib.Path(__file__).parent

# Name: folder in the resources, target, name of the interface file.
PLATFORMS = {
    "macOS": ("macosx", "x86_64-apple-macosx15.0", "x86_64-apple-macos"),
    "iOS": ("iphonesimulator", "x86_64-apple-ios18.0-simulator", "x86_64-apple-ios-simulator"),
}
STANDARD = (
    "Swift _Concurrency Synchronization _StringProcessing Observation SwiftOnoneSupport RegexBuilder _RegexParser "
    "_Builtin_float Distributed"
).split()
HEADERS = (
    "errno.h fcntl.h pthread.h signal.h stdio.h stdlib.h string.h time.h unistd.h dirent.h poll.h spawn.h termios.h "
    "sys/event.h sys/file.h sys/ioctl.h sys/mman.h sys/mount.h sys/param.h sys/resource.h sys/stat.h sys/socket.h sys/time.h "
    "sys/types.h sys/un.h sys/wait.h sys/xattr.h sys/clonefile.h netdb.h netinet/in.h netinet/tcp.h os/lock.h mach/mach_time.h libgen.h limits.h"
).split()


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


LINUX = json.loads(output("swiftc", "-print-target-info"))["target"]["moduleTriple"]
VERSION = output("swiftc", "--version").splitlines()[0]
LIBRARY = pathlib.Path(os.path.realpath(shutil.which("swiftc"))).parent.parent / "lib/swift"


def make_sdk():
    """Lays out the C headers as a module called Darwin."""
    include = OUT / "sdk/usr/include"
    with zipfile.ZipFile(WHEEL) as wheel:
        folder = "ziglang/lib/libc/include/any-darwin-any/"
        for name in wheel.namelist():
            if name.startswith(folder) and not name.endswith("/"):
                file = include / name[len(folder):]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(wheel.read(name))
    lines = [f'  header "{header}"' for header in HEADERS if (include / header).exists()]
    # SQLite's header is the same everywhere; Apple's is a module of its own.
    shutil.copy("/usr/include/sqlite3.h", include)
    sqlite = ["module SQLite3 [system] [extern_c] {", '  header "sqlite3.h"', "  export *", "}"]
    (include / "module.modulemap").write_text(
        "\n".join(["module Darwin [system] [extern_c] {", *lines, "  export *", "}", *sqlite, ""])
    )
    (OUT / "resources").mkdir()
    for name in ("shims", "clang", "apinotes"):
        (OUT / "resources" / name).symlink_to(LIBRARY / name)


class Platform:
    def __init__(self, folder, triple, file):
        self.folder, self.triple, self.file = folder, triple, file

    def path(self, module):
        return OUT / "resources" / self.folder / f"{module}.swiftmodule" / f"{self.file}.swiftinterface"

    def write(self, module, text):
        self.path(module).parent.mkdir(parents=True, exist_ok=True)
        self.path(module).write_text(text)

    def head(self, module, flags=""):
        return (
            f"// swift-interface-format-version: 1.0\n// swift-compiler-version: {VERSION}\n"
            f"// swift-module-flags: -disable-availability-checking -target {self.triple} -disable-objc-interop "
            f"-enable-library-evolution -swift-version 5 {flags}-module-name {module}\n"
        )

    def add_standard(self, module):
        text = (LIBRARY / "linux" / f"{module}.swiftmodule" / f"{LINUX}.swiftinterface").read_text()
        text = text.replace("// swift-module-flags: ", "// swift-module-flags: -disable-availability-checking ", 1)
        text = re.sub(r"-target \S+", f"-target {self.triple}", text, count=1)
        text = re.sub(r"@backDeployed\(before: [^)]*\) ?", "", text)
        text = re.sub(r"(?m)^import Glibc$", "import Darwin", text)
        text = text.replace("let selfId = _swift_stdlib_gettid()", "let selfId: Swift.UInt32 = 0")
        self.write(module, text.replace("_swift_stdlib_gettid()", "0"))

    def add_darwin(self):
        overlay = (LIBRARY / "linux/Glibc.swiftmodule" / f"{LINUX}.swiftinterface").read_text()
        body = overlay[overlay.index("public var errno"):overlay.index("public typealias sighandler_t")]
        self.write(
            "Darwin",
            self.head("Darwin", "-import-underlying-module ")
            + "@_exported import Darwin\nimport Swift\n"
            + body.replace("SwiftGlibc.", "Darwin."),
        )

    def add_declared(self, module):
        """Makes a module of nothing but what the file beside this one declares."""
        self.write(module, self.head(module) + "import Swift\n" + (HERE / f"{module}.swiftinterface").read_text())

    def add_synthesized(self, module, source, imports):
        """Makes a module of the interface that another one has on Linux."""
        text = output(
            "swift-synthesize-interface", "-print-fully-qualified-types", "-module-name", source, "-target", LINUX, "-sdk", "/"
        )
        text = re.sub(r"(?m)^import CDispatch$", "", text)
        text = text.replace(f"{source}.", f"{module}.").replace("import Glibc", "import Darwin").replace("Glibc.", "Darwin.")
        text = re.sub(
            r"@inlinable |@usableFromInline |@_alwaysEmitIntoClient |@_transparent |@backDeployed\([^)]*\) ?", "", text
        )
        text = re.sub(r"(?m)^(\s*(?:@preconcurrency )?public (?:static )?subscript[^\n{]*[^\s{}])$", r"\1 { get set }", text)
        text = text.replace("public private(set) var", "public var")
        text = re.sub(r"(?m)^(\s*public var \w+: [\w.]+)$", r"\1 { get set }", text)
        head = self.head(module) + "".join(f"{name}\n" for name in imports)
        beyond = HERE / f"{module}.swiftinterface"
        self.write(module, head + text + (beyond.read_text() if beyond.exists() else ""))
        self.prune(module, protected=head.count("\n"))

    def prune(self, module, protected):
        """Comments out what does not compile, which is what has no spelling on Darwin."""
        probe = OUT / f"{self.folder}-{module}.swift"
        probe.write_text(f"import {module}\n")
        for _ in range(30):
            errors = subprocess.run(
                ["swiftc", "-frontend", "-typecheck", "-parse-as-library", "-target", self.triple, "-disable-objc-interop",
                 "-resource-dir", OUT / "resources", "-sdk", OUT / "sdk", "-module-cache-path", OUT / "cache", probe],
                capture_output=True, text=True,
            ).stderr
            found = re.findall(rf"{module}\.swiftmodule/\S+:(\d+):\d+: error", errors)
            bad = sorted({int(number) for number in found if int(number) > protected})
            if not bad:
                break
            lines = self.path(module).read_text().split("\n")
            for number in bad:
                for index in range(number - 1, self.end(lines, number - 1) + 1):
                    if not lines[index].startswith("//"):
                        lines[index] = "// " + lines[index]
            self.path(module).write_text("\n".join(lines))
        if errors.strip():
            sys.exit(f"{module} cannot be made for {self.triple}:\n{errors[-3000:]}")

    @staticmethod
    def end(lines, start):
        """The line on which the declaration that begins at `start` ends."""
        depth = 0
        for index in range(start, len(lines)):
            depth += lines[index].count("{") - lines[index].count("}")
            if depth <= 0:
                return index
        return start


def make(name):
    platform = Platform(*PLATFORMS[name])
    for module in STANDARD:
        platform.add_standard(module)
    platform.add_darwin()
    platform.add_synthesized("Dispatch", "Dispatch", ["import Swift", "import _Concurrency", "import Darwin"])
    platform.add_synthesized(
        "Foundation",
        "FoundationEssentials",
        [
            "import Swift",
            "import _Concurrency",
            "import _StringProcessing",
            "@_exported import Darwin",
            "@_exported import Dispatch",
        ],
    )
    platform.add_declared("Combine")
    platform.add_declared("CoreData")
    platform.add_declared("Security")
    platform.add_declared("os")
    platform.add_declared("UniformTypeIdentifiers")
    platform.add_declared("SwiftUI")
    print(f"{name} is ready", flush=True)


shutil.rmtree(OUT, ignore_errors=True)
OUT.mkdir(parents=True)
make_sdk()
with ThreadPoolExecutor() as pool:
    list(pool.map(make, PLATFORMS))
(OUT / "triples").write_text("\n".join(triple for _, triple, _ in PLATFORMS.values()) + "\n")
