"""Transactions on lists, which are read and appended to.

Values are unique, so that the final lists give the order of the versions, as in Elle (Kingsbury and Alvaro, VLDB 2020):
transactions depend on each other by what they append after, read, and do not yet read. A cycle is a violation.
"""
from itertools import accumulate

from notes import APPEND, ELEMENT, TRANSACTION, units
from registers import Violation


class Transaction:
    def __init__(self, head, steps):
        self.thread, self.call, self.answer = head[:3]
        self.steps = steps

    def __str__(self):
        return f"{self.thread} at {self.call}"


def collect(notes):
    """The transactions, and the final lists."""
    lists, found = {}, []
    for unit in units(notes):
        head = unit[0]
        if head[3] == ELEMENT:
            lists.setdefault(head[4], []).append(head[5])
        elif head[3] == TRANSACTION:
            found.append(Transaction(head, unit[1:]))
    return found, lists


def check(notes):
    transactions, lists = collect(notes)
    if not transactions:
        return
    authors = {}
    for number, transaction in enumerate(transactions):
        for step in transaction.steps:
            if step[3] == APPEND:
                authors[step[5]] = number
    for key, values in lists.items():
        if len(set(values)) < len(values):
            raise Violation("lists", f"list {key} has a value twice")
        for value in values:
            if value not in authors:
                raise Violation("lists", f"list {key} has {value}, which nobody appended")
    sums = {key: [0, *accumulate(values)] for key, values in lists.items()}
    places = {value: place for values in lists.values() for place, value in enumerate(values)}
    edges = [set() for _ in transactions]
    for number, transaction in enumerate(transactions):
        appended = [step[5] in places for step in transaction.steps if step[3] == APPEND]
        if any(appended) and not all(appended) or transaction.answer and not all(appended):
            raise Violation("atomic", f"only {sum(appended)} of {len(appended)} appends of {transaction} are there")
        if transaction.answer:
            for _, call, _, kind, key, value, last, length, total in transaction.steps:
                values = lists.get(key, [])
                if length > len(values) or (length and values[length - 1] != last) or sums.get(key, [0])[length] != total:
                    raise Violation("lists", f"{transaction} read {length} values of list {key}, which never were the list")
                if length:
                    edges[authors[last]].add(number)  # It has read what the other has written.
                if length < len(values):
                    edges[number].add(authors[values[length]])  # It has not read what the other has written.
        for step in transaction.steps:
            place = places.get(step[5]) if step[3] == APPEND else None
            if place is not None and place + 1 < len(lists[step[4]]):
                edges[number].add(authors[lists[step[4]][place + 1]])
    for number, following in enumerate(edges):
        following.discard(number)
    refuse_cycle("serializable", edges, transactions)
    # A write that has returned is read by every later call.
    events = sorted(
        [(transaction.call, 0, number) for number, transaction in enumerate(transactions)]
        + [(transaction.answer, 1, number) for number, transaction in enumerate(transactions) if transaction.answer])
    now = None
    for _, is_answer, number in events:
        if is_answer:
            edges.append(set())
            if now is not None:
                edges[now].add(len(edges) - 1)
            now = len(edges) - 1
            edges[number].add(now)
        elif now is not None:
            edges[now].add(number)
    refuse_cycle("real time", edges, transactions)


def refuse_cycle(rule, edges, transactions):
    """Removes what nothing precedes, until nothing is left but cycles and what follows them."""
    before = [0] * len(edges)
    for following in edges:
        for other in following:
            before[other] += 1
    ready = [number for number, count in enumerate(before) if not count]
    while ready:
        for other in edges[ready.pop()]:
            before[other] -= 1
            if not before[other]:
                ready.append(other)
    left = {number for number, count in enumerate(before) if count}
    if not left:
        return
    preceding = {number: [] for number in left}
    for number in left:
        for other in edges[number]:
            preceding[other].append(number)
    # Everything that is left is preceded by something else that is: going back ends in a cycle.
    path, places = [min(left)], {}
    while path[-1] not in places:
        places[path[-1]] = len(path) - 1
        path.append(next(number for number in preceding[path[-1]]))
    cycle = [number for number in path[places[path[-1]]:-1] if number < len(transactions)]
    raise Violation(rule, "a cycle of " + ", ".join(str(transactions[number]) for number in reversed(cycle)))
