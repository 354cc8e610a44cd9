import Foundation

/// The contents of all files below a directory.
enum DirectoryBytes {
  /// The paths of the files that contain a text.
  static func files(below directory: URL, containing text: String) throws -> [String] {
    try paths(below: directory).filter { path in
      try Data(contentsOf: directory.appending(path: path)).range(of: Data(text.utf8)) != nil
    }
  }

  /// The paths of all files below a directory, hidden ones included.
  static func paths(below directory: URL) throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
    return names.filter { name in
      var isDirectory: ObjCBool = false
      let exists = FileManager.default.fileExists(
        atPath: directory.appending(path: name).path, isDirectory: &isDirectory)
      return exists && !isDirectory.boolValue
    }
  }
}
