import Dispatch
import FileSignals
import Foundation
import Signals
import Synchronization

/// Writing: one writer at a time, under the lock of the file.
extension SharedFileEngine {
  @available(*, noasync)
  func write(_ newValue: Value) throws(AppGroupsFileError) {
    let data = try encoded(newValue)
    try whileLocked { file, delivery throws(AppGroupsFileError) in
      try checkKey(of: file)
      // A write is skipped only if the file has the known bytes. Unreadable content does not matter, because it is
      // replaced.
      var presence = memory.withLock { memory -> UInt64? in
        guard memory.file.known == data else { return nil }
        memory.file.outdateReads()
        return memory.file.epoch
      }
      if presence != nil {
        let present = Result { () throws(DurableFileError) in try content(of: file) }
        if present != .success(data) { presence = nil }
      }
      try store(newValue, data, in: file, durability, presentIn: presence, hasJournal: false, &delivery)
    }
  }

  /// Returns the encoded value, after the first write has shown that the format can read it.
  ///
  /// Otherwise a format whose two halves do not match would stay unnoticed until the next start of the program.
  func encoded(_ value: Value) throws(AppGroupsFileError) -> Data {
    let data = try format.encoded(value, for: location.url)
    if !data.isEmpty, !hasReadBack.load(ordering: .relaxed) {
      do throws(AppGroupsFileError) {
        _ = try format.decoded(data, from: location.url)
      } catch {
        throw .unencodable(location.url, reason: "the format cannot decode its own output: \(error.cause)")
      }
      hasReadBack.store(true, ordering: .relaxed)
    }
    guard data.count <= maximumSize else {
      throw .valueTooLarge(location.url, size: data.count, limit: maximumSize)
    }
    return data
  }

  /// Stores a change in a locked file as a record, or returns `nil` if there is more to do than that.
  typealias Appending<Success> = (Stored, ExclusiveFile, inout SharedFileDelivery<Value>) throws(AppGroupsFileError)
    -> Success?

  /// The result of one attempt at an update.
  private enum Attempt<Outcome> {
    case done(Outcome)
    case unreadable(AppGroupsFileError)
  }

  /// Changes the value exclusively.
  ///
  /// - Parameters:
  ///   - overwriting: A Boolean value that determines whether to replace unreadable content.
  ///   - appending: Stores the change as a record instead, if there is no more to do than that, while the journal vouches
  ///     for the known value.
  ///   - body: Changes the value.
  /// - Returns: The result of the body. If the body threw, nothing has changed.
  /// - Throws: ``AppGroupsFileError``.
  @available(*, noasync)
  func update<Success, Failure>(
    overwriting: Bool, appending: Appending<Success> = { _, _, _ in nil },
    _ body: (inout Value) throws(Failure) -> Success
  ) throws(AppGroupsFileError) -> Result<Success, Failure> {
    var pauses = Backoff.halfWritten.pauses()
    var trustsEmptiness = false
    var overwrites = false
    while true {
      switch try attempt(overwriting: overwrites, trustsEmptiness: trustsEmptiness, appending, body) {
      case .done(let result): return result
      case .unreadable(let error):
        // The lock is not held during the pause, so a process that is writing can finish.
        if error.mayPassSoon, pauses.sleep() {
          continue
        } else if case .empty = error, !trustsEmptiness {
          trustsEmptiness = true
        } else if overwriting, !overwrites, allowsOverwriting(error) {
          overwrites = true
        } else {
          throw error
        }
      }
    }
  }

