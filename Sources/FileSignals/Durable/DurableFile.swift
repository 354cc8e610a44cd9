public import Foundation
import Signals

/// Functions that replace a file as a whole, so that no reader ever sees it half written.
///
/// ```swift
/// import FileSignals
/// import Foundation
///
/// let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
/// let file = folder.appending(path: "counter")
/// try DurableFile.write(Data("41".utf8), to: file)
/// try DurableFile.withLock(on: file) {
///   let count = Int(String(decoding: try DurableFile.read(file), as: UTF8.self)) ?? 0
///   try DurableFile.write(Data("\(count + 1)".utf8), to: file)
/// }
/// print(String(decoding: try DurableFile.read(file), as: UTF8.self))  // Prints "42"
/// try FileManager.default.removeItem(at: folder)
/// ```
///
/// - **Atomicity:** A write goes to a temporary file, which then replaces the file with `rename`. A reader in any
///   process sees the complete old content or the complete new content. A writer that dies at any point leaves the old
///   content.
/// - **Extra files:** The temporary file and the lock are in a folder `.shared` next to the file. The lock stays there
///   and must not be removed while processes use it.
/// - **Concurrency:** ``write(_:to:durability:mode:)-1pkho`` alone is last-writer-wins. To change a file based on its
///   content, read and write it inside ``withLock(on:_:)-3st8``.
public struct DurableFile: Sendable {
  private init() {}

  /// Replaces the content of a file, or creates the file.
  ///
  /// - **Locking:** The call waits while another thread or process writes the file or holds its lock. Inside
  ///   ``withLock(on:_:)-3st8``, it uses that lock.
  /// - **Links:** If `url` is a symbolic link, its target is replaced and the link stays. A file with several hard
  ///   links is detached from the others.
  /// - **Owner:** The owner is kept if the system allows it.
  ///
  /// - Parameters:
  ///   - data: The new content.
  ///   - url: The file; its directory must exist.
  ///   - durability: The failures that the content survives after this method returns.
  ///   - mode: The file's permissions, such as `0o640`, regardless of the process's file mode creation mask, and at most
  ///     `0o777`. By default, existing permissions are kept, and a new file gets `0o600`.
  /// - Throws: ``DurableFileError``. The file is then unchanged, unless only the last step failed, which protects the
  ///   new name against a power failure.
  public static func write(
    _ data: Data, to url: URL, durability: Durability = .storage, mode: UInt16? = nil
  ) throws(DurableFileError) {
    if let mode, mode > 0o777 {
      stop(because: "A mode must lie between 0o000 and 0o777; \(mode) is 0o\(String(mode, radix: 8))")
    }
    let file = try ExclusiveFile(locking: url, joinsOuterLock: true)
    defer { file.unlock() }
    try file.prepare(data, durability: durability, mode: mode).commit()
    if durability == .storage { try file.synchronizeDirectory() }
  }

  /// Reads the whole content of a file.
  ///
  /// Reading takes no lock and never waits: the content is the result of the last complete write. Only regular files
  /// are read, so the call cannot hang on a named pipe.
  ///
  /// - Parameter url: The file, or a symbolic link to it.
  /// - Returns: The content.
  /// - Throws: ``DurableFileError``.
  public static func read(_ url: URL) throws(DurableFileError) -> Data {
    try read(url, limit: .max)
  }

  /// Reads a file, unless it has more bytes than a limit, or returns `nil` if there is none.
  package static func readIfPresent(_ url: URL, limit: Int = .max) throws(DurableFileError) -> Data? {
    do {
      return try read(url, limit: limit)
    } catch .notFound {
      return nil
    }
  }

  /// Reads the whole content of a file, unless it has more bytes than a limit.
  package static func read(_ url: URL, limit: Int) throws(DurableFileError) -> Data {
    try FileReader.read(FileLocation.validPath(of: url), limit: limit, url: url)
  }

  /// Reads a file's whole content, unless it has more bytes than a limit; a link is not followed.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - base: The open directory to which a relative path refers.
  ///   - limit: The largest number of bytes to read.
  ///   - url: The file that errors report.
  /// - Returns: The content.
  /// - Throws: ``DurableFileError``.
  package static func read(
    _ path: String, in base: CInt, limit: Int, of url: URL
  ) throws(DurableFileError) -> Data {
    try FileReader.read(path, in: base, followsLinks: false, limit: limit, url: url)
  }

