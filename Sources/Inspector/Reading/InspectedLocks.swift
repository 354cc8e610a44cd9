import FileSignals
import Foundation

/// The locks of the files of a directory, and the processes that hold them.
///
/// They are read when they are first needed.
struct InspectedLocks {
  /// The inodes of all locked files, on any device.
  var inodes: Set<UInt64> { mutating get { table.inodes } }

  private var loaded: SystemLocks?
  private var table: SystemLocks {
    mutating get {
      if let loaded { return loaded }
      let current = SystemLocks.current()
      loaded = current
      return current
    }
  }

  private var names: [Int32: InspectedHolder] = [:]

  /// Returns the process with an identifier.
  mutating func holder(_ process: Int32) -> InspectedHolder {
    if let known = names[process] { return known }
    let found = LockHolder(process)
    let holder = InspectedHolder(
      pid: process, name: found.processName, process: "\(found.processName)-\(process)", stopped: found.isStopped)
    names[process] = holder
    return holder
  }

  /// Returns the identifier of the ``InspectedProcess`` that made a change, which may have ended.
  ///
  /// The system shows 15 bytes of a name.
  static func process(_ provenance: Provenance) -> String {
    let name = String(decoding: provenance.processName.utf8.prefix(15), as: UTF8.self)
    return "\(name)-\(provenance.processIdentifier)"
  }

  /// Returns the process that holds a lock of a file.
  mutating func holder(of file: FileIdentity?) -> InspectedHolder? {
    guard let file, let entry = table.held(file).first else { return nil }
    return holder(entry.process)
  }

  /// Returns the process that holds a lock of the file at a path.
  mutating func holder(at path: String) -> InspectedHolder? {
    table.inodes.isEmpty ? nil : holder(of: FileStatus.ifReadable(path: path)?.identity)
  }

  /// Returns the process that is writing a database.
  mutating func writer(of path: String) -> LockHolder? { table.inodes.isEmpty ? nil : LockHolder.writer(of: path) }

  /// Returns a resource for each locked file.
  ///
  /// - Parameters:
  ///   - paths: The paths of locked files by inode, relative to a directory.
  ///   - root: The path of the directory.
  /// - Returns: The resources, in the order of their paths.
  mutating func resources(_ paths: [UInt64: String], in root: String) -> [InspectedResource] {
    paths.values.sorted().compactMap { path in
      guard let status = FileStatus.ifReadable(path: "\(root)/\(path)", followsLinks: false) else { return nil }
      let entries = table.entries(of: status.identity)
      let held = entries.filter { !$0.isWaiting }
      guard let first = held.first else { return nil }
      let holders = Set(held.map(\.process)).sorted().map { holder($0) }
      let waiters = Set(entries.filter(\.isWaiting).map(\.process)).sorted().map { holder($0) }
      let details = InspectedLock(
        mode: held.contains(where: \.isExclusive) ? "write" : "read", kind: first.kind,
        purpose: Self.purpose(of: path), holders: holders, waiters: waiters)
      return InspectedResource(id: "lock/\(path)", name: path, path: path, .lock(details))
    }
  }

  /// Returns the reason for which the package locks a file.
  static func purpose(of path: String) -> String {
    let parts = path.parts(separatedBy: "/", omittingEmpty: true)
    let name = parts.last ?? path
    let parent = parts.dropLast().last ?? ""
    if parts.contains("Logs"), let log = parts.firstIndex(of: "Logs").map({ parts[min($0 + 1, parts.count - 1)] }) {
      if name == "trim.lock" { return "trimming the log \(log)" }
      if parent == ".consumers", name.hasSuffix(".lock") { return "consuming \(log) as \(name.dropLast(5))" }
      if name.hasSuffix(".segment") { return "appending to \(log)" }
    }
    if parts.contains("Presence") { return "being present in \(parent)" }
    if name.hasSuffix(".author") { return "sharing \(parent.dropLast(6)) as \(name.dropLast(7))" }
    if name == "archive.lock" { return "changing the session" }
    if name == "refresh.lock" { return "renewing the session" }
    if path.contains(".containers/.shared/") { return "changing the environments" }
    if parent == ".shared", name.hasSuffix(".lock") { return "writing \(name.dropLast(5))" }
    if name.hasSuffix("-shm") { return "having \(name.dropLast(4)) open" }
    if name.hasSuffix("-migration") { return "migrating \(name.dropLast(10))" }
    return "using \(name)"
  }
}
