import CLibrary
import Foundation

/// Generates and lists directory trees.
enum Tree {
  /// Fills a directory with files, directories and links that depend on the seed.
  static func fill(_ url: URL, seed: Int) throws {
    try write("user \(seed)", to: url.appending(path: "Documents/user.db"))
    try write("deep \(seed)", to: url.appending(path: "Documents/a/b/c/d/deep.txt"))
    try write("cache \(seed)", to: url.appending(path: "Library/Caches/image-\(seed)"))
    try write("preference \(seed)", to: url.appending(path: "Library/Preferences/app.plist"))
    try FileManager.default.createDirectory(
      at: url.appending(path: "Empty-\(seed)/inner"), withIntermediateDirectories: true)
    try write("top \(seed)", to: url.appending(path: "top.txt"))
    try write("only \(seed)", to: url.appending(path: "only-\(seed).txt"))
    try FileManager.default.createSymbolicLink(
      atPath: url.appending(path: "link").path, withDestinationPath: "Documents/user.db")
    try FileManager.default.createSymbolicLink(
      atPath: url.appending(path: "nowhere").path, withDestinationPath: "missing-\(seed)")
    chmod(url.appending(path: "top.txt").path, seed.isMultiple(of: 2) ? 0o600 : 0o640)
  }

  static func write(_ text: String, to url: URL) throws {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  static func text(_ url: URL) -> String? {
    guard let data = FileManager.default.contents(atPath: url.path) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// Returns `true` if an entry exists, even a dangling link.
  static func exists(_ url: URL) -> Bool {
    var status = stat()
    return lstat(url.path, &status) == 0
  }

  /// Lists a directory by path: kind, mode and content, without the package's own files.
  static func listing(_ url: URL) throws -> [String: String] {
    var listing: [String: String] = [:]
    try list(url, "", &listing)
    return listing
  }

  private static func list(_ url: URL, _ path: String, _ listing: inout [String: String]) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      if path.isEmpty, [".containers", ".shared"].contains(name) { continue }
      let entry = url.appending(path: name)
      var status = stat()
      lstat(entry.path, &status)
      let mode = String(status.st_mode & 0o7777, radix: 8)
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        listing[path + name] = "directory \(mode)"
        try list(entry, path + name + "/", &listing)
      case S_IFLNK:
        listing[path + name] = try "link " + FileManager.default.destinationOfSymbolicLink(atPath: entry.path)
      default:
        listing[path + name] = "file \(mode) \(text(entry) ?? "unreadable")"
      }
    }
  }
}
