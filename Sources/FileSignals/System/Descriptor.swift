import CLibrary

/// An open file descriptor that is closed when the value is destroyed.
package struct Descriptor: ~Copyable, Sendable {
  package let number: CInt

  /// Takes ownership of a descriptor that a system call returned.
  ///
  /// Fails if the call failed.
  package init?(_ number: CInt) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  /// Opens a directory, and follows no symbolic link in its place.
  ///
  /// If it fails, `errno` has the reason.
  package init?(directory path: String, in base: CInt = AT_FDCWD) {
    self.init(uninterrupted { openat(base, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
  }

  deinit {
    _ = CLibrary.close(number)
  }

  /// Closes the descriptor and returns the result of the system call.
  ///
  /// The descriptor is closed in any case.
  package consuming func close() -> CInt {
    let number = number
    discard self
    return CLibrary.close(number)
  }

  /// Gives up ownership of the descriptor, which the caller must close.
  package consuming func release() -> CInt {
    let number = number
    discard self
    return number
  }

  /// The status of the open file, or `nil` with `errno` set.
  package var status: FileStatus? { FileStatus(descriptor: number) }
}

/// Repeats a system call as long as signals interrupt it.
@inline(__always)
package func uninterrupted<Result: FixedWidthInteger & SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
