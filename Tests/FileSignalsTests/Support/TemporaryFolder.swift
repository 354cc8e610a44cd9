import Foundation

/// A folder of a test's own, removed when the test lets go of it.
final class TemporaryFolder: Sendable {
  let url: URL

  init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    let path = parent.appending(path: "file-signals-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // Canonical, so that what observers report can be compared with it.
    url = URL(fileURLWithPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path, isDirectory: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch CocoaError.fileNoSuchFile {
      // The test removed or moved it itself.
    } catch {
      print("Could not remove \(url.path): \(error)")
    }
  }

  /// The URL of an entry, whether there is one or not.
  func entry(_ name: String) -> URL {
    URL(fileURLWithPath: "\(url.path)/\(name)", isDirectory: false)
  }

  /// Makes a folder in the folder.
  func makeFolder(_ name: String) throws -> URL {
    let url = entry(name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  /// The names of everything in the folder, `.shared` included, sorted.
  func names(in subfolder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: entry(subfolder).path).sorted()
  }
}

/// The permissions of a file.
func permissions(of url: URL) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
  return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
}

/// The content of a file as text.
func text(_ url: URL) throws -> String {
  String(decoding: try Data(contentsOf: url), as: UTF8.self)
}
