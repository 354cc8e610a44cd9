"""A folder on a disk: the operations on it, and what the disk has of them after a power failure.

Files and directories are numbered. An operation on names is atomic, a rename included, as it is in every journal. It assigns
files to names: `(directory, name, file)`, with `None` for a removed name. An operation on data belongs to a file.
"""
import hashlib
import os
import stat

TOP = 0


class Names:
    """A change of names in one or two directories. The last assignment is that of the new name."""

    def __init__(self, assignments):
        self.assignments = assignments
        self.directories = {directory for directory, _, _ in assignments}


class Write:
    """Bytes that were written to a file."""

    def __init__(self, file, offset, data):
        self.file, self.offset, self.data = file, offset, data

    def apply(self, content, count=None):
        data = self.data if count is None else self.data[:count]
        if len(content) < self.offset:
            content.extend(bytes(self.offset - len(content)))
        content[self.offset:self.offset + len(data)] = data


class Truncate:
    """A new size of a file."""

    def __init__(self, file, size):
        self.file, self.size = file, size

    def apply(self, content, count=None):
        del content[self.size:]
        content.extend(bytes(self.size - len(content)))


class Sync:
    """A wait for the disk, which covers the operations that had ended when it began; of everything if there is no file."""

    def __init__(self, file, covered, kind):
        self.file, self.covered, self.kind = file, covered, kind


class Tree:
    """The files of a folder, by number: directories as `{name: number}`, contents, and targets of links."""

    def __init__(self):
        self.names, self.contents, self.targets = {TOP: {}}, {}, {}

    @classmethod
    def read(cls, folder):
        tree = cls()
        tree._read(folder, TOP)
        return tree

    def _read(self, folder, number):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                self.names[number][entry.name] = inner = self.new_directory()
                self._read(entry.path, inner)
            elif stat.S_ISLNK(mode):
                self.names[number][entry.name] = self.new_link(os.readlink(entry.path))
            elif stat.S_ISREG(mode):
                with open(entry.path, "rb") as file:
                    self.names[number][entry.name] = self.new_file(file.read())

    def _new(self):
        return len(self.names) + len(self.contents) + len(self.targets)

    def new_directory(self):
        number = self._new()
        self.names[number] = {}
        return number

    def new_file(self, content=b""):
        number = self._new()
        self.contents[number] = bytearray(content)
        return number

    def new_link(self, target):
        number = self._new()
        self.targets[number] = target
        return number

    def copy(self):
        other = Tree()
        other.names = {number: dict(names) for number, names in self.names.items()}
        other.contents = {number: bytearray(content) for number, content in self.contents.items()}
        other.targets = dict(self.targets)
        return other

    def apply(self, operation):
        if isinstance(operation, Names):
            for directory, name, file in operation.assignments:
                if file is None:
                    self.names[directory].pop(name, None)
                else:
                    self.names[directory][name] = file
        else:
            operation.apply(self.contents[operation.file])

    def files(self, number=TOP, path="", above=()):
        """All paths, each with its kind and content."""
        for name, inner in sorted(self.names[number].items()):
            place = path + name
            if inner in self.names:
                if inner in above:
                    continue  # Its old and its new name, one in the other.
                yield place, "directory", b""
                yield from self.files(inner, place + "/", (*above, inner))
            elif inner in self.targets:
                yield place, "link", self.targets[inner].encode()
            else:
                yield place, "file", bytes(self.contents[inner])

    def digest(self):
        total = hashlib.sha1()
        for place, kind, content in self.files():
            total.update(f"{place}\0{kind}\0{len(content)}\0".encode() + content)
        return total.digest()

    def build(self, folder):
        os.mkdir(folder, 0o700)
        for place, kind, content in self.files():
            path = f"{folder}/{place}"
            if kind == "directory":
                os.mkdir(path, 0o700)
            elif kind == "link":
                os.symlink(content.decode(), path)
            else:
                number = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
                os.write(number, content) if content else None
                os.close(number)
