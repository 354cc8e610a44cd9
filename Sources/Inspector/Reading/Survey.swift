import CLibrary
import FileSignals
import Foundation

/// A listing of everything in the directory of a group that has a known format, and of the files that are locked.
///
/// It opens directories, but no file.
struct Survey {
  /// The kinds of places, each with a reader of its own.
  enum Kind: Hashable {
    case file, log, presence, database, container, session
  }

  /// A place that can be read.
  struct Place {
    let kind: Kind

    /// The path, relative to the inspected directory.
    let path: String

    /// The marks by which a change is noticed.
    var stamps: [FileStamp?] = []
  }

  /// The directories of environments have their records in a hidden directory.
  static let hidden = ".containers"

  private(set) var places: [Place] = []

  /// The positions of the places, by path.
  private(set) var positions: [String: Int] = [:]

  /// The paths of locked files, by inode.
  private(set) var locked: [UInt64: String] = [:]

  private let root: String
  private let inodes: Set<UInt64>
  private static let maximumDepth = 8

  /// Creates a listing without places.
  init() {
    (root, inodes) = ("", [])
  }

  /// Lists a directory.
  ///
  /// - Parameters:
  ///   - root: The path of the directory.
  ///   - inodes: The inodes of the files whose paths are wanted.
  init(of root: String, findingPathsOf inodes: Set<UInt64>) {
    self.root = root
    self.inodes = inodes
    visit("", 0)
  }

  private func absolute(_ path: String) -> String { path.isEmpty ? root : "\(root)/\(path)" }

  private mutating func list(_ path: String) -> [DirectoryEntry] {
    let entries = DirectoryEntry.list(absolute(path))
    for entry in entries where inodes.contains(entry.inode) { locked[entry.inode] = join(path, entry.name) }
    return entries
  }

  private func join(_ directory: String, _ name: String) -> String { directory.isEmpty ? name : "\(directory)/\(name)" }

  private mutating func visit(_ directory: String, _ depth: Int) {
    guard depth < Self.maximumDepth else { return }
    let entries = list(directory)
    let names = Set(entries.map(\.name))
    let isSession = !names.isDisjoint(with: ["session.sqlite", "renewal.json", "secrets"])
    for entry in entries {
      let path = join(directory, entry.name)
      switch (entry.name, entry.kind(in: absolute(directory))) {
      case (Self.hidden, .directory): visitRecords(path)
      case (".shared", .directory): _ = list(path)
      case (_, _) where entry.isHidden: continue
      case ("Files", .directory): visitFiles(path)
      case ("Logs", .directory): visitLogs(path)
      case ("Presence", .directory): visitPresences(path)
      case ("secrets", .directory): continue
      case (let name, .directory) where name.hasSuffix("-share"): _ = list(path)
      case (_, .directory): visit(path, depth + 1)
      case (let name, .regular): visitFile(path, name, names, isSession: isSession)
      default: continue
      }
    }
  }

  private mutating func visitFile(_ path: String, _ name: String, _ names: Set<String>, isSession: Bool) {
    if name == "session.sqlite" {
      add(.session, path)
    } else if Self.isDatabase(name, among: names) {
      add(.database, path)
    } else if isSession, name.hasSuffix(".json"), name != "renewal.json" {
      add(.session, path)
    } else if name.hasSuffix(".tweaks.json") {
      add(.file, path)
    }
  }

  /// Databases are recognized by their names, because opening one could release the locks of this process.
  private static func isDatabase(_ name: String, among names: Set<String>) -> Bool {
    ["sqlite", "sqlite3", "db"].contains { name.hasSuffix(".\($0)") }
      || names.contains(name + "-wal") || names.contains(name + "-share")
  }

  private mutating func add(_ kind: Kind, _ path: String) {
    positions[path] = places.count
    places.append(Place(kind: kind, path: path, stamps: stamps(of: kind, path)))
  }

  private mutating func visitRecords(_ path: String) {
    _ = list(path)
    _ = list("\(path)/.shared")
    add(.container, path)
  }

  private mutating func visitFiles(_ path: String) {
    _ = list("\(path)/.shared")
    for entry in list(path) where !entry.isHidden {
      if entry.kind(in: absolute(path)) != .directory { add(.file, "\(path)/\(entry.name)") }
    }
  }

