import FileSignals
public import Foundation
import Signals

/// Keeps this process present, until it is withdrawn, released, or the process ends.
public final class PresenceToken<Value: Codable & Sendable>: Sendable {
  /// The unique identifier of this announcement, the same as its ``PresentProcess/id``.
  public let id = UUID.random()

  private let engine: PresenceEngine<Value>

  private struct State {
    /// The record of the announcement, until it is withdrawn.
    var record: PresenceRecord<Value>?
    /// The file of the announcement; `nil` from a suspension until a record is stored again.
    var file: PresenceFile?
    var isSuspended = false
  }

  private let state: Guarded<State>
  /// The part in suspensions.
  private let membership = Guarded<SignalSubscription?>(nil)

  init(_ value: Value, in engine: PresenceEngine<Value>) throws(AppGroupsFileError) {
    self.engine = engine
    state = Guarded(State())
    let record = PresenceRecord(value)
    let data = try engine.encode(record, as: id)
    let suspending = Suspensions.shared.add(self, at: engine.directory.url)
    membership.withLock { $0 = suspending }
    guard DirectoryRules.phase(for: engine.directory.url) == .open else { throw refusal("announce a process in") }
    try store(data, of: record)
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
    guard var record = state.withLock({ $0.record }) else { throw .missing(engine.directory.place(of: id)) }
    record.value = value
    let data = try engine.encode(record, as: id)
    try store(data, of: record, isFirst: false)
    engine.look()
  }

  /// Ends the announcement, as releasing the token does.
  ///
  /// When this returns, the presence's value does not contain the announcement. A second call does nothing.
  public func withdraw() {
    // Values of users are released without the lock.
    let (record, file) = state.withLock { ($0.record.take(), $0.file.take()) }
    guard record != nil else { return }
    engine.directory.remove(id)
    withExtendedLifetime(file) {}
    engine.look()
  }

  /// Stores a record in the file.
  ///
  /// - Parameters:
  ///   - data: The encoded record.
  ///   - record: The record.
  ///   - isFirst: A Boolean value that indicates whether nothing has been announced yet.
  ///   - isReturn: A Boolean value that indicates whether the record is the one from before a suspension. It is not
  ///     stored if a later one was stored since.
  /// - Throws: ``AppGroupsFileError``; then the previous record stays.
  private func store(
    _ data: Data, of record: PresenceRecord<Value>, isFirst: Bool = true, isReturn: Bool = false
  ) throws(AppGroupsFileError) {
    // The old file is released after the new one has taken its place, and the old value without the lock.
    let old = try state.withLock { state throws(AppGroupsFileError) -> (PresenceRecord<Value>?, PresenceFile?) in
      guard isFirst || state.record != nil else { throw .missing(engine.directory.place(of: id)) }
      guard !state.isSuspended else { throw refusal("write an announcement in") }
      if isReturn, state.file != nil { return (nil, nil) }
      let new = try engine.directory.store(data, as: id)
      return (exchange(&state.record, with: record), exchange(&state.file, with: new))
    }
    withExtendedLifetime(old) {}
  }

  private func refusal(_ operation: String) -> AppGroupsFileError {
    .suspended(engine.directory.url, operation: operation)
  }
}

/// An announcement is marked as suspended before its lock is released.
///
/// Without the mark, other processes would take the process for dead.
extension PresenceToken: Suspendable {
  package func endWorkForSuspension() {
    let announced = state.withLock { state -> PresenceRecord<Value>? in
      state.isSuspended = true
      return state.file == nil ? nil : state.record
    }
    guard var record = announced else { return }
    record.suspension = .current
    // Other processes do not see this one until it is resumed.
    tolerating {
      let data = try engine.encode(record, as: id)
      let old = try state.withLock { state throws(AppGroupsFileError) -> PresenceFile? in
        guard state.record != nil else { return nil }
        return exchange(&state.file, with: try engine.directory.store(data, as: id))
      }
      withExtendedLifetime(old) {}
    }
    engine.look()
  }

  package func releaseForSuspension() {
    let file = state.withLock { state in
      state.isSuspended = true
      return state.file.take()
    }
    withExtendedLifetime(file) {}
  }

  package func resumeAfterSuspension() throws {
    let record = state.withLock { state -> PresenceRecord<Value>? in
      state.isSuspended = false
      // There also is no file if an earlier return has failed.
      return state.file == nil ? state.record : nil
    }
    guard let record else { return }
    do throws(AppGroupsFileError) {
      let data = try engine.encode(record, as: id)
      try store(data, of: record, isFirst: false, isReturn: true)
    } catch {
      // It may have been withdrawn in between.
      if case .missing = error { return }
      throw error
    }
    engine.look()
  }
}
