"""What single calls do to a folder."""
import fnmatch
import posixpath
import re

from disk import TOP, Names, Sync, Truncate, Write

_number = re.compile(r"(AT_FDCWD|-?\d+)(?:<([^>]*)>)?(\(deleted\))?")


class Broken(Exception):
    """A recording that does not give the folder that the process has left."""


def _bytes(text):
    return bytes.fromhex(text.replace("\\x", ""))


def _text(argument):
    return _bytes(argument.strip('"')).decode()


def descriptor(argument):
    return _number.match(argument).group(1)


class Calls:
    """The calls that a recording understands: `_NAME(name, arguments, result, covered)`."""

    # MARK: Paths

    def _place(self, base, path, follows=False):
        """The directory and the name that a path leads to; `None` outside the folder."""
        found = _number.match(base)
        if not path.startswith("/"):
            number = self._known(found.group(1))
            if number is not None:
                return self._walk(number, path.split("/"), follows)
            path = posixpath.join(_bytes(found.group(2) or "").decode(), path)
        path = posixpath.normpath(path)
        if path == self.folder:
            return (None, TOP)
        if not path.startswith(self.folder + "/"):
            return None
        return self._walk(TOP, path[len(self.folder) + 1:].split("/"), follows)

    def _walk(self, number, names, follows):
        names = [name for name in names if name not in ("", ".")]
        if not names:
            return (None, number)
        for index, name in enumerate(names):
            inner = self.now.names.get(number, {}).get(name)
            is_last = index == len(names) - 1
            if inner in self.now.targets and (follows or not is_last):
                target = self.now.targets[inner]
                rest = [*target.split("/"), *names[index + 1:]]
                if target.startswith("/"):
                    return self._place("AT_FDCWD", "/".join(rest), follows)
                return self._walk(number, rest, follows)
            if name == ".." :
                parents = [outer for outer, entries in self.now.names.items() if number in entries.values()]
                if not parents:
                    return None
                number = parents[0]
                continue
            if is_last:
                return (number, name)
            number = inner
        return (None, number)

    def _found(self, place):
        """The file at a place."""
        if place is None:
            return None
        directory, name = place
        return name if directory is None else self.now.names.get(directory, {}).get(name)

    def _known(self, number):
        """The file of a descriptor. It may have been opened just before the end of the call that created it was traced."""
        file = self.opened.get(number)
        return self._found(file) if isinstance(file, tuple) else file

    def _file(self, argument):
        number, path, deleted = _number.match(argument).groups()
        file = self._known(number)
        if file is None and path and not deleted:
            if f"{_bytes(path).decode(errors='replace')}/".startswith(self.folder + "/"):
                raise Broken(f"the file was not seen being opened: {_bytes(path)}")
        return file

    # MARK: Changes

    def _add(self, operation):
        self.now.apply(operation)
        self.operations.append(operation)

    def _is_durable(self, name):
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.durable)

    def _unknown(self, name, arguments, result, covered):
        if any(self._place("AT_FDCWD", _bytes(text).decode(errors="replace"))
               for text in re.findall(r'[<"]((?:\\x2f)(?:\\x[0-9a-f]{2})*)[>"]', ",".join(arguments))):
            raise Broken(f"{name} is not understood: {arguments}")

    def _ignore(self, name, arguments, result, covered):
        pass

    _lseek = _chdir = _fchdir = _ignore

    def _openat(self, name, arguments, result, covered):
        flags = arguments[2]
        place = self._place(arguments[0], _text(arguments[1]), "O_NOFOLLOW" not in flags)
        if place is None:
            self.opened.pop(result, None)
            return
        file = self._found(place)
        if file is None:
            if "O_CREAT" not in flags:
                file = place
            else:
                file = self.now.new_file()
                self._add(Names([(*place, file)]))
        elif "O_TRUNC" in flags and self.now.contents.get(file):
            self._add(Truncate(file, 0))
        self.opened[result], self.offsets[result] = file, 0
        (self.appending.add if "O_APPEND" in flags else self.appending.discard)(result)

    def _open(self, name, arguments, result, covered):
        self._openat(name, ["AT_FDCWD", *arguments], result, covered)

    def _dup(self, name, arguments, result, covered):
        if (file := self._file(arguments[0])) is not None:
            self.opened[result], self.offsets[result] = file, 0
            if _number.match(arguments[0]).group(1) in self.appending:
                self.appending.add(result)
        else:
            self.opened.pop(result, None)

    _dup2 = _dup3 = _dup

    def _fcntl(self, name, arguments, result, covered):
        if arguments[1].startswith("F_DUPFD"):
            self._dup(name, arguments, result, covered)

    def _mmap(self, name, arguments, result, covered):
        writes = len(arguments) > 4 and "PROT_WRITE" in arguments[2] and "MAP_SHARED" in arguments[3]
        if writes and self._file(arguments[4]) is not None and "\\x2d\\x73\\x68\\x6d>" not in arguments[4]:
            raise Broken("a file was mapped for writing")

    def _ioctl(self, name, arguments, result, covered):
        if arguments[1].startswith("FICLONE") and (file := self._file(arguments[0])) is not None:
            source = self._file(arguments[2]) if len(arguments) > 2 else None
            if source is None:
                raise Broken("a file was cloned from outside")
            self._add(Truncate(file, 0))
            self._add(Write(file, 0, bytes(self.now.contents[source])))

    def _write(self, name, arguments, result, covered):
        number = _number.match(arguments[0]).group(1)
        if number == "1":
            answers = [line for line in _bytes(arguments[1].strip('"')).splitlines() if not line.startswith(b"event ")]
            # The last answer is that of the driver's own question.
            self.answered = min(self.answered + len(answers), self.steps)
            return
        file = self._file(arguments[0])
        if file is None:
            return
        data = _bytes(arguments[1].strip('"'))[:int(result)]
        if len(data) != int(result):
            raise Broken("written bytes are missing in the trace")
        offset = len(self.now.contents[file]) if number in self.appending else self.offsets[number]
        self._add(Write(file, offset, data))
        self.offsets[number] = offset + len(data)

    def _pwrite64(self, name, arguments, result, covered):
        if (file := self._file(arguments[0])) is not None:
            self._add(Write(file, int(arguments[3]), _bytes(arguments[1].strip('"'))[:int(result)]))

    def _copy_file_range(self, name, arguments, result, covered):
        source, file = self._file(arguments[0]), self._file(arguments[2])
        if file is None or result == "0":
            return
        if source is None or arguments[3] != "NULL" or arguments[1] != "NULL":
            raise Broken("a range was copied that the trace does not show")
        begin, offset = (self.offsets[_number.match(arguments[index]).group(1)] for index in (0, 2))
        self._add(Write(file, offset, bytes(self.now.contents[source][begin:begin + int(result)])))
        for index in (0, 2):
            self.offsets[_number.match(arguments[index]).group(1)] += int(result)

    def _sendfile(self, name, arguments, result, covered):
        file, source = self._file(arguments[0]), self._file(arguments[1])
        if file is None or result == "0":
            return
        if source is None or arguments[2] != "NULL":
            raise Broken("a range was sent that the trace does not show")
        target, origin = (_number.match(arguments[index]).group(1) for index in (0, 1))
        begin = self.offsets[origin]
        self._add(Write(file, self.offsets[target], bytes(self.now.contents[source][begin:begin + int(result)])))
        self.offsets[target] += int(result)
        self.offsets[origin] += int(result)

    def _ftruncate(self, name, arguments, result, covered):
        if (file := self._file(arguments[0])) is not None:
            self._add(Truncate(file, int(arguments[1])))

    def _fallocate(self, name, arguments, result, covered):
        if (file := self._file(arguments[0])) is not None and arguments[1] == "0":
            size = int(arguments[2]) + int(arguments[3])
            self._add(Truncate(file, max(size, len(self.now.contents[file]))))

    def _mkdirat(self, name, arguments, result, covered):
        if place := self._place(arguments[0], _text(arguments[1])):
            self._add(Names([(*place, self.now.new_directory())]))

    def _mkdir(self, name, arguments, result, covered):
        self._mkdirat(name, ["AT_FDCWD", *arguments], result, covered)

    def _unlinkat(self, name, arguments, result, covered):
        if place := self._place(arguments[0], _text(arguments[1])):
            self._add(Names([(*place, None)]))

    def _unlink(self, name, arguments, result, covered):
        self._unlinkat(name, ["AT_FDCWD", *arguments], result, covered)

    _rmdir = _unlink

    def _renameat(self, name, arguments, result, covered):
        old = self._place(arguments[0], _text(arguments[1]))
        new = self._place(arguments[2], _text(arguments[3]))
        if old is None and new is None:
            return
        if old is None or new is None:
            raise Broken(f"a file was renamed into the folder or out of it: {arguments}")
        file, other = self._found(old), self._found(new)
        is_exchange = len(arguments) > 4 and "RENAME_EXCHANGE" in arguments[4]
        self._add(Names([(*old, other if is_exchange else None), (*new, file)]))

    _renameat2 = _renameat

    def _rename(self, name, arguments, result, covered):
        self._renameat(name, ["AT_FDCWD", arguments[0], "AT_FDCWD", arguments[1]], result, covered)

    def _linkat(self, name, arguments, result, covered):
        old, new = self._place(arguments[0], _text(arguments[1])), self._place(arguments[2], _text(arguments[3]))
        if new:
            self._add(Names([(*new, self._found(old))]))

    def _link(self, name, arguments, result, covered):
        self._linkat(name, ["AT_FDCWD", arguments[0], "AT_FDCWD", arguments[1]], result, covered)

    def _symlinkat(self, name, arguments, result, covered):
        if place := self._place(arguments[1], _text(arguments[2])):
            self._add(Names([(*place, self.now.new_link(_text(arguments[0])))]))

    def _symlink(self, name, arguments, result, covered):
        self._symlinkat(name, [arguments[0], "AT_FDCWD", arguments[1]], result, covered)

    def _fsync(self, name, arguments, result, covered):
        if (file := self._file(arguments[0])) is not None:
            self.syncs.append(Sync(file, covered, "directory" if file in self.now.names else "file"))

    _fdatasync = _fsync

    def _syncfs(self, name, arguments, result, covered):
        self.syncs.append(Sync(None, covered, "everything"))

    _sync = _syncfs
