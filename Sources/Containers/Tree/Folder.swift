import CLibrary
import FileSignals
import Foundation

/// An open directory, relative to which entries are found even if its path changes.
final class Folder: Sendable {
  let url: URL
  private let descriptor: Descriptor

  var number: CInt { descriptor.number }

  /// Opens a directory without following a symbolic link.
  convenience init(_ url: URL) throws(AppContainerError) {
    try self.init(opening: Array(url.path.utf8).map(CChar.init(bitPattern:)) + [0], in: AT_FDCWD, url)
  }

  /// Opens a directory inside another one without following a symbolic link.
  convenience init(_ path: EntryPath, in folder: Folder) throws(AppContainerError) {
    try self.init(opening: path.cString, in: folder.number, folder.place(of: path))
  }

  private init(opening path: [CChar], in parent: CInt, _ url: URL) throws(AppContainerError) {
    let number = uninterrupted { openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    guard let descriptor = Descriptor(number) else {
      // With either error code, the entry is a link or not a directory.
      if errno == ELOOP || errno == ENOTDIR { throw .blocked(url, reason: "it is not a directory") }
      throw .file(DurableFileError(errno, "open", url))
    }
    self.descriptor = descriptor
    self.url = url
  }

  /// Returns the path of an entry, for errors.
  func place(of path: EntryPath) -> URL {
    path.bytes.isEmpty ? url : url.appending(path: path.text, directoryHint: .notDirectory)
  }

  /// Returns the status of an entry, without following a symbolic link; `nil` if there is none.
  ///
  /// - Throws: ``AppContainerError`` if it is unknown whether there is an entry.
  func status(of path: EntryPath) throws(AppContainerError) -> FileStatus? {
    try wrapped(FileStatus(path: path.cString, relativeTo: number, followsLinks: false, of: place(of: path)))
  }

  /// Opens a file for reading, without following a symbolic link.
  func open(_ path: EntryPath) throws(AppContainerError) -> Descriptor {
    let flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(uninterrupted { openat(number, path.cString, flags) }) else {
      throw failure("read", path)
    }
    return file
  }

  /// Returns the names in a directory, in no particular order.
  func names(at path: EntryPath = .top) throws(AppContainerError) -> [EntryPath] {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let copy = uninterrupted { openat(number, path.cString, flags) }
    var names: [EntryPath] = []
    let isComplete = DirectoryListing.forEachEntry(of: copy) { entry in
      let name = EntryPath(bytes: Self.name(of: entry))
      if name.bytes != [UInt8(ascii: ".")], name.bytes != [UInt8(ascii: "."), UInt8(ascii: ".")] { names.append(name) }
    }
    guard isComplete else { throw failure("list", path) }
    return names
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    // Sound: `d_name` ends with a NUL and lives until the next call; a copy of `dirent` could cut it short.
    withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: UInt8.self, capacity: 1) { name in
        Array(UnsafeBufferPointer(start: name, count: length(name)))
      }
    }
  }

  private static func length(_ name: UnsafePointer<UInt8>) -> Int {
    var length = 0
    while name[length] != 0 { length += 1 }
    return length
  }

  /// Creates a directory, unless it exists, and waits until its name is on the disk.
  func makeDirectory(_ path: EntryPath, permissions: UInt16 = 0o700) throws(AppContainerError) {
    try makeDirectory(path) {
      FileSignals.makeDirectory(path.cString, parent: path.parent.cString, in: number, permissions: permissions)
    }
  }

  /// Creates a directory of a tree that is synchronized as a whole later, unless it exists.
  func makeDirectoryOfTree(_ path: EntryPath) throws(AppContainerError) {
    try makeDirectory(path) { mkdirat(number, path.cString, 0o700) == 0 }
  }

  private func makeDirectory(_ path: EntryPath, _ make: () -> Bool) throws(AppContainerError) {
    if make() { return }
    guard errno == EEXIST else { throw failure("create", path) }
    guard try status(of: path)?.kind == .directory else {
      throw .blocked(place(of: path), reason: "a directory must be created in its place")
    }
  }

  /// Removes a directory if it is empty.
  func removeIfEmpty(_ path: EntryPath) {
    unlinkat(number, path.cString, AT_REMOVEDIR)
  }

  /// Removes a directory if it is empty.
  ///
  /// - Throws: ``AppContainerError`` if an empty directory cannot be removed.
  func removeEmpty(_ path: EntryPath) throws(AppContainerError) {
    let isRemoved = unlinkat(number, path.cString, AT_REMOVEDIR) == 0
    guard isRemoved || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST else { throw failure("remove", path) }
  }

  /// Waits until the names in a directory are on the disk.
  func synchronize(_ path: EntryPath = .top) throws(AppContainerError) {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    guard let directory = Descriptor(uninterrupted { openat(number, path.cString, flags) }) else {
      throw failure("open", path)
    }
    guard synchronizeNames(directory.number) else { throw failure("synchronize", path) }
  }

  /// Returns the error of a system call that has just failed.
  func failure(_ operation: String, _ path: EntryPath) -> AppContainerError {
    .file(DurableFileError(errno, operation, place(of: path)))
  }
}

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
