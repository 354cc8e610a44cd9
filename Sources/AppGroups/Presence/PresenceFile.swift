import CLibrary
import FileSignals
import Foundation

/// The file of an announcement, which this process holds open and locked.
///
/// The lock is released with the last reference. When the process ends, the kernel closes the file, which notifies the
/// observers of the directory, and releases the lock, which shows them that the process is gone.
final class PresenceFile: Sendable {
  /// The lock, whose file is open for writing and is not inherited by child processes.
  ///
  /// Only closing a file that is open for writing is an event.
  private let lock: FileLock

  /// Creates a file with this content, or replaces one of our own.
  ///
  /// The file is complete and locked before any other process can find it. Nothing here waits for another process.
  init(_ data: Data, at url: URL, temporariesIn folder: URL) throws(DurableFileError) {
    // A process that removes litter may hold the lock, or may have removed the file.
    let lock = try FileLock.waiting.repeating(within: DirectoryRules.patience(for: url)) {
      () throws(DurableFileError) -> FileLock? in
      let temporary = folder.appending(path: "\(UUID.random().uuidString).tmp", directoryHint: .notDirectory)
      guard let lock = FileLock(temporary.path, .new, of: url, owner: .ifReadable(path: folder.path)) else {
        throw DurableFileError(errno, "create a temporary file for", url)
      }
      do throws(DurableFileError) {
        guard try lock.tryLock(), try lock.isFile(at: temporary.path) else {
          unlink(temporary.path)
          return nil
        }
        guard data.withUnsafeBytes({ writeAll($0, to: lock.number, after: 0) }) == data.count else {
          throw DurableFileError(errno, "write", url)
        }
        guard rename(temporary.path, url.path) == 0 else { throw DurableFileError(errno, "create", url) }
      } catch {
        unlink(temporary.path)
        throw error
      }
      return lock
    }
    guard let lock else { throw .system(operation: "lock", path: url.path, errno: EWOULDBLOCK) }
    self.lock = lock
  }
}

/// The content of an announcement's file.
struct PresenceRecord<Value: Codable & Sendable>: Codable, Sendable {
  let process: Int32
  let name: String

  /// The identity of the process, which is unique even though process identifiers are reused.
  let instance: UUID

  /// The start of the presence in seconds since 1970, which people and other programs can read.
  let since: Double

  var value: Value

  /// The marks of the process while it is suspended; `nil` otherwise.
  var suspension: ProcessInstance?

  init(_ value: Value) {
    let current = ProcessInfo.processInfo
    process = current.processIdentifier
    name = current.processName
    instance = thisProcess
    since = Date().timeIntervalSince1970
    self.value = value
  }
}

/// The part of a record that shows whether its process is suspended, which is read without the value.
struct PresenceSuspension: Decodable {
  let process: Int32
  let suspension: ProcessInstance?

  /// A Boolean value that indicates whether the process is suspended, and still exists.
  var isPresent: Bool { suspension?.isRunning(as: process) ?? false }
}

extension PresentProcess where Value: Codable {
  init(_ record: PresenceRecord<Value>, id: UUID) {
    self.init(
      id: id,
      processIdentifier: record.process,
      processName: record.name,
      since: Date(timeIntervalSince1970: record.since),
      value: record.value,
      isSuspended: record.suspension != nil,
      isThisProcess: record.instance == thisProcess && record.process == ProcessInfo.processInfo.processIdentifier
    )
  }
}

/// The identity of this process.
private let thisProcess = UUID.random()
