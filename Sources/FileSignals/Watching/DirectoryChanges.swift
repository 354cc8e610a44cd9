import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Knows a directory's entries, and makes events of what happens to them.
final class DirectoryChanges: @unchecked Sendable {  // Sound: belongs to the observer's queue once it has started.
  /// The entries with the numbers of their files, or `nil` if the directory is not there.
  typealias Listing = [String: UInt64]

  private let url: URL
  private var known: Listing?
  private var identity: FileIdentity?

  init(url: URL) {
    self.url = url
  }

  /// Learns what there is now.
  func look(at path: String) {
    known = Self.entries(of: path)
    identity = FileStatus(path: path)?.identity
  }

  /// What has become of the entries and of the directory.
  func events(after batch: PathWatch.Batch, of watch: PathWatch) -> [FileEvent] {
    if batch.isRearmed || batch.isOverflow || batch.events.contains(where: { $0.kinds.contains(.changed) }) {
      return compare(after: batch, of: watch)
    }
    var histories: [String: History] = [:]
    var names: [String] = []
    var isTouched = false
    for event in batch.events where event.point.place.isTarget {
      guard let name = event.name else {
        isTouched = isTouched || event.kinds.contains(.attributes)
        continue
      }
      if histories[name] == nil { names.append(name) }
      histories[name, default: History(existed: known?[name] != nil)].add(event.kinds)
    }
    var events = isTouched ? [FileEvent(kind: .attributes, url: url)] : []
    for name in names {
      guard let history = histories[name] else { continue }
      if !history.exists {
        known?[name] = nil
      } else if history.isNew || known?[name] == nil {
        known?[name, default: 0] = 0
      }
      if let kind = history.kind { events.append(event(kind, name)) }
    }
    return events
  }

  /// What is different from what was known, when the system does not say, or not all.
  private func compare(after batch: PathWatch.Batch, of watch: PathWatch) -> [FileEvent] {
    let (old, oldIdentity) = (known, identity)
    look(at: watch.path)
    guard let new = known else {
      let isMoved = batch.events.contains { $0.kinds.contains(.selfMoved) }
      return old == nil ? [] : [FileEvent(kind: isMoved ? .moved : .deleted, url: url)]
    }
    if batch.isOverflow { return [FileEvent(kind: .rescan, url: url)] }
    var events: [FileEvent] = []
    if old == nil {
      events.append(FileEvent(kind: .created, url: url))
    } else if oldIdentity != identity {
      events.append(FileEvent(kind: .replaced, url: url))
    }
    for name in Set(new.keys).union((old ?? [:]).keys).sorted() {
      switch (old?[name], new[name]) {
      case (nil, _?): events.append(event(.created, name))
      case (_?, nil): events.append(event(.deleted, name))
      // A number of 0 is one that nobody looked at.
      case (let before?, let after?) where before != after && before != 0: events.append(event(.replaced, name))
      default: break
      }
    }
    return events.isEmpty ? [FileEvent(kind: .rescan, url: url)] : events
  }

  private func event(_ kind: FileEvent.Kind, _ name: String) -> FileEvent {
    FileEvent(kind: kind, url: url.appendingPathComponent(name, isDirectory: false))
  }

  private static func entries(of path: String) -> Listing? {
    guard let stream = opendir(path) else { return nil }
    defer { closedir(stream) }
    var entries: Listing = [:]
    while let entry = readdir(stream) {
      // Sound: `d_name` ends with a NUL and lives until the next call; a copy of `dirent` could cut it short.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if name == "." || name == ".." || name == FileLocation.sharedFolder { continue }
      entries[name] = UInt64(entry.pointee.d_ino)
    }
    return entries
  }

  /// What happened to one entry in one burst.
  private struct History {
    let existed: Bool
    var exists: Bool
    var isNew = false
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

    var kind: FileEvent.Kind? {
      switch (existed, exists) {
      case (false, false): nil
      case (false, true): .created
      case (true, false): kinds.contains(.movedOut) ? .moved : .deleted
      case (true, true):
        if isNew { .replaced } else if kinds.contains(.written) { .modified } else { .attributes }
      }
    }
  }
}
