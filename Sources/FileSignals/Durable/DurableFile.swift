public import Foundation

/// Files that are replaced as a whole, and never seen half written.
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
/// A write goes to a temporary file that then takes the file's place with `rename`, so a reader in any process sees the
/// old content or the new one, whole, and a writer that dies at any point leaves the old. The temporary file and the
/// lock lie in a folder `.shared` beside the file; the lock stays there, and must not be removed while processes run.
///
/// ``write(_:to:durability:mode:)-1pkho`` alone is last-writer-wins. To change a file based on its content, read and
/// write it inside ``withLock(on:_:)-3st8``.
public struct DurableFile: Sendable {
  private init() {}

  /// Replaces a file's content, or creates the file.
  ///
  /// It waits while another thread or process writes the file or holds its lock; inside ``withLock(on:_:)-3st8`` it
  /// works under that lock. If `url` is a symbolic link, its target is replaced and the link stays. A file that has
  /// further hard links is detached from them. The owner is kept where the system allows it.
  ///
  /// - Parameters:
  ///   - data: The new content.
  ///   - url: The file; its directory must exist.
  ///   - durability: What the content is safe against when this returns.
  ///   - mode: The file's permissions, such as `0o640`, whatever the process's mask; by default those it has, or
  ///     `0o600` for a new file.
  /// - Throws: ``DurableFileError``; the file is then as it was, unless only the last step failed, which makes its new
  ///   name safe against a power failure.
  public static func write(
    _ data: Data, to url: URL, durability: Durability = .storage, mode: UInt16? = nil
  ) throws(DurableFileError) {
    let file = try ExclusiveFile(locking: url, joinsOuterLock: true)
    defer { file.unlock() }
    try file.prepare(data, durability: durability, mode: mode).commit()
    if durability == .storage { try file.synchronizeDirectory() }
  }

  /// Reads a file's whole content.
  ///
  /// It takes no lock and waits for nobody: the content is that of the last complete write. Only regular files are
  /// read, so a named pipe cannot make it hang.
  ///
  /// - Parameter url: The file, or a symbolic link to it.
  /// - Returns: The content.
  /// - Throws: ``DurableFileError``.
  public static func read(_ url: URL) throws(DurableFileError) -> Data {
    try read(url, limit: .max)
  }

  /// Reads a file's whole content, unless it has more bytes than a limit.
  package static func read(_ url: URL, limit: Int) throws(DurableFileError) -> Data {
    try FileReader.read(FileLocation.validPath(of: url), limit: limit, url: url)
  }

  /// Runs a closure while no other thread and no other process holds the file's lock or writes the file.
  ///
  /// Only those who lock are kept apart: a program that writes the file in its own way is not held up. If the process
  /// dies, the system releases the lock. The lock belongs to the calling thread: calling this again for the same file
  /// from inside `body` throws ``DurableFileError/reentrantLock(_:)``.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - body: Runs once, on this thread. Keep it short: others wait.
  /// - Returns: What `body` returned.
  /// - Throws: ``DurableFileError`` if the file could not be locked, or else what `body` threw.
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
