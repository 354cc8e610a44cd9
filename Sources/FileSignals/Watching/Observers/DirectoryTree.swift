import CLibrary
import Foundation

/// The known contents of a directory or a directory tree, from which events are derived.
///
/// The directories are stored by their paths relative to the root and not nested, so that any depth is possible.
struct DirectoryTree: ChangeInterpreter {
  /// A directory of the tree.
  struct Node {
    var identity: FileIdentity
    var entries: [ExactString: Entry] = [:]
    /// The watch of a directory below the root; the root's watch belongs to the observer.
    var token: WatchToken?
    /// A Boolean value that indicates whether that watch has ended by itself.
    var isOver = false
  }

  struct Entry {
    var mark: FileMark
    let isDirectory: Bool
    /// A Boolean value that indicates whether it was found by a listing, so that the event of its creation may still
    /// arrive.
    var isListed = true
  }

  /// The path of the directory itself.
  static let root = ExactString("")

  let url: URL
  let isRecursive: Bool
  let filter: FileFilter
  /// The known directories.
  ///
  /// There is none at the empty path if the root does not exist.
  var nodes: [ExactString: Node] = [:]

  mutating func look(_ watch: PathChanges) {
    _ = compare(from: Self.root, watch)
  }

  mutating func events(after batch: PathChange, of watch: PathChanges) -> [FileEvent] {
    if batch.isOverflow || batch.isRearmed || batch.isPoll { return compareAll(after: batch, watch) }
    return follow(batch.events, watch)
  }

  // MARK: Comparing

  /// Returns the differences from the known contents, if the system reported no events, or not all of them.
  private mutating func compareAll(after batch: PathChange, _ watch: PathChanges) -> [FileEvent] {
    let old = nodes[Self.root]?.identity
    var events = compare(from: Self.root, isTrusting: batch.isPoll && !batch.isRearmed, watch)
    guard let new = nodes[Self.root]?.identity else {
      return old == nil ? [] : [FileEvent(kind: batch.events.contains(where: isMove) ? .moved : .deleted, url: url)]
    }
    if old == nil {
      events.insert(FileEvent(kind: .created, url: url), at: 0)
    } else if old != new {
      events.insert(FileEvent(kind: .replaced, url: url), at: 0)
    }
    // Content that was written in between, and files that appeared and disappeared, cannot be detected.
    let isIncomplete = batch.isOverflow || batch.isRearmed && old == new
    return isIncomplete ? [FileEvent(kind: .rescan, url: url)] + events : events
  }

  /// Returns a Boolean value that indicates whether an event means that the root was moved.
  ///
  /// Its parent directory reports that before the root itself does.
  private func isMove(_ event: WatchEvent) -> Bool {
    guard event.point.inner == nil else { return false }
    return event.kinds.contains(.selfMoved) || event.kinds.contains(.movedOut) && !event.point.place.isTarget
  }

  /// Watches a directory and its subdirectories, and then lists them, so that nothing is missed in between.
  ///
  /// - Parameters:
  ///   - start: The directory's path.
  ///   - isTrusting: A Boolean value that determines whether directories that seem unchanged keep their watches.
  ///   - watch: The observer's watch.
  /// - Returns: The differences from the known contents.
  mutating func compare(from start: ExactString, isTrusting: Bool = false, _ watch: PathChanges) -> [FileEvent] {
    var events: [FileEvent] = []
    var rest = [start]
    while let path = rest.popLast() {
      guard let directory = OpenDirectory(path.text, below: watch.targetPath), let identity = directory.identity else {
        events += lose(path, errno, watch)
        continue
      }
      watch.clearFailures(at: path)
      if path != Self.root { keepWatching(path, identity, directory, isTrusting, watch) }
      let found = directory.entries { name, isPerhapsDirectory in
        let path = Self.path(path, ExactString(name))
        return filter.matches(path.text) || isRecursive && isPerhapsDirectory && filter.enters(path.text)
      }
      guard let found else {
        events += lose(path, errno, watch)
        continue
      }
      var node = nodes[path] ?? Node(identity: identity)
      node.identity = identity
      events += compare(&node, path, found, directory, watch)
      nodes[path] = node
      // In reverse order, because the last one is removed first.
      for (name, entry) in node.entries.sorted(by: { $0.key > $1.key }) where entry.isDirectory && isRecursive {
        let inner = Self.path(path, name)
        if filter.enters(inner.text) { rest.append(inner) }
      }
    }
    return events
  }

