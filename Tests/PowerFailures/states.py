"""The states in which a power failure may leave a folder, at each moment of a recording, under two models.

- `ordered`: each directory has a prefix of the changes of its names, as the journals of ext4, XFS, Btrfs and APFS keep it. A
  rename between two directories is one change of both. Contents are independent of names, and each file has a prefix of its
  writes, the last of which may be torn.
- `strict`: each change of a name is there or not, independently of the changes of other names in its directory. Of the
  writes to a file, any may be missing, with zeros in its place.

What was synced is there in both: the writes to a file with the file, a change of names with one of its directories. A sync of
a file does not keep its name.

Changes that are not synced have exponentially many subsets. If a moment has more than `CHOICES`, these are taken: all prefixes,
each change alone and each one missing, with those that it cannot overtake, and a number of random ones. If a set of names has
more than `COMBINATIONS` of contents, each file has each of its contents while all others are complete, and while all are lost.
"""
import functools
import itertools
import random

from disk import Names, Tree, Truncate, Write

MODELS = ("ordered", "strict")
CHOICES = 64  # Sets of changes of names for a moment.
COMBINATIONS = 16  # Sets of contents for a set of names.


class State:
    """One state of the folder: how it is built, and the moments that may leave it."""

    def __init__(self, build):
        self.build, self.answered = build, {model: {} for model in MODELS}

    @property
    def tree(self):
        return self.build()


