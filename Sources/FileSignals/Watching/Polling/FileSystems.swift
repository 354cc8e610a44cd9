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
