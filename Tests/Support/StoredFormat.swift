import CLibrary
public import Foundation

/// Checked-in files that a version of the package wrote, which every later version must open.
///
/// The files are in `Tests/Fixtures/Formats`; its README describes how to make them. A part is a folder of files and a
/// list of its entries. The list keeps what git does not: modes, empty directories, and symbolic links of any target.
public struct StoredFormat: Sendable, CustomStringConvertible {
  /// The generation of formats, counted from 1.
  public let generation: Int

  /// The name of the folder, such as `group`.
  public let part: String

  /// The generation and the part, for test output.
  public var description: String { "\(part) of generation \(generation)" }

  /// All checked-in generations of a part, the oldest first.
  public static func all(_ part: String) -> [StoredFormat] {
    // Without the folder, the list is empty, which a test of each suite reports.
    let names = try? FileManager.default.contentsOfDirectory(atPath: root.path)
    return (names ?? []).compactMap(Int.init).sorted().map { StoredFormat(generation: $0, part: part) }
      .filter { FileManager.default.fileExists(atPath: $0.list.path) }
  }

  /// The generation that the tests are to write, from `SIGNALS_WRITE_FORMATS`; `nil` if they only read.
  public static let writtenGeneration = ProcessInfo.processInfo.environment["SIGNALS_WRITE_FORMATS"].flatMap(Int.init)

  // MARK: Reading

  /// Creates a copy of the files, with their modes, that a test may change.
  public func copy() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3 else { throw Failure(description: "\(list.path) has the line \(line)") }
      let url = directory.url.appending(path: words[2])
      switch words[0] {
      case "directory": try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      case "file": try Data(contentsOf: folder.appending(path: words[2])).write(to: url)
      default: try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: words[1])
      }
      guard let mode = mode_t(words[1], radix: 8), words[0] != "link" else { continue }
      guard chmod(url.path, mode) == 0 else { throw Failure(description: "the mode of \(url.path) cannot be set") }
    }
    return directory
  }

  // MARK: Writing

  /// Stores a copy of a directory, in its current state, as a part of the written generation.
  ///
  /// The files may be open; the copy then has the state that a killed process leaves. Indexes of write-ahead logs are
  /// omitted, because SQLite recreates them when the first process opens a database.
  public static func store(_ directory: URL, as part: String) throws {
    guard let generation = writtenGeneration else { throw Failure(description: "no generation is to be written") }
    let format = StoredFormat(generation: generation, part: part)
    if FileManager.default.fileExists(atPath: format.folder.path) {
      try FileManager.default.removeItem(at: format.folder)
    }
    var lines: [String] = []
    try FileManager.default.createDirectory(at: format.folder, withIntermediateDirectories: true)
    try format.store(directory, "", &lines)
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: format.list)
  }

  private func store(_ directory: URL, _ path: String, _ lines: inout [String]) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() {
      let (entry, place) = (directory.appending(path: name), path + name)
      var status = stat()
      guard lstat(entry.path, &status) == 0 else { throw Failure(description: "there is no \(entry.path)") }
      let mode = String(status.st_mode & 0o7777, radix: 8)
      let copy = folder.appending(path: place)
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        lines.append("directory \(mode) \(place)")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        try store(entry, place + "/", &lines)
      case S_IFLNK:
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: entry.path)
        lines.append("link \(target) \(place)")
      case S_IFREG where !name.hasSuffix("-shm"):
        lines.append("file \(mode) \(place)")
        try Data(contentsOf: entry).write(to: copy)
      default: break
      }
    }
  }

  // MARK: Places

  private static var root: URL {
    // From Tests/Support.
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/Formats")
  }

  private var folder: URL { Self.root.appending(path: "\(generation)/\(part)", directoryHint: .isDirectory) }
  private var list: URL { Self.root.appending(path: "\(generation)/\(part).txt", directoryHint: .notDirectory) }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