  @available(*, noasync)
  private func attempt<Success, Failure>(
    overwriting: Bool, trustsEmptiness: Bool, _ appending: Appending<Success>,
    _ body: (inout Value) throws(Failure) -> Success
  ) throws(AppGroupsFileError) -> Attempt<Result<Success, Failure>> {
    try whileLocked { file, delivery throws(AppGroupsFileError) in
      var stored: Stored
      do throws(AppGroupsFileError) {
        stored = try self.stored(in: file, trustsEmptiness: trustsEmptiness)
      } catch {
        // Content that is unreadable here may be a good value of another program.
        guard overwriting, allowsOverwriting(error) else { return .unreadable(error) }
        stored = Stored(value: lastGood)
      }
      if stored.isInPlace, let success = try appending(stored, file, &delivery) { return .done(.success(success)) }
      var newValue = stored.value
      let success: Success
      do throws(Failure) {
        success = try body(&newValue)
      } catch {
        return .done(.failure(error))
      }
      if try store(changes: &newValue, of: stored, in: file, &delivery) { return .done(.success(success)) }
      let data = try encoded(newValue)
      // A journal of a file that is gone might continue the new content.
      if journaling != nil, stored.data == nil { file.removeJournal() }
      try store(
        newValue, data, in: file, stored.mark?.durability(atLeast: durability) ?? durability,
        presentIn: stored.mark == nil && stored.data == data ? stored.epoch : nil, hasJournal: stored.mark != nil,
        &delivery)
      return .done(.success(success))
    }
  }

  /// Runs a closure while no other thread or process has the file, and sends the delivery after the file is unlocked.
  ///
  /// The observation is paused during the call. Changes that others make while this method waits for the lock are read
  /// under the lock, and the object's own change is known.
  @available(*, noasync)
  func whileLocked<Result>(
    within limit: Duration? = nil,
    _ body: (ExclusiveFile, inout SharedFileDelivery<Value>) throws(AppGroupsFileError) -> Result
  ) throws(AppGroupsFileError) -> Result {
    var delivery = SharedFileDelivery<Value>()
    // These run in reverse order: unlock, resume, send.
    defer { delivery.send() }
    changes.pause()
    defer { changes.resume() }
    let file = try location.lock(following: scope, limit: limit, isVouchedFor: vouch(for:))
    let thread = ThreadIdentity.current.address
    writingThread.store(thread, ordering: .relaxed)
    defer {
      // Another thread may hold the lock already, because the file is unlocked earlier if nothing waits for the disk.
      _ = writingThread.compareExchange(expected: thread, desired: 0, ordering: .relaxed)
      file.unlock()
    }
    try checkOpen()
    return try body(file, &delivery)
  }

  /// The fallback value for a locked file that is missing or unreadable.
  ///
  /// It is the value in memory. If that belongs to contents that were switched out, it must not get into the new ones,
  /// so it is the initial value.
  private var lastGood: Value { isFollowed ? value.value : initialValue }

  /// Returns the content of the locked file, which is read only if it may differ from the known content.
  private func content(of file: ExclusiveFile) throws(DurableFileError) -> Data? {
    let (known, stamp) = memory.withLock { ($0.file.known, $0.file.stamp) }
    return file.isUnchanged(since: stamp) ? known : try file.read(limit: maximumSize)
  }

  /// Returns whether content that causes an error may be replaced.
  ///
  /// Sealed content may be intact, and another key may open it. That is also so if it is too large to be read.
  private func allowsOverwriting(_ error: AppGroupsFileError) -> Bool {
    if case .contentTooLarge = error, format.isSealed { return false }
    return error.isAboutContent && !error.isAboutKey
  }

  /// Throws an error if the locked file is sealed and this program cannot open it.
  private func checkKey(of file: ExclusiveFile) throws(AppGroupsFileError) {
    let (known, problem) = memory.withLock { ($0.file.known, $0.file.problem) }
    guard format.isSealed || problem?.isAboutKey == true else { return }
    guard let data = try translating(content(of: file), by: AppGroupsFileError.init), data != known else { return }
    do throws(AppGroupsFileError) {
      _ = try format.decoded(data, from: location.url)
    } catch {
      if !allowsOverwriting(error) { throw error }
    }
  }

  /// The value in the locked file with its bytes, and the end of its journal.
  struct Stored {
    var value: Value
    var data: Data?
    var mark: JournalMark?
    /// A Boolean value that indicates whether the value differs from the one in memory.
    var isNews = false
    /// A Boolean value that indicates whether the locked file is known to be the one at its path, with the known bytes.
    var isInPlace = false
    /// The stamp of the file from before it was read.
    var stamp: FileStamp?
    /// The number of changes of the memory before the file was read; 0 if there is no file.
    var epoch: UInt64 = 0
  }

