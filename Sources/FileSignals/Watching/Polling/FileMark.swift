#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a look at a file leaves behind, for the next look to compare with.
///
/// A stamp that is new is not trusted: a second change within one tick of the file system's clock would leave the same.
/// So until it has been seen for a while, the content is compared as well. How long it has been seen is measured here,
/// not taken from its times, because those come from another machine's clock.
package struct FileMark: Sendable {
  /// What is different from the look before.
  package enum Difference: Sendable {
    case none
    case attributes
    case content
  }

  /// No file system's clock ticks more slowly.
  private static let tick = Duration.seconds(2)

  /// The content of larger files is not read; for them the stamp must do.
  private static let contentLimit = 4 << 20

  package private(set) var stamp: FileStamp
  private var firstSeen: ContinuousClock.Instant?
  private var digest: Int?

  /// Marks what there is now.
  package init(_ stamp: FileStamp, path: String, in directory: CInt = AT_FDCWD) {
    self.stamp = stamp
    begin(path, directory)
  }

  /// Marks what there is now and has not changed for a while, which spares reading it.
  init(trusting stamp: FileStamp) {
    self.stamp = stamp
  }

  /// Compares with what there is now, and remembers that.
  package mutating func update(_ now: FileStamp, path: String, in directory: CInt = AT_FDCWD) -> Difference {
    let old = stamp
    stamp = now
    guard now == old else {
      let oldDigest = digest
      begin(path, directory)
      guard now.hasContent(of: old) else { return .content }
      guard let oldDigest, oldDigest != digest else { return .attributes }
      return .content
    }
    guard let firstSeen else { return .none }
    let isOld = ContinuousClock.now - firstSeen >= Self.tick
    let oldDigest = digest
    digest = Self.digest(of: path, in: directory, size: now.size)
    // Read after it had grown old, so that whatever comes now has another stamp.
    if isOld { self.firstSeen = nil }
    return digest == oldDigest ? .none : .content
  }

  private mutating func begin(_ path: String, _ directory: CInt) {
    digest = Self.digest(of: path, in: directory, size: stamp.size)
    firstSeen = .now
  }

  /// A number that depends on all of the content; `nil` if it cannot be read, or is too much.
  private static func digest(of path: String, in directory: CInt, size: Int) -> Int? {
    guard size <= contentLimit else { return nil }
    let number = uninterrupted { openat(directory, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    guard let file = Descriptor(number), file.status?.kind == .regular else { return nil }
    var hasher = Hasher()
    let isRead = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
      while true {
        let count = readSome(buffer, from: file.number)
        guard count > 0 else { return count == 0 }
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
    return isRead ? hasher.finalize() : nil
  }
}
