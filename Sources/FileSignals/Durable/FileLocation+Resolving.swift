import CLibrary
import Foundation

extension FileLocation {
  /// The requested path, the directory of the file and its name there, and whether that path is a link to the file.
  typealias Resolved = (asked: String, directory: String, name: String, isLinked: Bool)

  /// Resolves the location of a file to be written.
  ///
  /// A symbolic link is followed, so that its target is replaced and not the link itself. The target must not lead out
  /// of the confinement. The directory is checked later, when it is opened.
  static func resolve(_ url: URL, within confinement: FileConfinement? = nil) throws(DurableFileError) -> Resolved {
    let asked = try validPath(of: url)
    var path = asked
    while true {
      let isLinked = path != asked
      if let status = try FileStatus(path: path, followsLinks: false, of: url) {
        switch status.kind {
        case .regular: break
        case .link where !isLinked:
          guard let target = try canonicalPath(path, of: url) else {
            throw errno == ENOENT ? .danglingLink(url) : DurableFileError(errno, "follow the link", url)
          }
          try confinement?.check(target, of: url)
          path = target
          continue
        default: throw .notARegularFile(url, kind: status.kind.rawValue)
        }
      }
      let (directory, name) = split(path)
      return (asked, directory, name, isLinked)
    }
  }

  /// Returns whether the requested path, a link, still leads to the same name, even if the directory has been replaced.
  static func leads(_ resolved: Resolved, _ url: URL) throws(DurableFileError) -> Bool {
    let status = try FileStatus(path: resolved.asked, followsLinks: false, of: url)
    guard status?.kind == .link, let target = try canonicalPath(resolved.asked, of: url) else { return false }
    return split(target) == (resolved.directory, resolved.name)
  }

  /// Returns the path of a URL, if it is valid for a file.
  static func validPath(of url: URL) throws(DurableFileError) -> String {
    guard url.isFileURL else { throw .invalidPath(url, reason: "it is not a file URL") }
    let path = url.path
    // Only this form reveals it. `path` leaves it encoded, and so names a different file.
    guard !url.path(percentEncoded: false).utf8.contains(0) else {
      throw .invalidPath(url, reason: "it contains a NUL character")
    }
    let name = split(path).name
    guard !name.isEmpty, name != ".", name != "..", name != sharedFolder else {
      throw .invalidPath(url, reason: "it does not end in a file name")
    }
    // The sidecar's name, five characters longer, must fit as well.
    guard name.utf8.count + 5 <= longestName else {
      throw .invalidPath(url, reason: "its name's \(name.utf8.count) bytes exceed the limit of \(longestName - 5)")
    }
    return path
  }

  /// Splits a path into its directory and its last name.
  static func split(_ path: String) -> (parent: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[path.utf8.index(after: slash)...])
    return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
  }
}
