import Dispatch
import FileSignals
import Foundation
import Signals
import Synchronization

/// How the value gets into the file: one writer at a time, under the lock of the file.
extension SharedFileEngine {
  @available(*, noasync)
  func write(_ newValue: Value) throws(AppGroupsFileError) {
    let data = try encoded(newValue)
    try whileLocked { file, delivery throws(AppGroupsFileError) in
      // Only bytes that are known may be in the file already; and unreadable ones do not matter, since all are
      // replaced.
      var isPresent = memory.withLock { $0.file.known == data }
      if isPresent {
        let present = Result { () throws(DurableFileError) in try file.read(limit: maximumSize) }
        isPresent = present == .success(data)
      }
      try store(newValue, data, in: file, isPresent: isPresent, &delivery)
    }
  }

  /// The bytes of a value, if they are not too many.
  func encoded(_ value: Value) throws(AppGroupsFileError) -> Data {
    let data = try format.encoded(value, for: location.url)
    guard data.count <= maximumSize else {
      throw .valueTooLarge(location.url, size: data.count, limit: maximumSize)
    }
    return data
  }

  /// What one attempt at an update came to.
  private enum Attempt<Outcome> {
    case done(Outcome)
    case unreadable(AppGroupsFileError)
  }

  /// Changes the value exclusively.
  ///
  /// - Returns: What the body returned or threw; in the latter case nothing has changed.
  @available(*, noasync)
  func update<Success, Failure>(
    overwriting: Bool, _ body: (inout Value) throws(Failure) -> Success
  ) throws(AppGroupsFileError) -> Result<Success, Failure> {
    var pauses = Backoff.halfWritten.pauses()
    var trustsEmptiness = false
    var overwrites = false
    while true {
      switch try attempt(overwriting: overwrites, trustsEmptiness: trustsEmptiness, body) {
      case .done(let result): return result
      case .unreadable(let error):
        // The lock is free meanwhile, and a process that is writing can finish.
        if error.mayPassSoon, pauses.sleep() {
          continue
        } else if case .empty = error, !trustsEmptiness {
          trustsEmptiness = true
        } else if overwriting, !overwrites, error.isAboutContent {
          overwrites = true
        } else {
          throw error
        }
      }
    }
  }

  @available(*, noasync)
  private func attempt<Success, Failure>(
    overwriting: Bool, trustsEmptiness: Bool, _ body: (inout Value) throws(Failure) -> Success
  ) throws(AppGroupsFileError) -> Attempt<Result<Success, Failure>> {
    try whileLocked { file, delivery throws(AppGroupsFileError) in
      var present: Data?
      var newValue: Value
      do throws(AppGroupsFileError) {
        (newValue, present) = try stored(in: file, trustsEmptiness: trustsEmptiness)
      } catch {
        // What could not be read may be somebody else's good value.
        guard overwriting, error.isAboutContent else { return .unreadable(error) }
        newValue = lastGood
      }
      let success: Success
      do throws(Failure) {
        success = try body(&newValue)
      } catch {
        return .done(.failure(error))
      }
      let data = try encoded(newValue)
      try store(newValue, data, in: file, isPresent: present == data, &delivery)
      return .done(.success(success))
    }
  }

  /// Runs a closure while nobody else has the file, and sends what it leaves in the delivery when others may have it
  /// again.
  ///
  /// What others change while the lock is waited for will be read, and what is changed here is no news here; so the
  /// watch rests meanwhile.
  @available(*, noasync)
  private func whileLocked<Result>(
    _ body: (ExclusiveFile, inout SharedFileDelivery<Value>) throws(AppGroupsFileError) -> Result
  ) throws(AppGroupsFileError) -> Result {
    var delivery = SharedFileDelivery<Value>()
    var locked: ExclusiveFile?
    // These run in the opposite order: unlock, resume, send.
    defer { delivery.send() }
    changes.pause()
    defer { changes.resume { isKnown(in: locked) } }
    let file = try location.lockFollowing()
    locked = file
    let thread = ThreadIdentity.current.address
    writingThread.store(thread, ordering: .relaxed)
    defer {
      // Another thread may have the lock by now: the file is unlocked earlier if nothing waits for the disk.
      _ = writingThread.compareExchange(expected: thread, desired: 0, ordering: .relaxed)
      file.unlock()
    }
    try checkOpen()
    return try body(file, &delivery)
  }

  /// What stands for a file that is not there or cannot be read, to whoever has it locked: the value in memory, unless
  /// that is of other contents, which were swapped for those around the file and must not get into them.
  private var lastGood: Value { location.isFollowed ? value.value : initialValue }

  /// The value that the locked file holds, and its bytes; the last good one if there is no file.
  private func stored(
    in file: ExclusiveFile, trustsEmptiness: Bool
  ) throws(AppGroupsFileError) -> (Value, Data?) {
    let data: Data?
    do {
      data = try file.read(limit: maximumSize)
    } catch {
      throw AppGroupsFileError(error)
    }
    guard let data else { return (lastGood, nil) }
    let (known, current) = memory.withLock { ($0.file.known, value.value) }
    if data == known { return (current, data) }
    let decoded = try format.decoded(data, from: location.url)
    // Also where emptiness can be a value: somebody may have emptied the file in order to fill it.
    guard !data.isEmpty || trustsEmptiness else { throw .empty(location.url) }
    return (decoded, data)
  }

  /// Puts the value into the locked file, unless its bytes are there already, and into memory; `delivery` is what is to
  /// be sent when the file is unlocked.
  private func store(
    _ newValue: Value, _ data: Data, in file: ExclusiveFile, isPresent: Bool,
    _ delivery: inout SharedFileDelivery<Value>
  ) throws(AppGroupsFileError) {
    do {
      let prepared = isPresent ? nil : try file.prepare(data, durability: durability)
      try quietly { () throws(DurableFileError) in
        try memory.withLock { memory throws(DurableFileError) in
          try prepared?.commit()
          // If the directory was replaced meanwhile, this was written before, and what is in its place is newer.
          // And where the contents around the file are not shown yet, subscribers get this value with all others.
          guard file.isInPlace, location.isFollowed else { return queue.async { [weak self] in self?.lookNow() } }
          if memory.file.adopt(data) { delivery.value = value.stage(newValue) }
          stage(memory.file.problem, in: &delivery)
        }
        // Others need not wait for the events to be taken in.
        if durability == .process { file.unlock() }
      }
      if durability == .storage {
        // The same bytes may have been put there by somebody who did not wait for the disk.
        if isPresent { try file.synchronize() } else { try file.synchronizeDirectory() }
      }
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  /// Runs a closure that changes the file.
  ///
  /// To wake a thread for what is no news here would take the processor from those to whom it is.
  private func quietly(_ change: () throws(DurableFileError) -> Void) throws(DurableFileError) {
    try changes.quietly(change)
  }

  /// Whether the file holds the known bytes.
  private func isKnown(in file: ExclusiveFile?) -> Bool {
    let (known, epoch) = snapshot()
    guard let file, let known, file.holds(known) else { return false }
    return memory.withLock { $0.file.epoch } == epoch
  }
}