  private mutating func visitLogs(_ path: String) {
    for log in list(path) where !log.isHidden && log.kind(in: absolute(path)) == .directory {
      let directory = "\(path)/\(log.name)"
      for folder in ["", "/.consumers", "/.shared", "/.consumers/.shared"] { _ = list(directory + folder) }
      add(.log, directory)
    }
  }

  private mutating func visitPresences(_ path: String) {
    for presence in list(path) where !presence.isHidden && presence.kind(in: absolute(path)) == .directory {
      _ = list("\(path)/\(presence.name)")
      add(.presence, "\(path)/\(presence.name)")
    }
  }

  // MARK: Marks

  private func stamps(of kind: Kind, _ path: String) -> [FileStamp?] {
    files(of: kind, path).map { FileStamp.ifReadable(path: absolute($0)) }
  }

  /// Returns the files whose changes are changes of a place.
  private func files(of kind: Kind, _ path: String) -> [String] {
    func entries(_ directory: String) -> [String] {
      DirectoryEntry.list(absolute(directory)).map { "\(directory)/\($0.name)" }
    }
    return switch kind {
    case .file: [path]
    case .session: path.hasSuffix(".sqlite") ? [path, path + "-wal"] : [path]
    case .database: [path, path + "-wal", path + "-share/bell"]
    case .container: entries(path).filter { $0.hasSuffix(".json") }
    case .log: entries(path) + entries(path + "/.consumers")
    case .presence: entries(path)
    }
  }

  /// Returns the known places to which changed paths belong, with their present marks.
  ///
  /// - Parameter paths: The paths.
  /// - Returns: The places, or `nil` if a path belongs to no known place or if a place is gone, so that the directory
  ///   must be listed again.
  mutating func places(touchedBy paths: Set<String>) -> [Place]? {
    var found: Set<Int> = []
    for path in paths where !Self.isTemporary(path) {
      guard let position = position(of: path) else { return nil }
      found.insert(position)
    }
    for position in found {
      let place = places[position]
      let stamps = stamps(of: place.kind, place.path)
      guard let first = stamps.first, first != nil || place.kind == .log || place.kind == .presence else { return nil }
      places[position].stamps = stamps
    }
    return found.sorted().map { places[$0] }
  }

  /// Returns the position of the place to which a path belongs.
  private func position(of path: String) -> Int? {
    if let known = positions[path] { return known }
    for suffix in ["-wal", "-shm", "-journal"] where path.hasSuffix(suffix) {
      return positions[String(path.dropLast(suffix.count))]
    }
    var directory = path[...]
    while let slash = directory.lastIndex(of: "/") {
      directory = directory[..<slash]
      let place = directory.hasSuffix("-share") ? directory.dropLast(6) : directory
      if let position = positions[String(place)] { return position }
    }
    return nil
  }

  /// Returns a Boolean value that indicates whether a path leads to a hidden file beside shared values, such as the
  /// one that replaces a value.
  private static func isTemporary(_ path: String) -> Bool {
    let parts = path.parts(separatedBy: "/", omittingEmpty: true).suffix(2)
    return parts.count == 2 && parts.first == "Files" && parts.last?.begins(with: ".") == true
  }
}

/// An entry of a directory, as a listing shows it without opening the file.
struct DirectoryEntry {
  let name: String
  let inode: UInt64
  private let type: UInt8

  var isHidden: Bool { name.hasPrefix(".") }

  /// Returns the entries of a directory in the order of their names, except "." and ".."; empty if it is missing.
  static func list(_ path: String) -> [DirectoryEntry] {
    var entries: [DirectoryEntry] = []
    let number = uninterrupted { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) }
    _ = DirectoryListing.forEachEntry(of: number) { entry in
      let name = DirectoryListing.name(of: entry)
      if name == "." || name == ".." { return }
      entries.append(
        DirectoryEntry(name: name, inode: UInt64(entry.pointee.d_ino), type: UInt8(entry.pointee.d_type)))
    }
    return entries.sorted { $0.name < $1.name }
  }

  /// Returns the kind of the entry; links are not followed.
  func kind(in directory: String) -> FileStatus.Kind? {
    // Some file systems do not list the kind.
    switch CInt(type) {
    case CInt(DT_REG): .regular
    case CInt(DT_DIR): .directory
    case CInt(DT_LNK): .link
    case CInt(DT_UNKNOWN): FileStatus.ifReadable(path: "\(directory)/\(name)", followsLinks: false)?.kind
    default: .device
    }
  }
}
