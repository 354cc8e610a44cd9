import FileSignals
public import Foundation
import Signals

/// Keeps this process present, until it is withdrawn, released, or the process ends.
public final class PresenceToken<Value: Codable & Sendable>: Sendable {
  /// The unique identifier of this announcement, the same as its ``PresentProcess/id``.
  public let id = UUID.random()

  private let engine: PresenceEngine<Value>
  /// The first record of the announcement.
  private let record: PresenceRecord<Value>
  /// The file of the announcement, until it is withdrawn.
  private let file: Guarded<PresenceFile?>

  init(_ value: Value, in engine: PresenceEngine<Value>) throws(AppGroupsFileError) {
    self.engine = engine
    record = PresenceRecord(value)
    file = Guarded(try engine.directory.store(engine.encode(record, as: id), as: id))
    engine.look()
  }

  deinit {
    withdraw()
  }

  /// Replaces the announced value.
  ///
  /// The process stays present without interruption.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``AppGroupsFileError``; then the previous value is still announced. It is
  ///   ``AppGroupsFileError/missing(_:)`` if the announcement has been withdrawn.
  public func write(_ value: Value) throws(AppGroupsFileError) {
    var record = record
    record.value = value
    let data = try engine.encode(record, as: id)
    try file.withLock { file throws(AppGroupsFileError) in
      guard file != nil else { throw .missing(engine.directory.place(of: id)) }
      // In this order: the old file is released after the new one has taken its place.
      file = try engine.directory.store(data, as: id)
    }
    engine.look()
  }

  /// Ends the announcement, as releasing the token does.
  ///
  /// When this returns, the presence's value does not contain the announcement. A second call does nothing.
  public func withdraw() {
    guard let file = file.withLock({ $0.take() }) else { return }
    file.remove()
    engine.look()
  }
}
