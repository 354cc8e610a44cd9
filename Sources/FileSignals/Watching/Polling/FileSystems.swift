/// The file systems that do not report all changes.
package enum FileSystems {
  private static let shared: Set<String> = [
    "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav", "davfs", "ncpfs", "9p", "virtiofs",
    "AppleVirtIOFS", "fuse", "osxfuse", "macfuse", "grpcfuse", "fakeowner", "vboxsf", "vmhgfs", "prl_fs", "drvfs",
    "hostfs", "ceph", "lustre", "gpfs", "afs", "coda", "pvfs2", "orangefs", "beegfs", "ocfs2", "gfs2",
  ]

  /// Returns a Boolean value that indicates whether file systems of a type can be changed without notifying this
  /// system.
  ///
  /// `fuseblk` is a local disk. Any other file system in user space may be remote.
  package static func isChangedFromElsewhere(_ type: String) -> Bool {
    shared.contains(type) || type.hasPrefix("fuse.")
  }
}

/// The mounted file systems, as Linux lists them in `/proc/self/mountinfo`.
package struct MountTable: Sendable {
  private struct Mount: Sendable {
    let point: String
    let type: String
  }

  private let mounts: [Mount]

  /// Parses a table, skipping lines that are not understood.
  package init(parsing text: String) {
    mounts = text.parts(separatedBy: "\n", omittingEmpty: true).compactMap { line in
      // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
      let fields = line.parts(separatedBy: " ")
      guard fields.count > 6, let dash = fields.dropFirst(6).firstIndex(of: "-"), dash + 1 < fields.count else {
        return nil
      }
      return Mount(point: Self.unescaped(fields[4][...]), type: fields[dash + 1])
    }
  }

  /// Returns the type of the file system that contains a path, which must be free of symbolic links.
  package func type(of path: String) -> String? {
    var best: Mount?
    for mount in mounts where Self.holds(mount.point, path) {
      // Of several mounts at the same place, the last one hides the others.
      if mount.point.utf8.count >= best?.point.utf8.count ?? 0 { best = mount }
    }
    return best?.type
  }

  private static func holds(_ point: String, _ path: String) -> Bool {
    path.utf8.elementsEqual(point.utf8) || path.isPath(below: point)
  }

  /// Returns a field without its escapes: white space and backslashes are written as three octal digits.
  private static func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(field.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) {
        bytes.append(digits.reduce(0) { $0 &* 8 &+ ($1 - 0x30) })
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
