import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Waits until all that was written to a file system is on the disk: once, and not for each file.
enum FileSystemFlush {
  /// Waits for the file system that a directory is on.
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
    /// The C library has it, but does not show it to Swift.
    private static let call: (@convention(c) (CInt) -> CInt)? = {
      guard let symbol = dlsym(nil, "syncfs") else { return nil }
      // Sound: that is the type of this function.
      return unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
    }()
  #endif
}
