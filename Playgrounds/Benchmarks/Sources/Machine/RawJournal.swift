package import Foundation

/// The least that appending a change for all processes takes: lock, look at the size, append a checked record, unlock.
package final class RawJournal {
  private let lock: CInt
  private let file: CInt
  private let directory: CInt
  private let watch: FolderWatch?
  private var record = [UInt8](repeating: 0, count: 56)

  package static func path(in directory: URL) -> String { directory.appending(path: "journal").path }

  /// Opens the journal.
  ///
  /// - Parameters:
  ///   - directory: The folder of the journal.
  ///   - isWatched: A Boolean value that determines whether to make all system calls of a suite, and to watch the folder
  ///     in this process, as a suite does.
  /// - Throws: ``SystemError``.
  package init(in directory: URL, isWatched: Bool = false) throws {
    self.directory = open(directory.path, O_RDONLY | O_CLOEXEC)
    watch = isWatched ? try FolderWatch(directory) : nil
    lock = open(directory.appending(path: "lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    file = open(Self.path(in: directory), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard lock >= 0, file >= 0 else { throw SystemError(call: "open") }
  }

  deinit {
    watch?.end()
    close(directory)
    close(file)
    close(lock)
  }

  package func append(_ number: Int) throws {
    guard flock(lock, LOCK_EX) == 0 else { throw SystemError(call: "flock") }
    defer { flock(lock, LOCK_UN) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw SystemError(call: "fstat") }
    if watch != nil {
      var (other, limit) = (stat(), rlimit())
      guard fstatat(directory, "lock", &other, AT_SYMLINK_NOFOLLOW) == 0, getrlimit(Self.fileSize, &limit) == 0 else {
        throw SystemError(call: "fstatat")
      }
    }
    // A journal that grew without end would measure the memory of the machine.
    if status.st_size > 1 << 20, ftruncate(file, 0) != 0 { throw SystemError(call: "ftruncate") }
    let count = record.withUnsafeMutableBytes { record in
      record.storeBytes(of: UInt64(number), toByteOffset: 8, as: UInt64.self)
      record.storeBytes(of: Self.checksum(of: UnsafeRawBufferPointer(rebasing: record[8...])), as: UInt64.self)
      return write(file, record.baseAddress, record.count)
    }
    guard count == record.count else { throw SystemError(call: "write") }
  }

  #if canImport(Glibc)
    private static var fileSize: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_FSIZE.rawValue) }
  #else
    private static var fileSize: CInt { RLIMIT_FSIZE }
  #endif

  private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

/// A watch of a folder by a thread of this process, which reads the events and does nothing else.
///
/// In a storm of events it reads at most each quarter of a millisecond, as our own watches do.
private final class FolderWatch: Sendable {
  #if os(Linux)
    private let descriptor: CInt
    private let watch: CInt

    init(_ directory: URL) throws {
      let descriptor = inotify_init1(CInt(IN_CLOEXEC))
      let watch = inotify_add_watch(descriptor, directory.path, UInt32(IN_MODIFY))
      guard descriptor >= 0, watch >= 0 else { throw SystemError(call: "inotify_add_watch") }
      (self.descriptor, self.watch) = (descriptor, watch)
      Thread.detachNewThread {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while Foundation.read(descriptor, &bytes, bytes.count) > 0 {
          let isEnded = bytes.withUnsafeBytes { $0.load(as: inotify_event.self).mask & UInt32(IN_IGNORED) != 0 }
          if isEnded { break }
          usleep(250)
        }
        close(descriptor)
      }
    }

    func end() { inotify_rm_watch(descriptor, watch) }
  #else
    init(_ directory: URL) throws {}

    func end() {}
  #endif
}

/// Appends to the journal as often as each message says.
package func appendToRawJournal(in directory: URL) throws {
  let journal = try RawJournal(in: directory)
  send(Message(number: 0), to: STDOUT_FILENO)
  while let message = receive(from: STDIN_FILENO) {
    for number in 0..<message.number { try journal.append(number) }
    send(message, to: STDOUT_FILENO)
  }
}

/// Waits for writes to the journal with a bare inotify loop, and reads what is new.
package func watchRawJournal(in directory: URL) throws {
  #if os(Linux)
    Thread.detachNewThread {
      while receive(from: STDIN_FILENO) != nil {}
      exit(0)
    }
    let path = RawJournal.path(in: directory)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(call: "open") }
    let descriptor = inotify_init1(CInt(IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
      throw SystemError(call: "inotify_add_watch")
    }
    send(Message(number: 0), to: STDOUT_FILENO)
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while bytes.withUnsafeMutableBytes({ Foundation.read(descriptor, $0.baseAddress, $0.count) }) > 0 {
      if bytes.withUnsafeMutableBytes({ Foundation.read(file, $0.baseAddress, $0.count) }) == 0 {
        lseek(file, 0, SEEK_SET)
      }
    }
  #endif
}
