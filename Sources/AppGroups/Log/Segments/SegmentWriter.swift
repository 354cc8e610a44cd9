import FileSignals
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A segment that is appended to, by this object alone.
///
/// Its lock, which the system releases when the process dies, tells others that more may come. Use it on one thread at
/// a time.
final class SegmentWriter {
  let url: URL
  /// With what the checksums of its records begin.
  let salt: UInt32
  /// The path that begins with that of the log.
  private let path: String
  /// The path in the directory of the log.
  private let name: String
  private let file: FileLock
  /// How large the system lets the file become.
  private let limit: Int
  private(set) var size = SegmentHeader.size
  /// Whether more can be appended: what failed may have left something that could not be taken back.
  private(set) var isUsable = true
  private let place: LogPlace
  /// Whether the file's name is on the disk.
  private var isNameStored = false

  /// Makes a segment, which appears under its name when it is locked and has its header.
  init(_ header: SegmentHeader, in place: LogPlace, durability: Durability) throws(AppGroupsLogError) {
    self.place = place
    url = place.url(of: header.id)
    salt = header.salt
    path = url.path
    name = place.path(of: header.id)
    limit = fileSizeLimit()
    let (temporary, base) = (place.path(ofIncomplete: header.id.temporaryName), place.base)
    guard let file = FileLock(temporary, in: base, .new, of: url, owner: place.status) else {
      throw .inaccessible(DurableFileError(errno, "create", url))
    }
    let number = file.number
    self.file = file
    do throws(AppGroupsLogError) {
      try lock()
      if let errno = header.bytes.withUnsafeBytes({ Self.write($0, to: number).errno }) {
        throw .inaccessible(DurableFileError(errno, "write", url))
      }
      if durability == .storage { try Self.synchronize(number, url) }
      guard renameat(base, temporary, base, name) == 0 else {
        throw .inaccessible(DurableFileError(errno, "create", url))
      }
    } catch {
      unlinkat(base, temporary, 0)
      throw error
    }
    if durability == .storage { try synchronizeName() }
  }

  /// Whether the log's path still leads to the file: somebody may have removed it, or its directory, or switched
  /// environments.
  var isInPlace: Bool { file.isFile(at: path) }

  /// A Boolean value that indicates whether the file has its name in its directory, wherever that is.
  var isNamed: Bool { file.isFile(at: name, in: place.base) }

  private func lock() throws(AppGroupsLogError) {
    do throws(DurableFileError) {
      // A process that clears up may have taken the file for litter.
      guard try file.tryLock() else { throw DurableFileError(EWOULDBLOCK, "lock", url) }
    } catch {
      throw .inaccessible(error)
    }
  }

  /// Whether so many bytes more are what the system lets the file have.
  func hasRoom(for count: Int) -> Bool {
    count <= limit - size
  }

  /// Appends bytes, which must be whole records.
  ///
  /// - Parameter bytes: The records.
  /// - Returns: How many bytes were written, and the error if that was not all; then ``cut(to:)`` it.
  func append(_ bytes: UnsafeRawBufferPointer) -> (count: Int, error: AppGroupsLogError?) {
    let (written, failure) = Self.write(bytes, to: file.number)
    guard let failure else {
      size += written
      return (written, nil)
    }
    return (written, .inaccessible(DurableFileError(failure, "append to", url)))
  }

  /// Takes back what a failed ``append(_:)`` has written of a record, but not the whole ones before it, which somebody
  /// may have read.
  ///
  /// - Parameter count: How many bytes the whole ones have.
  func cut(to count: Int) {
    size += count
    isUsable = uninterrupted { ftruncate(file.number, off_t(size)) } == 0
  }

  /// Waits until all that was appended is on the disk; if that fails, another segment must be begun.
  func synchronize() throws(AppGroupsLogError) {
    isUsable = false
    try Self.synchronize(file.number, url)
    // It may have been made for events that need not be safe in storage.
    if !isNameStored { try synchronizeName() }
    isUsable = true
  }

  // MARK: The system

  /// - Returns: How many bytes were written, and the error number if that was not all.
  private static func write(_ bytes: UnsafeRawBufferPointer, to number: CInt) -> (count: Int, errno: CInt?) {
    let count = writeAll(bytes, to: number)
    return (count, count == bytes.count ? nil : errno)
  }

  /// Waits until the content is on the disk.
  private static func synchronize(_ number: CInt, _ url: URL) throws(AppGroupsLogError) {
    guard synchronizeContents(number, attributes: false) else {
      throw .inaccessible(DurableFileError(errno, "synchronize", url))
    }
  }

  private func synchronizeName() throws(AppGroupsLogError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    guard let directory = Descriptor(uninterrupted { openat(place.base, place.path, flags) }) else {
      throw .inaccessible(DurableFileError(errno, "open", place.url))
    }
    guard synchronizeNames(directory.number) else {
      throw .inaccessible(DurableFileError(errno, "synchronize", place.url))
    }
    isNameStored = true
  }
}
