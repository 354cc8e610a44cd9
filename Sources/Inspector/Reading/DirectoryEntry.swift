import CLibrary
import FileSignals

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