  /// Returns the value in the locked file, or the fallback value if there is no file.
  func stored(in file: ExclusiveFile, trustsEmptiness: Bool) throws(AppGroupsFileError) -> Stored {
    if let stored = try vouchedFor(file) { return stored }
    let stamp = journaling == nil ? nil : file.stamp
    // Before the file is read: whatever is observed by reads that begin afterwards may be newer than its content.
    let begun = memory.withLock { memory in
      memory.file.outdateReads()
      return beginning(memory)
    }
    guard let data = try translating(content(of: file), by: AppGroupsFileError.init) else {
      return Stored(value: lastGood)
    }
    if journaling != nil { return try stored(data, stamp, in: file, begun) }
    if data == begun.known { return Stored(value: begun.current, data: data, epoch: begun.epoch) }
    let decoded = try format.decoded(data, from: location.url)
    // Even if the format decodes empty content: a program may have emptied the file in order to fill it.
    guard !data.isEmpty || trustsEmptiness else { throw .empty(location.url) }
    return Stored(value: decoded, data: data, epoch: begun.epoch)
  }

  /// Writes the value to the locked file, unless its bytes are there already, and stores it in memory.
  ///
  /// The changes in `delivery` must be sent after the file is unlocked. `presence` is the number of changes of the memory
  /// before the bytes were found in the file; `nil` if they are not there.
  private func store(
    _ newValue: Value, _ data: Data, in file: ExclusiveFile, _ durability: Durability, presentIn presence: UInt64?,
    hasJournal: Bool, _ delivery: inout SharedFileDelivery<Value>
  ) throws(AppGroupsFileError) {
    do {
      let prepared = presence == nil ? try file.prepare(data, durability: durability) : nil
      let change = try memory.withLock { memory throws(DurableFileError) -> QuietChange? in
        // Another program has replaced the file since then, and that was observed: the newer content stays.
        if let presence, !memory.knows(data, nil, since: presence) { return nil }
        let change = try put(prepared, in: file)
        memory.lastChange = .now
        // If the directory was replaced in between, the file in the new directory is newer. If the scope has not
        // followed a switch yet, subscribers receive this value together with all others.
        if change?.isKnown == true || isInPlace(file), isFollowed {
          // The times of a file that must be polled may be old ones.
          let stamp = changes.isActive ? prepared?.stamp : nil
          // The bytes of the file say little if there was a journal.
          let wasJournaled = memory.mark != nil || rebased != nil
          (memory.mark, rebased) = (nil, nil)
          if memory.file.adopt(data, stamp: stamp) || wasJournaled { delivery.value = stage(newValue) }
          stageStatus(&memory, in: &delivery)
        } else {
          queue.async { [weak self] in self?.lookNow() }
        }
        return change
      }
      change?.deliverOthers()
      // The file contains all changes now.
      if durability == .process, hasJournal { file.removeJournal() }
      // Other writers need not wait until subscribers have been called.
      if durability == .process { file.unlock() }
      if durability == .storage {
        // Another process may have stored the same bytes without waiting for the disk.
        if presence != nil { try file.synchronize() } else { try file.synchronizeDirectory() }
        if hasJournal { file.removeJournal() }
      }
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  /// Returns whether the locked file, which has just been replaced, is still where readers find it.
  ///
  /// A failure to find out must not make the call fail, because the file has changed. Another look then follows.
  func isInPlace(_ file: ExclusiveFile) -> Bool {
    do {
      return try file.isInPlace
    } catch {
      queue.async { [weak self] in self?.lookNow() }
      return true
    }
  }

  /// Puts new content in place, if there is any.
  ///
  /// The events of the change wake no thread of this process. A woken thread would take processor time from the observers
  /// that need it. Earlier replacements by other writers are not delivered, because this content has replaced theirs.
  func put(_ prepared: PreparedWrite?, in file: ExclusiveFile) throws(DurableFileError) -> QuietChange? {
    guard let prepared else { return nil }
    return try changes.quietly(
      { () throws(DurableFileError) in try prepared.commit() }, isKnown: { file.leads(to: prepared) })
  }
}