  private mutating func keepWatching(
    _ path: ExactString, _ identity: FileIdentity, _ directory: OpenDirectory, _ isTrusting: Bool, _ watch: PathChanges
  ) {
    let old = nodes[path]
    if isTrusting, let old, old.identity == identity, old.token != nil, !old.isOver { return }
    // Add the new watch before removing the old one: on Linux they are the same, which must not end.
    let token = watch.watchInner(path.text, identity, opened: directory.number)
    if let old = old?.token { watch.releaseInner(old) }
    nodes[path] = Node(identity: old?.identity ?? identity, entries: old?.entries ?? [:], token: token)
  }

  private mutating func compare(
    _ node: inout Node, _ path: ExactString, _ found: [ExactString: OpenDirectory.Entry], _ directory: OpenDirectory,
    _ watch: PathChanges
  ) -> [FileEvent] {
    var events: [FileEvent] = []
    let old = node.entries
    node.entries = [:]
    for name in Set(old.keys).union(found.keys).sorted() {
      let inner = Self.path(path, name)
      guard let new = found[name] else {
        events += event(.deleted, inner)
        events += forget(inner, .deleted, watch)
        continue
      }
      let isDirectory = new.kind == .directory
      guard var entry = old[name], entry.isDirectory == isDirectory else {
        if old[name] != nil { events += forget(inner, .deleted, watch) }
        events += event(old[name] == nil ? .created : .replaced, inner)
        node.entries[name] = Entry(mark: mark(new, name, directory, watch), isDirectory: isDirectory)
        continue
      }
      if entry.mark.stamp.identity != new.stamp.identity {
        events += event(.replaced, inner)
        entry = Entry(mark: mark(new, name, directory, watch), isDirectory: isDirectory)
      } else if !isDirectory {
        switch entry.mark.update(new.stamp, path: name.text, in: directory.number) {
        case .content: events += event(.modified, inner)
        case .attributes: events += event(.attributes, inner)
        case .none: break
        }
      }
      node.entries[name] = entry
    }
    return events
  }

  /// Returns the mark for later comparisons.
  ///
  /// If the observer polls, a file that changed recently is read for it.
  func mark(
    _ entry: OpenDirectory.Entry, _ name: ExactString, _ directory: OpenDirectory, _ watch: PathChanges
  ) -> FileMark {
    guard watch.isPolling, entry.kind == .regular else { return FileMark(trusting: entry.stamp) }
    let age = FileStamp.age(of: .nanoseconds(entry.stamp.changed))
    guard age > .seconds(-10), age < .seconds(10) else { return FileMark(trusting: entry.stamp) }
    return FileMark(entry.stamp, path: name.text, in: directory.number)
  }

  // MARK: Removal

  /// Handles a directory that could not be opened.
  private mutating func lose(_ path: ExactString, _ errno: CInt, _ watch: PathChanges) -> [FileEvent] {
    if stands(path, errno, watch) { return [] }
    guard path == Self.root else { return forget(path, .deleted, watch) }
    for token in nodes.values.compactMap(\.token) { watch.releaseInner(token) }
    nodes = [:]
    watch.clearFailures()
    return []
  }

  /// Returns `true` if a directory that could not be opened still exists, but cannot be read at the moment.
  ///
  /// Its known contents stay valid, and it is listed again later.
  func stands(_ path: ExactString, _ errno: CInt, _ watch: PathChanges) -> Bool {
    switch errno {
    case ENOENT, ENOTDIR, ELOOP: return false
    default:
      let absolutePath = Self.path(ExactString(watch.targetPath), path).text
      watch.fail(FileObserverError(errno, "read", absolutePath), at: path)
      return true
    }
  }

  /// Forgets a directory and everything below it.
  ///
  /// - Returns: An event for each entry that was in it.
  mutating func forget(_ path: ExactString, _ kind: FileEvent.Kind, _ watch: PathChanges) -> [FileEvent] {
    var events: [FileEvent] = []
    var rest = [path]
    while let path = rest.popLast() {
      watch.clearFailures(at: path)
      guard let node = nodes.removeValue(forKey: path) else { continue }
      if let token = node.token { watch.releaseInner(token) }
      for (name, entry) in node.entries.sorted(by: { $0.key < $1.key }) {
        let inner = Self.path(path, name)
        events += event(kind, inner)
        if entry.isDirectory { rest.append(inner) }
      }
    }
    return events
  }

  // MARK: Reporting

  /// Returns an event, unless the filter excludes it.
  func event(_ kind: FileEvent.Kind, _ path: ExactString) -> [FileEvent] {
    guard filter.matches(path.text) else { return [] }
    return [FileEvent(kind: kind, url: url.appendingPathComponent(path.text, isDirectory: false))]
  }

  static func path(_ directory: ExactString, _ name: ExactString) -> ExactString {
    directory == root ? name : ExactString("\(directory.text)/\(name.text)")
  }
}
