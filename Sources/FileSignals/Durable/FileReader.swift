import CLibrary
import Foundation

/// A namespace for reading whole regular files.
enum FileReader {
  /// Reads a file, whose name is relative to an open directory.
  ///
  /// Nothing is read and no memory is allocated for a file that is larger than the limit. A `status` from a moment ago,
  /// when the file was regular, saves a system call.
  static func read(
    _ path: String, in directory: CInt = AT_FDCWD, followsLinks: Bool = true, status: FileStatus? = nil,
    limit: Int = .max, url: URL
  ) throws(DurableFileError) -> Data {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    guard let file = Descriptor(uninterrupted { openat(directory, path, flags) }) else {
      let failure = errno
      if failure == ENOENT, FileStatus.ifReadable(path: path, relativeTo: directory, followsLinks: false)?.kind == .link
      {
        throw .danglingLink(url)
      }
      throw DurableFileError(failure, "read", url)
    }
    guard let status = status ?? file.status else { throw DurableFileError(errno, "inspect", url) }
    guard status.kind == .regular else { throw .notARegularFile(url, kind: status.kind.rawValue) }
    return try readAll(file.number, expecting: status.size, limit: limit, url: url)
  }

  private static func readAll(
    _ number: CInt, expecting size: Int, limit: Int, url: URL
  ) throws(DurableFileError) -> Data {
    guard size < .max else { throw .fileTooLarge(url) }
    guard size <= limit else { throw .exceedsLimit(url, size: size, limit: limit) }
    // One byte more than expected, so that the end is found without another call. Files of the system report no size.
    var capacity = size > 0 ? size + 1 : 4096
    var count = 0
    guard var buffer = malloc(capacity) else { throw DurableFileError(ENOMEM, "read", url) }
    while true {
      // Sound: `count` of `capacity` bytes are initialised, so the rest may be written.
      let read = readSome(UnsafeMutableRawBufferPointer(start: buffer + count, count: capacity - count), from: number)
      guard read >= 0 else {
        let failure = errno
        free(buffer)
        throw DurableFileError(failure, "read", url)
      }
      if read == 0 { break }
      count += read
      // The content is complete at the size that the file had when it was opened. Bytes appended since then belong to
      // the next read.
      if count == size { break }
      guard count <= limit else {
        free(buffer)
        throw .exceedsLimit(url, size: count, limit: limit)
      }
      guard count == capacity else { continue }
      guard let larger = realloc(buffer, capacity * 2) else {
        free(buffer)
        throw DurableFileError(ENOMEM, "read", url)
      }
      buffer = larger
      capacity *= 2
    }
    guard count > 0 else {
      free(buffer)
      return Data()
    }
    return Data(bytesNoCopy: buffer, count: count, deallocator: .free)
  }
}
