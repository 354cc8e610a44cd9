import Foundation

extension DirectoryTree {
  private struct Key: Hashable {
    let directory: ExactString
    let name: ExactString
  }

  /// Returns the file events for events of the system, given the known contents of the tree.
  mutating func follow(_ batch: [WatchEvent], _ watch: PathChanges) -> [FileEvent] {
    var histories: [Key: EntryHistory] = [:]
    var keys: [Key] = []
    var unclear: [ExactString] = []
    var isTouched = false
    for event in batch {
      guard let directory = self.directory(of: event.point), let node = nodes[directory] else { continue }
      guard let name = event.name else {
        if !event.kinds.isDisjoint(with: [.selfGone, .changed]) {
          if event.kinds.contains(.selfGone) { nodes[directory]?.isOver = true }
          if !unclear.contains(directory) { unclear.append(directory) }
        }
        isTouched = isTouched || directory == Self.root && event.kinds.contains(.attributes)
        continue
      }
      let key = Key(directory: directory, name: ExactString(name))
      if histories[key] == nil { keys.append(key) }
      histories[key, default: EntryHistory(existed: node.entries[key.name] != nil)].add(event.kinds)
    }
    var events = isTouched ? [FileEvent(kind: .attributes, url: url)] : []
    var opened: (path: ExactString, directory: OpenDirectory)?
    for key in keys {
      guard let history = histories[key], nodes[key.directory] != nil else { continue }
      if opened?.path != key.directory {
        opened = OpenDirectory(key.directory.text, below: watch.targetPath).map { (key.directory, $0) }
        // If the directory is gone, another event reports its contents. If it is not, it is compared later.
        if opened == nil { _ = stands(key.directory, errno, watch) }
      }
      if let directory = opened?.directory { events += follow(key.name, key.directory, history, directory, watch) }
    }
    for path in unclear where nodes[path] != nil { events += compare(from: path, isTrusting: true, watch) }
    return events
  }

  /// Returns the directory of the tree that an event is about.
  ///
  /// A watch follows its directory, so its last events may arrive after another directory has taken its place.
  private func directory(of point: WatchPoint) -> ExactString? {
    if point.inner == nil, !point.place.isTarget { return nil }
    let path = point.inner.map(ExactString.init) ?? Self.root
    return nodes[path]?.identity == point.place.identity ? path : nil
  }

  private mutating func follow(
    _ name: ExactString, _ path: ExactString, _ history: EntryHistory, _ directory: OpenDirectory, _ watch: PathChanges
  ) -> [FileEvent] {
    let inner = Self.path(path, name)
    let old = nodes[path]?.entries[name]
    guard history.exists else {
      nodes[path]?.entries[name] = nil
      let kind = history.kind
      return (kind.map { event($0, inner) } ?? []) + forget(inner, kind ?? .deleted, watch)
    }
    guard isRecursive || filter.matches(inner.text) else { return [] }
    guard let found = directory.entry(name.text) else {
      // If it is already gone, another event reports it, unless it was never known. A name that is not UTF-8 is never
      // found.
      let isGone = errno == ENOENT
      let isUnknown = isGone && old == nil && history.isNew && !name.text.unicodeScalars.contains("\u{FFFD}")
      return isUnknown ? event(.deleted, inner) : []
    }
    let isDirectory = found.kind == .directory
    let isEntered = isRecursive && isDirectory && filter.enters(inner.text)
    if isEntered || filter.matches(inner.text) {
      let mark = mark(found, name, directory, watch)
      nodes[path]?.entries[name] = Entry(mark: mark, isDirectory: isDirectory, isListed: false)
    }
    // The event of an entry that was found by a listing before the event arrived.
    let isEcho = old?.isListed == true && !history.wasRemoved && old?.mark.stamp.identity == found.stamp.identity
    var events: [FileEvent] = []
    if !isDirectory { events += forget(inner, .deleted, watch) }
    if let kind = isEcho ? history.kindOfEcho : history.kind { events += event(kind, inner) }
    if isEntered, history.isNew && !isEcho || watch.hasFailed(at: inner) {
      events += compare(from: inner, watch)
    }
    return events
  }
}

/// The changes of one entry in one burst.
struct EntryHistory {
  let existed: Bool
  private(set) var exists: Bool
  private(set) var isNew = false
  private var kinds: WatchKinds = []

  init(existed: Bool) {
    self.existed = existed
    exists = existed
  }

  mutating func add(_ kinds: WatchKinds) {
    self.kinds.formUnion(kinds)
    if !kinds.isDisjoint(with: [.created, .movedIn]) { (exists, isNew) = (true, true) }
    if !kinds.isDisjoint(with: [.removed, .movedOut]) { exists = false }
    if !kinds.isDisjoint(with: [.written, .attributes]) { exists = true }
  }

  var wasRemoved: Bool { !kinds.isDisjoint(with: [.removed, .movedOut]) }

  /// The kind of the combined event, or `nil` if there is none.
  var kind: FileEvent.Kind? {
    switch (existed, exists) {
    // The entry may have been seen in between, so its end must be reported.
    case (false, false): isNew ? kindOfEnd : nil
    case (false, true): .created
    case (true, false): kindOfEnd
    case (true, true): isNew ? .replaced : kindOfEcho
    }
  }

  private var kindOfEnd: FileEvent.Kind { kinds.contains(.movedOut) ? .moved : .deleted }

  /// The kind of the combined event, if the creation of the entry has already been reported.
  var kindOfEcho: FileEvent.Kind? {
    if kinds.contains(.written) { .modified } else { kinds.contains(.attributes) ? .attributes : nil }
  }
}
