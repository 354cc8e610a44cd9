import CLibrary
import FileSignals
import Foundation

/// Waits until all writes to a file system are on the disk: once for all files, instead of once for each.
enum FileSystemFlush {
  /// Waits for the file system of a directory.
  static func wait(for folder: Folder) throws(AppContainerError) {
    #if canImport(Darwin)
      sync()
      guard fcntl(folder.number, F_FULLFSYNC) == 0 || errno == ENOTSUP || errno == EINVAL else {
        throw folder.failure("synchronize", .top)
      }
    #else
      guard let call else { return sync() }
      guard call(folder.number) == 0 else { throw folder.failure("synchronize", .top) }
    #endif
  }

  #if !canImport(Darwin)
    /// The function in the C library, whose headers do not expose it to Swift.
    private static let call = systemFunction("syncfs", as: (@convention(c) (CInt) -> CInt).self)
  #endif
}