  /// Runs a closure while no other thread or process holds the file's lock or writes the file.
  ///
  /// - **Scope:** The lock is advisory. It does not stop a program that writes the file without locking it.
  /// - **Lifetime:** If the process dies, the system releases the lock.
  /// - **Re-entrancy:** The lock belongs to the calling thread. Calling this method again for the same file from inside
  ///   `body` throws ``DurableFileError/reentrantLock(_:)``.
  ///
  /// Two callers deadlock if each waits for a file that the other one has locked. If you lock several files, lock them
  /// in the same order everywhere.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - body: A closure that runs once, on this thread. Keep it short, because other processes wait for it.
  /// - Returns: The result of `body`.
  /// - Throws: ``DurableFileError`` if the file could not be locked, or the error that `body` throws.
  public static func withLock<Result>(on url: URL, _ body: () throws -> Result) throws -> Result {
    try withExclusiveAccess(to: url) { _ in try body() }
  }

  /// Runs a closure with exclusive access to a file.
  @available(*, noasync, message: "It may wait for another process; use the async form")
  package static func withExclusiveAccess<Result>(
    to url: URL, _ body: (ExclusiveFile) throws -> Result
  ) throws -> Result {
    let file = try ExclusiveFile(locking: url)
    defer { file.unlock() }
    return try body(file)
  }
}

/// The failures that a written file survives.
///
/// Writes are atomic in both cases: a reader sees the complete old content or the complete new content, whatever
/// happens to the writer. The cases differ in the state of the file after the machine itself has stopped.
@nonexhaustive
public enum Durability: Sendable, Hashable {
  /// The file survives the crash of any process, including this one, but not a power failure or a system crash.
  ///
  /// Nothing waits for the disk, except the creation of a missing directory. A write costs as much as creating and
  /// renaming a small file, some tens of microseconds. Use this case for state that can be recreated, and for values
  /// that change often.
  ///
  /// A power failure affects only what the system has not stored yet, on Linux usually the last half minute. Each file
  /// that was written in that time may then have:
  ///
  /// - **Older content,** of any earlier write.
  /// - **No content, or a part of it,** if the system stored the new name before the bytes. The older content is then
  ///   lost, too. ext4 with its default options rules this out for a file that already existed; other file systems may
  ///   not.
  /// - **No name:** the file is missing, if it was created in that time.
  ///
  /// All other files are unchanged. A shared file reports JSON or a property list that is empty or incomplete. Text and
  /// raw data cannot show that bytes are missing.
  case process

  /// The file also survives a power failure: when the write returns, the content and its name are on the disk.
  ///
  /// The content is written to the disk before it replaces the file, and the directory afterwards. The names of
  /// directories that the package has created above it are on the disk, too, even if the process that created one was
  /// killed meanwhile. This also happens if another process has already stored the same content without waiting for the
  /// disk. It costs two disk writes, each between a tenth of a millisecond and ten milliseconds. Other writers of the
  /// file wait during that time; readers and observers do not. Use this case for settings, journals, archives and
  /// secrets.
  ///
  /// If only the very last step fails, the write throws although the new content is in place.
  case storage
}

extension DurableFile {
  /// Replaces the content of a file, or creates the file, without blocking a thread of the concurrency pool.
  ///
  /// - Parameters:
  ///   - data: The new content.
  ///   - url: The file; its directory must exist.
  ///   - durability: The failures that the content survives after this method returns.
  ///   - mode: The file's permissions. By default, existing permissions are kept, and a new file gets `0o600`.
  /// - Throws: ``DurableFileError``, or `CancellationError` if the task was cancelled before it began.
  public static func write(
    _ data: Data, to url: URL, durability: Durability = .storage, mode: UInt16? = nil
  ) async throws {
    try await BlockingCalls.run(for: url) {
      try write(data, to: url, durability: durability, mode: mode)
    }
  }

  /// Runs a closure while holding the file's lock, without blocking a thread of the concurrency pool.
  ///
  /// The closure runs on a queue of the file's own and cannot suspend. A lock held across an `await` could block every
  /// thread while the task that holds it waits for a thread. To lock several files, see the blocking form.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - body: A closure that runs once. Keep it short, because other processes wait for it.
  /// - Returns: The result of `body`.
  /// - Throws: ``DurableFileError`` if the file could not be locked, `CancellationError` if the task was cancelled
  ///   before the work began, or the error that `body` throws.
  public static func withLock<Result: Sendable>(
    on url: URL, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { try withLock(on: url, body) }
  }

  /// Runs a closure with exclusive access to a file, without blocking a thread of the concurrency pool.
  package static func withExclusiveAccess<Result: Sendable>(
    to url: URL, _ body: @escaping @Sendable (ExclusiveFile) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: url) { try withExclusiveAccess(to: url, body) }
  }
}
