package import Foundation
import Signals

extension ExclusiveFile {
  /// The result of waiting for a lock for a limited time.
  package enum Attempt {
    /// The calling thread holds the lock.
    case locked(ExclusiveFile)

    /// Another thread or process still holds the lock.
    case busy(FileDescriptors)
  }

  /// Waits for the lock of a file for a limited time, and acquires it.
  ///
  /// A stopped process keeps its locks. A caller that must not wait for such a process sets a limit.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - limit: The longest time to wait.
  /// - Returns: The locked file, or the open files, whose lock is held elsewhere.
  /// - Throws: ``DurableFileError``.
  @available(*, noasync, message: "It may wait for another process")
  package static func lock(_ url: URL, within limit: Duration) throws(DurableFileError) -> Attempt {
    let deadline = ContinuousClock.now + limit
    // No system call waits for a lock with a time limit.
    var pauses = Backoff.exponential(from: .microseconds(250), upTo: .milliseconds(20)).pauses()
    while true {
      let descriptors = try FileDescriptors(url, within: nil)
      if try lock(descriptors, waits: false) != nil { return .locked(ExclusiveFile(holding: descriptors)) }
      if ContinuousClock.now >= deadline { return .busy(descriptors) }
      _ = pauses.sleep()
    }
  }
}

extension DurableFile {
  /// Runs a closure while no other thread or process holds the file's lock, if the lock is acquired in time.
  ///
  /// - Parameters:
  ///   - url: The file, which need not exist; its directory must.
  ///   - limit: The longest time to wait.
  ///   - body: A closure that runs once, on this thread.
  /// - Returns: The result of `body`.
  /// - Throws: ``DurableFileError/lockTimeout(_:after:holder:)``, another ``DurableFileError`` if the file could not be
  ///   locked, or the error that `body` throws.
  @available(*, noasync, message: "It may wait for another process")
  package static func withLock<Result>(
    on url: URL, within limit: Duration, _ body: () throws -> Result
  ) throws -> Result {
    switch try ExclusiveFile.lock(url, within: limit) {
    case .busy(let descriptors):
      throw DurableFileError.lockTimeout(url, after: limit, holder: descriptors.sidecar.holder)
    case .locked(let file):
      defer { file.unlock() }
      return try body()
    }
  }
}
