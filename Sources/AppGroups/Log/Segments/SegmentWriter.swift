import CLibrary
import FileSignals
import Foundation

/// A segment to which only this object appends.
///
/// While the object holds the segment's lock, other processes expect more records. The system releases the lock when
/// the process dies. Use the object on one thread at a time.
final class SegmentWriter {
  let url: URL
  /// The initial value for the checksums of its records.
  let salt: UInt32
  /// The path through the log's path.
  private let path: String
  /// The path relative to the log's directory.
  private let name: String
  private let file: FileLock
  private(set) var size = SegmentHeader.size
  /// A Boolean value that indicates whether more can be appended.
  ///
  /// After a failed write, it is `false` if the incomplete record could not be removed.
  private(set) var isUsable = true
  let place: LogPlace
  /// A Boolean value that indicates whether the file's name is on the disk.
  private var isNameStored = false

  /// Creates a segment, which appears under its name only after it is locked and has its header.
  init(_ header: SegmentHeader, in place: LogPlace, durability: Durability) throws(AppGroupsLogError) {
    self.place = place
    url = place.url(of: header.id)
    salt = header.salt
    path = url.path
    name = place.path(of: header.id)
    let (temporary, base) = (place.path(ofIncomplete: header.id.temporaryName), place.base)
    guard let file = FileLock(temporary, in: base, .new, of: url, owner: place.owner) else {
      throw .inaccessible(DurableFileError(errno, "create", url))
    }
    let number = file.number
    self.file = file
    do throws(AppGroupsLogError) {
      try lock()
      if let errno = header.bytes.withUnsafeBytes({ Self.write($0, to: number, after: 0).errno }) {
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

  /// Returns a Boolean value that indicates whether the log's path still leads to the file.
  ///
  /// - Parameter isAnywhere: A Boolean value that indicates whether it suffices that the file has its name in its
  ///   directory, wherever the directory is.
  /// - Returns: `false` after the file was removed, or if its directory was removed or the environment was switched.
  /// - Throws: ``AppGroupsLogError`` if that is unknown.
  func isInPlace(orAnywhere isAnywhere: Bool) throws(AppGroupsLogError) -> Bool {
    try AppGroupsLogError.examining { () throws(DurableFileError) in
      isAnywhere ? try file.isFile(at: name, in: place.base) : try file.isFile(at: path)
    }
  }

  private func lock() throws(AppGroupsLogError) {
    do throws(DurableFileError) {
      // A process that removes leftovers may have taken the file for one.
      guard try file.tryLock() else { throw DurableFileError(EWOULDBLOCK, "lock", url) }
    } catch {
      throw .file(error, to: "append to", of: place.url)
    }
  }

  /// Returns a Boolean value that indicates whether the system allows the file to grow by a number of bytes.
  func hasRoom(for count: Int) -> Bool {
    count <= fileSizeLimit() - size
  }

  /// Appends bytes, which must be complete records and for which there is room.
  ///
  /// - Parameter bytes: The records.
  /// - Returns: The number of bytes that were written, and the error if some were not; then call ``cut(to:)``.
  func append(_ bytes: UnsafeRawBufferPointer) -> (count: Int, error: AppGroupsLogError?) {
    let (written, failure) = Self.write(bytes, to: file.number, after: nil)
    guard let failure else {
      size += written
      return (written, nil)
    }
    return (written, .inaccessible(DurableFileError(failure, "append to", url)))
  }

  /// Removes the incomplete record that a failed ``append(_:)`` has written.
  ///
  /// The complete records before it remain, because another process may have read them.
  ///
  /// - Parameter count: The number of bytes in the complete records.
  func cut(to count: Int) {
    size += count
    isUsable = uninterrupted { ftruncate(file.number, off_t(size)) } == 0
  }

  /// Waits until all appended records are on the disk; if that fails, another segment must be begun.
  func synchronize() throws(AppGroupsLogError) {
    isUsable = false
    try Self.synchronize(file.number, url)
    // The segment may have been created for events with a lower durability.
    if !isNameStored { try synchronizeName() }
    isUsable = true
  }

  // MARK: System calls

  /// Writes bytes to a file.
  ///
  /// - Returns: The number of bytes that were written, and the error number if some were not.
  private static func write(
    _ bytes: UnsafeRawBufferPointer, to number: CInt, after size: Int?
  ) -> (count: Int, errno: CInt?) {
    let count = writeAll(bytes, to: number, after: size)
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

extension FileLock {
  /// A Boolean value that indicates whether no process will write the segment any more, because no writer holds its
  /// lock.
  var isAbandoned: Bool {
    do throws(DurableFileError) {
      guard try tryLock(.shared) else { return false }
      // No process will ever lock it again.
      unlock()
      return true
    } catch {
      return false
    }
  }
}