class States:
    """All distinct states of a recording."""

    def __init__(self, recording, seed, moments=None):
        """Enumerates the states of all moments, or of so many that are drawn."""
        self.recording, self.dice = recording, random.Random(seed)
        numbers = range(len(recording.moments))
        self.chosen = set(numbers) if moments is None else set(self.dice.sample(numbers, min(moments, len(numbers))))
        self.all, self.counts, self.bounded = {}, {model: 0 for model in MODELS}, 0
        for model in MODELS:
            self._collect(model)

    def _collect(self, model):
        recording = self.recording
        durable, seen, before = [], 0, {}
        last = {}
        for index, operation in enumerate(recording.operations):
            before[index] = set()
            if isinstance(operation, Names):
                # Those that an operation cannot overtake: it follows them in a directory, or it changes the same name.
                places = operation.directories if model == "ordered" else [place[:2] for place in operation.assignments]
                for place in places:
                    if place in last:
                        before[index].add(last[place])
                    last[place] = index
        foreign = self._foreign()
        previous = None
        for number, moment in enumerate(recording.moments):
            durable += [index in foreign for index in range(len(durable), moment.operations)]
            for sync in recording.syncs[seen:moment.syncs]:
                for index in range(sync.covered):
                    if not durable[index] and self._keeps(sync, recording.operations[index]):
                        self._keep(index, durable, before)
            seen = moment.syncs
            key = (moment.operations, moment.answered, tuple(durable))
            if key != previous and number in self.chosen:
                self._enumerate(model, number, moment, durable, before)
            previous = key

    def _foreign(self):
        """The operations on files that do not belong to the protocol, which count as durable."""
        recording, found, files = self.recording, set(), set()
        for index, operation in enumerate(recording.operations):
            if isinstance(operation, Names):
                if any(recording._is_durable(name) for _, name, _ in operation.assignments):
                    found.add(index)
                    files.update(file for _, _, file in operation.assignments if file is not None)
        return found | {
            index for index, operation in enumerate(recording.operations)
            if not isinstance(operation, Names) and operation.file in files}

    @staticmethod
    def _keeps(sync, operation):
        if sync.kind == "everything":
            return True
        if not isinstance(operation, Names):
            return sync.file == operation.file
        return sync.file in operation.directories

    def _keep(self, index, durable, before):
        waiting = [index]
        while waiting:
            index = waiting.pop()
            durable[index] = True
            waiting += [earlier for earlier in before.get(index, ()) if not durable[earlier]]

    # MARK: One moment

    def _enumerate(self, model, number, moment, durable, before):
        operations = self.recording.operations[:moment.operations]
        pending = [
            index for index, operation in enumerate(operations) if isinstance(operation, Names) and not durable[index]]
        choices = self._choices(pending, before)
        contents = self._contents(model, operations, durable)
        for chosen in choices:
            names = self._names(operations, durable, chosen)
            for choice in self._combinations(names, contents):
                self.counts[model] += 1
                build = functools.partial(self._tree, names, contents, choice)
                digest = build().digest()
                if digest not in self.all:
                    self.all[digest] = State(build)
                self.all[digest].answered[model].setdefault(moment.answered, number)

    def _tree(self, names, contents, choice):
        tree = Tree()
        tree.names, tree.targets = names, self.recording.now.targets
        tree.contents = {number: choice.get(number, variants[0]) for number, variants in contents.items()}
        return tree

    def _choices(self, pending, before):
        """Sets of changes that contain, with each one, those that it cannot overtake."""
        waiting = {index: {earlier for earlier in before[index] if earlier in set(pending)} for index in pending}
        found, level = {frozenset()}, {frozenset()}
        while level and len(found) <= CHOICES:
            level = {chosen | {index} for chosen in level for index in pending
                     if index not in chosen and waiting[index] <= chosen} - found
            found |= level
        if len(found) <= CHOICES:
            return sorted(found, key=sorted)
        self.bounded += 1
        found = {frozenset(pending[:count]) for count in range(len(pending) + 1)}
        for index in pending:
            # Alone, and missing alone, with what belongs to it.
            found.add(frozenset(self._closure({index}, waiting)))
            found.add(frozenset(set(pending) - self._closure({index}, {
                other: {later for later in pending if other in waiting[later]} for other in pending})))
        for _ in range(CHOICES):
            chosen, count = set(), self.dice.randrange(len(pending) + 1)
            while len(chosen) < count:
                chosen.add(self.dice.choice([
                    index for index in pending if index not in chosen and waiting[index] <= chosen]))
            found.add(frozenset(chosen))
        return sorted(found, key=sorted)

    @staticmethod
    def _closure(indexes, more):
        found, waiting = set(), list(indexes)
        while waiting:
            index = waiting.pop()
            if index not in found:
                found.add(index)
                waiting += more[index]
        return found

    def _names(self, operations, durable, chosen):
        recording = self.recording
        names = {number: dict(recording.before.names.get(number, {})) for number in recording.now.names}
        for index, operation in enumerate(operations):
            if isinstance(operation, Names) and (durable[index] or index in chosen):
                for directory, name, file in operation.assignments:
                    if file is None:
                        names[directory].pop(name, None)
                    else:
                        names[directory][name] = file
        return names

    def _contents(self, model, operations, durable):
        """What each file may contain, the complete content first."""
        changes = {}
        for index, operation in enumerate(operations):
            if not isinstance(operation, Names):
                changes.setdefault(operation.file, []).append((operation, durable[index]))
        contents = {
            number: [bytes(self.recording.before.contents.get(number, b""))] for number in self.recording.now.contents}
        for number, list_ in changes.items():
            kept = bytearray(self.recording.before.contents.get(number, b""))
            count = 0
            while count < len(list_) and list_[count][1]:
                list_[count][0].apply(kept)
                count += 1
            contents[number] = list(dict.fromkeys(self._variants(model, kept, [change for change, _ in list_[count:]])))
        return contents

    @staticmethod
    def _variants(model, kept, pending):
        def applied(changes, torn=None):
            content = bytearray(kept)
            for change in changes:
                change.apply(content)
            if isinstance(torn, Write):
                torn.apply(content, len(torn.data) // 2)
            return bytes(content)

        yield applied(pending)
        if not pending:
            return
        yield bytes(kept)
        yield applied(pending[:-1], pending[-1])
        yield applied(pending[:-1])
        yield applied([], pending[0])
        if len(pending) > 2:
            yield applied(pending[:len(pending) // 2])
        if model == "strict":
            blank = [Write(change.file, change.offset, bytes(len(change.data))) if isinstance(change, Write) else change
                     for change in pending]
            yield applied(blank)
            for index in {0, len(pending) // 2, len(pending) - 1}:
                yield applied(pending[:index] + pending[index + 1:])
                yield applied(pending[:index] + [blank[index]] + pending[index + 1:])

    def _combinations(self, names, contents):
        """Contents of the files that have names, where they are not complete."""
        reachable, waiting = set(), [0]
        while waiting:
            for inner in names[waiting.pop()].values():
                if inner not in reachable:
                    reachable.add(inner)
                    if inner in names:
                        waiting.append(inner)
        varied = [number for number in contents if number in reachable and len(contents[number]) > 1]
        total = 1
        for number in varied:
            total *= len(contents[number])
        if total <= COMBINATIONS:
            return [dict(zip(varied, choice)) for choice in itertools.product(*(contents[number] for number in varied))]
        self.bounded += 1
        whole = {number: contents[number][0] for number in varied}
        lost = {number: contents[number][1] for number in varied}
        choices = [whole, lost]
        for number in varied:
            for content in contents[number][1:]:
                choices += [{**whole, number: content}, {**lost, number: content}]
            choices.append({**lost, number: contents[number][0]})
        return choices
