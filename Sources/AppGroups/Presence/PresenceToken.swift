import FileSignals
public import Foundation
import Signals

/// Keeps this process present, until it is withdrawn, released, or the process ends.
public final class PresenceToken<Value: Codable & Sendable>: Sendable {
  /// What tells this announcement from all others; ``PresentProcess/id`` is the same.
  public let id = UUID.random()

  private let engine: PresenceEngine<Value>
  private let lock = Lock()
  private nonisolated(unsafe) var record: PresenceRecord<Value>  // Sound: guarded by the lock, as is the next.
  private nonisolated(unsafe) var file: PresenceFile?

  init(_ value: Value, in engine: PresenceEngine<Value>) throws(AppGroupsFileError) {
    self.engine = engine
    record = PresenceRecord(value)
    file = try engine.store(record, as: id)
    engine.look()
  }

  deinit {
    withdraw()
  }

  /// Says something else; the process stays present without interruption.
  ///
  /// - Parameter value: What to say from now on.
  /// - Throws: ``AppGroupsFileError``; what was said before stands then. It is ``AppGroupsFileError/missing(_:)`` if
  ///   the announcement has been withdrawn.
  public func write(_ value: Value) throws(AppGroupsFileError) {
    try lock.withLock { () throws(AppGroupsFileError) in
      guard file != nil else { throw .missing(engine.directory.place(of: id)) }
      var record = record
      record.value = value
      // In this order: the old file is let go of when the new one has taken its place.
      file = try engine.store(record, as: id)
      self.record = record
    }
    engine.look()
  }

  /// Ends the announcement; releasing the token does the same.
  ///
  /// When this returns, the presence's value does not contain it. Does nothing the second time.
  public func withdraw() {
    let file = lock.withLock {
      defer { self.file = nil }
      return self.file
    }
    guard let file else { return }
    file.remove()
    engine.look()
  }
}
