/// Knows which file systems do not tell of all changes.
package enum FileSystems {
  private static let shared: Set<String> = [
    "nfs", "nfs4", "cifs", "smb2", "smb3", "smbfs", "afpfs", "webdav", "davfs", "ncpfs", "9p", "virtiofs",
    "AppleVirtIOFS", "fuse", "osxfuse", "macfuse", "grpcfuse", "fakeowner", "vboxsf", "vmhgfs", "prl_fs", "drvfs",
    "hostfs", "ceph", "lustre", "gpfs", "afs", "coda", "pvfs2", "orangefs", "beegfs", "ocfs2", "gfs2",
  ]

  /// Whether a file system of a type can be changed without this system's knowledge.
  ///
  /// `fuseblk` is a disk of this machine; all else in user space may be anything.
  package static func isChangedFromElsewhere(_ type: String) -> Bool {
    shared.contains(type) || type.hasPrefix("fuse.")
  }
}
