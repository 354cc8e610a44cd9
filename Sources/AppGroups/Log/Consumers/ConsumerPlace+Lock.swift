import CLibrary
import Dispatch
import FileSignals
import Foundation

/// The lock of a consumer, which one process holds.
extension ConsumerPlace {
  /// Becomes the consumer until the lock is released or the process dies.
  ///
  /// - Parameter creating: A Boolean value that indicates whether to create a missing lock file.
  /// - Returns: The lock, or `nil` if another process is the consumer, or if the file is missing and not created.
  /// - Throws: ``AppGroupsLogError`` if the lock cannot be acquired.
  func lock(creating: Bool = true) throws(AppGroupsLogError) -> ConsumerLock? {
    let path = path(Self.lockSuffix)
    do throws(DurableFileError) {
      let lock = try FileLock.acquired(
        at: file(Self.lockSuffix), path: path, in: place.base, creating ? .createdIfMissing : .existing,
        owner: .ifReadable(path: place.consumersPath, relativeTo: place.base))
      guard let lock else { return nil }
      return ConsumerLock(lock, path: path, place: place)
    } catch .notFound where !creating {
      return nil
    } catch {
      throw .file(error, to: "read", of: place.url)
    }
  }

  /// A Boolean value that indicates whether a process is the consumer now.
  var isRunning: Bool {
    guard let lock = FileLock(path(Self.lockSuffix), in: place.base, .existing, of: file(Self.lockSuffix)) else {
      // A lock that cannot be opened, for whatever reason, may be held.
      guard errno != ENOENT, errno != ENOTDIR else { return false }
      return tolerating(try !hasStrayLock, else: true)
    }
    return tolerating(try !lock.tryLock(), else: true)
  }

  /// The time for which the consumer waits for another process of the same name, before it reports that.
  var patience: DispatchTimeInterval {
    let (seconds, attoseconds) = DirectoryRules.nameLimit(for: file(Self.lockSuffix)).components
    guard seconds < 1 << 30 else { return .never }
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }

  /// The process that is the consumer; `nil` if there is none, or if the system does not name it.
  var holder: LockHolder? {
    FileLock(path(Self.lockSuffix), in: place.base, .reading, of: file(Self.lockSuffix))?.holder
  }

  /// The error that names the process that is the consumer.
  var inUse: AppGroupsLogError { .consumerInUse(name, holder: holder) }

  /// The identity of the file that the running consumer keeps locked, or `nil` if there is none.
  var lockIdentity: FileIdentity? { get throws(AppGroupsLogError) { try status(Self.lockSuffix)?.identity } }

  /// A Boolean value that indicates whether something other than a regular file is in the lock's place.
  ///
  /// Then no process can be the consumer.
  var hasStrayLock: Bool { get throws(AppGroupsLogError) { try strayKind(Self.lockSuffix) != nil } }
}

/// The lock that makes its owner the consumer for as long as this object lives.
final class ConsumerLock: Sendable {
  private let lock: FileLock
  private let path: String
  private let place: LogPlace

  fileprivate init(_ lock: consuming FileLock, path: String, place: LogPlace) {
    self.lock = lock
    self.path = path
    self.place = place
  }

  /// A Boolean value that indicates whether the lock's file still exists.
  ///
  /// If it was removed, another process can become the same consumer.
  var isInPlace: Bool {
    get throws(AppGroupsLogError) {
      try AppGroupsLogError.examining { () throws(DurableFileError) in try lock.isFile(at: path, in: place.base) }
    }
  }
}
