import Foundation

/// The files of the page, read once.
struct PageFiles: Sendable {
  /// A file and its type.
  struct File: Sendable {
    let type: String
    let content: Data
  }

  private let files: [String: File]

  subscript(name: String) -> File? { files[name] }

  /// Reads the files of a folder.
  init(_ folder: URL? = Bundle.module.url(forResource: "Page", withExtension: nil)) throws {
    guard let folder else { throw CocoaError(.fileNoSuchFile) }
    var files: [String: File] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      guard let type = Self.type(of: name) else { continue }
      files[name] = File(type: type, content: try Data(contentsOf: folder.appending(path: name)))
    }
    self.files = files
  }

  private static func type(of name: String) -> String? {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml; charset=utf-8"
    default: nil
    }
  }
}
