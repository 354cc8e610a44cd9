import CLibrary
import Foundation

/// The actual location of a file: its directory and its name there, after symbolic links have been resolved.
struct FileLocation: Hashable, Sendable {
  /// The folder next to the files that contains their locks and temporary files, which observers ignore.
  static let sharedFolder = ".shared"

  /// The requested URL, which errors report.
  let url: URL

  /// A path of the directory, which may contain symbolic links.
  let directory: String

  /// The file's name in the directory; the file need not exist.
  let name: String

  /// The requested path.
  private let path: String

  /// A Boolean value that indicates whether that path is a symbolic link to the file.
  private let isLinked: Bool

  let lockName: String
  let temporaryName: String

  /// The path of the sidecar, relative to the directory.
  let lockPath: String

  /// The folder next to the file.
  var folderURL: URL { URL(fileURLWithPath: "\(directory)/\(Self.sharedFolder)", isDirectory: true) }

  /// The sidecar.
  var lockURL: URL { URL(fileURLWithPath: "\(directory)/\(lockPath)", isDirectory: false) }

  /// Resolves the location of a file to be written.
  ///
  /// A symbolic link is followed, so that its target is replaced and not the link itself. The target must not lead out
  /// of the confinement. The directory is checked later, when it is opened.
  init(resolving url: URL, within confinement: FileConfinement? = nil) throws(DurableFileError) {
    let path = try Self.validPath(of: url)
    try self.init(resolving: url, asked: path, path: path, within: confinement)
  }

  private init(
    resolving url: URL, asked: String, path: String, within confinement: FileConfinement?
  ) throws(DurableFileError) {
    let isLinkTarget = path != asked
    let (parent, name) = Self.split(path)
    if let status = try FileStatus(path: path, followsLinks: false, of: url) {
      switch status.kind {
      case .regular: break
      case .link where !isLinkTarget:
        guard let target = try canonicalPath(path, of: url) else {
          throw errno == ENOENT ? .danglingLink(url) : DurableFileError(errno, "follow the link", url)
        }
        try confinement?.check(target, of: url)
        try self.init(resolving: url, asked: asked, path: target, within: confinement)
        return
      default: throw .notARegularFile(url, kind: status.kind.rawValue)
      }
    }
    self.init(url: url, directory: parent, name: name, path: asked, isLinked: isLinkTarget)
  }

  /// Splits the path of a file into its parts, without accessing the file system.
  init(named url: URL) throws(DurableFileError) {
    let path = try Self.validPath(of: url)
    let (parent, name) = Self.split(path)
    self.init(url: url, directory: parent, name: name, path: path, isLinked: false)
  }

  private init(url: URL, directory: String, name: String, path: String, isLinked: Bool) {
    self.url = url
    self.directory = directory
    self.name = name
    self.path = path
    self.isLinked = isLinked
    lockName = name + ".lock"
    temporaryName = name + ".tmp"
    lockPath = "\(Self.sharedFolder)/\(lockName)"
  }

  /// A Boolean value that indicates whether the requested path still leads to the same name, even if the
  /// directory has been replaced.
  var stillLeadsToName: Bool {
    get throws(DurableFileError) {
      let status = try FileStatus(path: path, followsLinks: false, of: url)
      if isLinked || status?.kind == .link {
        guard status?.kind == .link, let target = try canonicalPath(path, of: url) else { return false }
        guard Self.split(target) == (directory, name) else { return false }
      } else if let status, status.kind != .regular {
        return false
      }
      return true
    }
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
