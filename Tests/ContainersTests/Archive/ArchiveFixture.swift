import FileSignals
import Foundation
import TestSupport
import Testing

@testable import Containers

/// A tree with every kind of entry, a location for its archive, and one to unpack it.
struct ArchiveFixture {
  let directory: TemporaryDirectory
  let manifest = EnvironmentArchive.Manifest(
    name: "Work/..\n", description: "Ünïcode", createdAt: Date(timeIntervalSinceReferenceDate: 700_000_000.123_456),
    uuid: "1C9F3D9E-3E0B-4B0A-9F5C-6D6A3C1D9E11")

  init() throws {
    directory = try TemporaryDirectory()
    for folder in ["tree/data/Documents/deep/deeper", "tree/data/Empty", "tree/settings", "outside"] {
      try FileManager.default.createDirectory(
        at: directory.url.appending(path: folder), withIntermediateDirectories: true)
    }
    // More than fits into one record.
    try write("tree/data/Documents/user.db", Data(repeating: 0x5A, count: 300_000) + Data((0...255).map { UInt8($0) }))
    try write("tree/data/Documents/deep/deeper/empty", Data())
    try write("tree/data/.hidden", Data("h".utf8))
    try write("tree/settings/defaults.plist", Data("settings".utf8))
    try write("outside/precious", Data("precious".utf8))
    try link("tree/data/Documents/link", to: "deep/deeper")
    try link("tree/data/Documents/deep/up", to: "../user.db")
    try link("tree/data/dangling", to: "nowhere")
    #expect(chmod(path("tree/data/Documents/user.db"), 0o640) == 0)
    // A name that is not text.
    let name = Array(path("tree/data/").utf8).map(CChar.init(bitPattern:)) + [CChar(bitPattern: 0xFF), 0]
    let file = creat(name, 0o600)
    #expect(file >= 0)
    close(file)
    for (place, time) in [("tree/data/Documents/user.db", 1_000_000_000), ("tree/data/Empty", 1_100_000_000)] {
      var times = [timespec(tv_sec: time, tv_nsec: 123_456_789), timespec(tv_sec: time, tv_nsec: 123_456_789)]
      #expect(utimensat(AT_FDCWD, path(place), &times, 0) == 0)
    }
    #expect(chmod(path("tree/data/Empty"), 0o500) == 0)
  }

  var archive: URL { directory.file("work.container") }
  var unpacked: URL { directory.url.appending(path: "unpacked", directoryHint: .isDirectory) }
  func trees() throws -> [EnvironmentArchive.Tree] {
    try ["data", "settings"].map { name in
      let folder = try Folder(directory.url.appending(path: "tree/\(name)"))
      return try .init(name: name, folder: folder, entries: folder.names())
    }
  }

  @discardableResult
  func write(
    to url: URL? = nil, progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws -> ArchiveProgress {
    try EnvironmentArchive.write(trees(), manifest: manifest, to: url ?? archive, progress: progress)
  }

  func path(_ place: String) -> String { directory.url.appending(path: place).path }

  func write(_ place: String, _ data: Data) throws { try data.write(to: directory.url.appending(path: place)) }

  func link(_ place: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(place), withDestinationPath: target)
  }

  @discardableResult
  func read(
    _ url: URL? = nil, allowsOutwardLinks: Bool = false, durability: Durability = .process,
    progress: @escaping (ArchiveProgress) -> Bool = { _ in true }
  ) throws(AppContainerError) -> EnvironmentArchive.Manifest {
    try EnvironmentArchive.read(
      url ?? archive, into: unpacked, trees: ["data", "settings"], hidden: EntryPath("Library/.containers"),
      allowsOutwardLinks: allowsOutwardLinks, durability: durability, progress: progress)
  }

  /// Writes an archive with arbitrary entries and correct checksums.
  func craft(
    _ entries: [(ArchiveFormat.Kind, String, content: String)], permissions: [String: UInt16] = [:],
    end: ArchiveProgress? = nil
  ) throws {
    let file = try ExclusiveFile(locking: archive)
    defer { file.unlock() }
    var writer = try ArchiveWriter(to: file)
    try writer.append(.manifest, EnvironmentArchive.encode(manifest, for: archive))
    let status = try #require(try Folder(directory.url).status(of: .top))
    var done = ArchiveProgress()
    for (kind, path, content) in entries {
      var entry = ArchiveEntry(kind, EntryPath(path), status)
      entry.permissions = permissions[path] ?? entry.permissions
      if kind == .link { entry.target = Array(content.utf8) }
      if kind == .file { entry.size = UInt64(content.utf8.count) }
      try writer.append(kind, entry.payload)
      if kind == .file, !content.isEmpty { try writer.append(.bytes, Array(content.utf8)) }
      done.entries += 1
      if kind == .file { done.bytes += content.utf8.count }
    }
    try writer.finish(end ?? done)
  }

  /// Lists all entries below a directory, one per line, with every archived attribute.
  func listing(of place: URL) throws -> [String] {
    var lines: [String] = []
    try list(Folder(place), .top, &lines)
    return lines.sorted()
  }

  private func list(_ folder: Folder, _ path: EntryPath, _ lines: inout [String]) throws {
    for name in try folder.names() {
      let status = try #require(try folder.status(of: name))
      let place = path.appending(name)
      var line = "\(place.bytes) \(status.kind) \(String(status.permissions, radix: 8)) "
      line += "\(status.modified.tv_sec).\(status.modified.tv_nsec)"
      switch status.kind {
      case .directory: try list(Folder(name, in: folder), place, &lines)
      case .regular:
        let content = openat(folder.number, name.cString, O_RDONLY | O_CLOEXEC)
        defer { close(content) }
        line += " \(try FileHandle(fileDescriptor: content).readToEnd()?.hashValue ?? 0)"
      case .pipe, .socket, .device: break
      case .link:
        var target = [CChar](repeating: 0, count: 4096)
        #expect(readlinkat(folder.number, name.cString, &target, 4095) >= 0)
        line += " \(target.prefix { $0 != 0 })"
      }
      lines.append(line)
    }
  }
}

/// Records an unexpected error.
func unexpected(_ error: AppContainerError?, sourceLocation: SourceLocation = #_sourceLocation) {
  Issue.record("The error is unexpected: \(error?.description ?? "none")", sourceLocation: sourceLocation)
}
