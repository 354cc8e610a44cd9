#!/usr/bin/env python3
"""Makes what it takes to type-check Swift code for other platforms on Linux; nothing that it makes can run.

    make-platform.py OUT apple WHEEL
    make-platform.py OUT musl WHEEL
    make-platform.py OUT android INCLUDE

The standard library comes from the toolchain's own textual interfaces, Foundation and Dispatch from the interfaces that the
toolchain synthesises of its Linux modules, Combine, Core Data, the unified log, Security and SwiftUI from what is declared beside this file.
The C headers of Darwin and of musl come from WHEEL, the package `ziglang` of PyPI, and those of Android from INCLUDE, the
folder `sysroot/usr/include` of its NDK. What has no spelling on the platform is left out.
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

OUT, SYSTEM, SOURCE = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
HERE = pathlib.Path(__file__).parent

# Name: folder in the resources, target, name of the interface file, module of the C library.
PLATFORMS = {
    "apple": {
        "macOS": ("macosx", "x86_64-apple-macosx15.0", "x86_64-apple-macos", "Darwin"),
        "iOS": ("iphonesimulator", "x86_64-apple-ios18.0-simulator", "x86_64-apple-ios-simulator", "Darwin"),
    },
    "musl": {"musl": ("linux-static", "x86_64-swift-linux-musl", "x86_64-swift-linux-musl", "Musl")},
    "android": {"Android": ("android", "x86_64-unknown-linux-android28", "x86_64-unknown-linux-android", "Android")},
}[SYSTEM]
STANDARD = (
    "Swift _Concurrency Synchronization _StringProcessing Observation SwiftOnoneSupport RegexBuilder _RegexParser "
    "_Builtin_float Distributed"
).split()
HEADERS = (
    "errno.h fcntl.h pthread.h signal.h stdio.h stdlib.h string.h time.h unistd.h dirent.h poll.h spawn.h termios.h "
    "sys/event.h sys/file.h sys/ioctl.h sys/mman.h sys/mount.h sys/param.h sys/resource.h sys/stat.h sys/socket.h sys/time.h "
    "sys/types.h sys/un.h sys/wait.h sys/xattr.h sys/clonefile.h netdb.h netinet/in.h netinet/tcp.h os/lock.h mach/mach_time.h libgen.h limits.h"
).split()
# Of those that Swift's modules Musl and Android contain; neither has sys/xattr.h.
LINUX_HEADERS = (
    "errno.h fcntl.h pthread.h signal.h stdio.h stdlib.h string.h time.h unistd.h dirent.h dlfcn.h poll.h spawn.h sched.h "
    "termios.h sys/file.h sys/inotify.h sys/ioctl.h sys/mman.h sys/mount.h sys/resource.h sys/sendfile.h sys/stat.h sys/statvfs.h "
    "sys/socket.h sys/time.h sys/types.h sys/uio.h sys/un.h sys/utsname.h sys/wait.h arpa/inet.h ifaddrs.h netdb.h netinet/in.h "
    "netinet/tcp.h grp.h inttypes.h libgen.h limits.h link.h locale.h math.h pwd.h semaphore.h strings.h"
).split()
WHEEL_FOLDERS = {
    "apple": ["any-darwin-any"],
    # The later ones win.
    "musl": ["any-linux-any", "x86-linux-any", "generic-musl", "x86_64-linux-musl"],
}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


LINUX = json.loads(output("swiftc", "-print-target-info"))["target"]["moduleTriple"]
VERSION = output("swiftc", "--version").splitlines()[0]
LIBRARY = pathlib.Path(os.path.realpath(shutil.which("swiftc"))).parent.parent / "lib/swift"


def copy_headers(include):
    if SYSTEM == "android":
        # The NDK keeps the headers of each processor in a folder beside the others.
        shutil.copytree(SOURCE, include)
        shutil.copytree(SOURCE / "x86_64-linux-android/asm", include / "asm")
        return
    with zipfile.ZipFile(SOURCE) as wheel:
        for folder in WHEEL_FOLDERS[SYSTEM]:
            folder = f"ziglang/lib/libc/include/{folder}/"
            for name in wheel.namelist():
                if name.startswith(folder) and not name.endswith("/"):
                    file = include / name[len(folder):]
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(wheel.read(name))


def make_sdk():
    """Lays out the C headers as one module."""
    include = OUT / "sdk/usr/include"
    copy_headers(include)
    shutil.copy("/usr/include/sqlite3.h", include)
    if SYSTEM == "apple":
        lines = [f'  header "{header}"' for header in HEADERS if (include / header).exists()]
        # SQLite's header is the same everywhere; Apple's is a module of its own.
        sqlite = ["module SQLite3 [system] [extern_c] {", '  header "sqlite3.h"', "  export *", "}"]
        modules = ["module Darwin [system] [extern_c] {", *lines, "  export *", "}", *sqlite, ""]
    else:
        (library,) = (platform[3] for platform in PLATFORMS.values())
        (include / f"Swift{library}.h").write_text("".join(f"#include <{header}>\n" for header in LINUX_HEADERS))
        modules = [f"module Swift{library} [system] {{", f'  header "Swift{library}.h"', "  export *", "}", ""]
    (include / "module.modulemap").write_text("\n".join(modules))
    (OUT / "resources").mkdir()
    for name in ("shims", "clang", "apinotes"):
        (OUT / "resources" / name).symlink_to(LIBRARY / name)


class Platform:
    def __init__(self, folder, triple, file, library):
        self.folder, self.triple, self.file, self.library = folder, triple, file, library

    def renamed(self, text):
        """Text that speaks of this C library instead of Glibc."""
        return re.sub(r"\bGlibc\b", self.library, text.replace("SwiftGlibc", f"Swift{self.library}"))

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
        # Nothing here runs, and compiling the bodies of its functions would take most of the time.
        flags = "-disable-availability-checking -experimental-skip-all-function-bodies "
        text = text.replace("// swift-module-flags: ", "// swift-module-flags: " + flags, 1)
        text = re.sub(r"-target \S+", f"-target {self.triple}", text, count=1)
        text = re.sub(r"@backDeployed\(before: [^)]*\) ?", "", text)
        text = self.renamed(text)
        if SYSTEM == "apple":
            text = text.replace("let selfId = _swift_stdlib_gettid()", "let selfId: Swift.UInt32 = 0")
            text = text.replace("_swift_stdlib_gettid()", "0")
        self.write(module, text)

    def add_darwin(self):
        overlay = (LIBRARY / "linux/Glibc.swiftmodule" / f"{LINUX}.swiftinterface").read_text()
        body = overlay[overlay.index("public var errno"):overlay.index("public typealias sighandler_t")]
        self.write(
            "Darwin",
            self.head("Darwin", "-import-underlying-module ")
            + "@_exported import Darwin\nimport Swift\n"
            + body.replace("SwiftGlibc.", "Darwin."),
        )

    def add_linux_library(self):
        text = (LIBRARY / "linux/Glibc.swiftmodule" / f"{LINUX}.swiftinterface").read_text()
        text = re.sub(r"-target \S+", f"-target {self.triple}", text, count=1)
        text = text.replace("-module-link-name swiftGlibc -static ", "").replace("SwiftOverlayShims.", "SwiftGlibc.")
        handler = "public typealias sighandler_t = @convention(c) (Swift.Int32) -> Swift.Void"
        self.write(self.library, self.renamed(re.sub(r"(?m)^public typealias sighandler_t = .*$", handler, text)))

    def add_declared(self, module):
        """Makes a module of nothing but what the file beside this one declares."""
        self.write(module, self.head(module) + "import Swift\n" + (HERE / f"{module}.swiftinterface").read_text())

    def add_synthesized(self, module, source, imports):
        """Makes a module of the interface that another one has on Linux."""
        text = output(
            "swift-synthesize-interface", "-print-fully-qualified-types", "-module-name", source, "-target", LINUX, "-sdk", "/"
        )
        text = re.sub(r"(?m)^import (CDispatch|FoundationInternationalization)$", "", text)
        text = self.renamed(text.replace(f"{source}.", f"{module}."))
        text = re.sub(
            r"@inlinable |@usableFromInline |@_alwaysEmitIntoClient |@_transparent |@backDeployed\([^)]*\) ?", "", text
        )
        subscripts = r"(?m)^(\s*(?:@preconcurrency )?(?:override )?(?:public|open) (?:static )?subscript[^\n{]*[^\s{}])$"
        text = re.sub(subscripts, r"\1 { get set }", text)
        text = re.sub(r"\b(private|fileprivate|internal)\(set\) ", "", text)
        text = re.sub(r"(?m)^(\s*)public let (.* \{ get \})$", r"\1public var \2", text)
        text = re.sub(r"(?m)^(\s*(?:public|open) var \w+: [\w.]+)$", r"\1 { get set }", text)
        # Its type is C's.
        text = re.sub(r"(?m)^public typealias NSRange$", "public struct NSRange: Swift.Equatable, Swift.Sendable {}", text)
        head = self.head(module) + "".join(f"{name}\n" for name in imports)
        beyond = HERE / ("" if SYSTEM == "apple" else "linux") / f"{module}.swiftinterface"
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
                first = number - 1
                while lines[first - 1].strip().startswith("@"):
                    first -= 1
                for index in range(first, self.end(lines, number - 1) + 1):
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


def make_apple(platform):
    platform.add_darwin()
    swift = ["import Swift", "import _Concurrency"]
    platform.add_synthesized("Dispatch", "Dispatch", [*swift, "import Darwin"])
    reexported = ["@_exported import Darwin", "@_exported import Dispatch"]
    platform.add_synthesized("Foundation", "FoundationEssentials", [*swift, "import _StringProcessing", *reexported])
    for module in ("Combine", "CoreData", "Security", "os", "UniformTypeIdentifiers", "SwiftUI"):
        platform.add_declared(module)


def make_linux(platform):
    platform.add_linux_library()
    swift = ["import Swift", "import _Concurrency", "import _StringProcessing", f"@_exported import {platform.library}"]
    platform.add_synthesized("Dispatch", "Dispatch", swift)
    platform.add_synthesized("FoundationEssentials", "FoundationEssentials", swift)
    reexported = ["@_exported import Dispatch", "@_exported import FoundationEssentials"]
    platform.add_synthesized("Foundation", "Foundation", [*swift, *reexported])
    platform.add_synthesized("FoundationNetworking", "FoundationNetworking", swift)


def make(name):
    platform = Platform(*PLATFORMS[name])
    for module in STANDARD:
        platform.add_standard(module)
    if SYSTEM == "apple":
        make_apple(platform)
    else:
        make_linux(platform)
    print(f"{name} is ready", flush=True)


shutil.rmtree(OUT, ignore_errors=True)
OUT.mkdir(parents=True)
make_sdk()
with ThreadPoolExecutor() as pool:
    list(pool.map(make, PLATFORMS))
(OUT / "triples").write_text("\n".join(triple for _, triple, _, _ in PLATFORMS.values()) + "\n")
