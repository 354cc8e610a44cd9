import Dispatch
import FileSignals
import Foundation
import Signals
import Synchronization

/// Writing to the journal of a file, and bringing the file up to date afterwards.
extension SharedFileEngine {
  /// The smallest file beside which even a single change is appended.
  ///
  /// A smaller one is replaced at once, unless the changes come in quick succession.
  private static var smallestFile: Int { 16 << 10 }
  /// The smallest size of a journal that is brought into the file although the changes go on.
  private static var smallestJournal: Int { 64 << 10 }
  /// The largest record; larger changes replace the file.
  private static var largestRecord: Int { 1 << 20 }
  /// The time without a change after which the file is brought up to date.
  private static var stillness: Duration { .milliseconds(300) }
  /// The same in processes that have not changed anything.
  private static var longStillness: Duration { .seconds(1) }

  /// Stores changes beside the file.
  ///
  /// - Parameters:
  ///   - value: The new value, which is prepared to be stored as a whole if it cannot be stored in this way.
  ///   - stored: The content of the locked file.
  ///   - file: The locked file.
  ///   - delivery: The changes to be sent after the file is unlocked.
  /// - Returns: `false` if the value must be stored as a whole.
  /// - Throws: ``AppGroupsFileError``; then nothing was stored.
  func store(
    changes value: inout Value, of stored: Stored, in file: ExclusiveFile, _ delivery: inout SharedFileDelivery<Value>
  ) throws(AppGroupsFileError) -> Bool {
    guard let journaling else { return false }
    guard stored.data != nil else {
      journaling.rebase(&value)
      return false
    }
    do {
      switch try journaling.step(&value, stored.value) {
      case .nothing:
        if durability == .storage {
          // Another process may have stored the same without waiting for the disk.
          try file.synchronize()
          try stored.mark?.journal.file.synchronize(of: location.url)
        }
        _ = try take(stored.value, stored, in: file, &delivery) { stored.mark }
        return true
      case .record(let record):
        journaling.fold(&value)
        let size = journaling.size(value)
        guard size <= maximumSize else {
          throw AppGroupsFileError.valueTooLarge(location.url, size: size, limit: maximumSize)
        }
        let isStored = try append(record.count, to: stored, making: value, in: file, &delivery) { buffer in
          record.withUnsafeBytes { buffer.copyMemory(from: $0) }
        }
        if isStored { return true }
      case .whole: break
      }
    } catch let error as DurableFileError {
      throw AppGroupsFileError(error)
    } catch let error as AppGroupsFileError {
      throw error
    } catch {
      stop(because: "a journal threw \(error)")
    }
    journaling.rebase(&value)
    return false
  }

  /// Appends a record to the journal, and stores the value in memory.
  ///
  /// - Parameters:
  ///   - size: The number of bytes of the record's content.
  ///   - stored: The content of the locked file.
  ///   - value: The new value.
  ///   - file: The locked file.
  ///   - delivery: The changes to be sent after the file is unlocked.
  ///   - fill: Writes the content to a buffer of that size.
  /// - Returns: `false` if the value must be stored as a whole.
  /// - Throws: ``DurableFileError``; then nothing was stored.
  func append(
    _ size: Int, to stored: Stored, making value: Value, in file: ExclusiveFile,
    _ delivery: inout SharedFileDelivery<Value>, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(DurableFileError) -> Bool {
    guard size <= Self.largestRecord, let data = stored.data, let mark = try place(for: data, stored, in: file) else {
      return false
    }
    let taken = try take(value, stored, in: file, &delivery) { () throws(DurableFileError) in
      try mark.appending(size, fill, durability: durability, to: file)
    }
    settleLater(isOwn: true)
    // Others may have read the record already, so it stays even if this fails.
    if durability == .storage { try mark.journal.file.synchronize(of: location.url) }
    if let taken { rewriteIfLong(value, data, taken, in: file) }
    if durability == .process { file.unlock() }
    return true
  }

  /// Returns the end of the journal, which is begun if the changes come in quick succession or the file is large.
  ///
  /// It returns `nil` if no record can be appended. On a file system that must be polled, processes on other machines
  /// may have appended records that this one does not see yet.
  private func place(
    for data: Data, _ stored: Stored, in file: ExclusiveFile
  ) throws(DurableFileError) -> JournalMark? {
    guard changes.isActive else { return nil }
    if let mark = stored.mark {
      guard mark.journal.file.isWritable, !mark.isClosed else { return nil }
      if durability == .storage, !mark.journal.isNameStored.load(ordering: .relaxed) {
        try file.synchronize()
        try file.synchronizeJournalName()
        mark.journal.isNameStored.store(true, ordering: .relaxed)
      }
      return mark
    }
    let isFrequent = memory.withLock { $0.lastChange.map { ContinuousClock.now - $0 < Self.stillness } ?? false }
    guard isFrequent || data.count >= Self.smallestFile else { return nil }
    do {
      return try beginJournal(data, stored.stamp, in: file, durability)
    } catch {
      // Replacing the file may succeed, or has the same problem and reports it.
      return nil
    }
  }

  private func beginJournal(
    _ data: Data, _ stamp: FileStamp?, in file: ExclusiveFile, _ durability: Durability
  ) throws(DurableFileError) -> JournalMark {
    let header = JournalHeader(continuing: data)
    if durability == .storage { try file.synchronize() }
    let made = try file.makeJournal(header.bytes, durability: durability)
    memory.withLock { $0.isTrustedUntil = .now + Self.trust }
    var mark = Journal(made, header, isNameStored: durability == .storage).start
    mark.stamp = stamp
    return mark
  }

  /// The end of a journal whose changes are in memory, and the number of the change of the memory that put them there.
  private typealias Taken = (mark: JournalMark, epoch: UInt64)

  /// Stores the value of the locked file in memory, unless the file is no longer the one that readers find.
  ///
  /// A program that does not lock may have replaced the file since its content was read. If that was observed already,
  /// the memory has the newer content, which stays.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - stored: The content of the locked file.
  ///   - file: The locked file.
  ///   - delivery: The changes to be sent after the file is unlocked.
  ///   - append: Appends the changes of the value to the journal, and returns its end. It runs in one step with the
  ///     change of the memory, so that no other thread finds the record first and sends it as news.
  /// - Returns: The end of the journal, or `nil` if there is none, or if the file is no longer in place or was replaced.
  /// - Throws: The error of `append`.
  private func take(
    _ value: Value, _ stored: Stored, in file: ExclusiveFile, _ delivery: inout SharedFileDelivery<Value>,
    _ append: () throws(DurableFileError) -> JournalMark?
  ) throws(DurableFileError) -> Taken? {
    try memory.withLock { memory throws(DurableFileError) in
      let mark = try append()
      guard stored.isInPlace || isInPlace(file), isFollowed, memory.knows(stored.data, mark, since: stored.epoch) else {
        queue.async { [weak self] in self?.lookNow() }
        return nil
      }
      let isOwn = mark?.end != stored.mark?.end || mark?.journal !== stored.mark?.journal
      if stored.isInPlace { memory.file.advance() } else if let data = stored.data { _ = memory.file.adopt(data) }
      memory.mark = mark
      if isOwn { memory.lastChange = .now }
      if isOwn || stored.isNews {
        rebased = nil
        delivery.value = stage(value)
      }
      stageStatus(&memory, in: &delivery)
      return mark.map { ($0, memory.file.epoch) }
    }
  }

  // MARK: Bringing the file up to date

  /// Brings the file up to date if the journal is longer than it.
  ///
  /// A process that changes values without a pause does so for at most a twentieth of its time.
  private func rewriteIfLong(_ value: Value, _ data: Data, _ taken: Taken, in file: ExclusiveFile) {
    let limit = max(Self.smallestJournal, data.count)
    guard taken.mark.end > limit else { return }
    let begun = ContinuousClock.now
    let isUrgent = taken.mark.end > 8 * limit && settling.withLock { $0.reported == nil }
    guard isUrgent || memory.withLock({ $0.nextRewrite.map { $0 <= begun } ?? true }) else { return }
    var pause = Duration.zero
    do throws(AppGroupsFileError) {
      try rewrite(value, data, taken, in: file, goesOn: true)
    } catch {
      // The change is in the journal, which has all that the file does not have.
      if isNews(error) { queue.async { [weak self] in self?.failures.send(error) } }
      pause = Self.longStillness
    }
    let end = ContinuousClock.now
    memory.withLock { $0.nextRewrite = end + max(pause, (end - begun) * 20) }
  }

  /// Stores a value as a whole, and begins another journal, or leaves none.
  ///
  /// It does nothing if something else has been observed since the value was stored in memory: then another program has
  /// replaced the file, which wins.
  ///
  /// - Returns: `true` if the value is in the file.
  /// - Throws: ``AppGroupsFileError``; then the changes stay in the journal.
  @discardableResult
  private func rewrite(
    _ value: Value, _ data: Data, _ taken: Taken, in file: ExclusiveFile, goesOn: Bool
  ) throws(AppGroupsFileError) -> Bool {
    let mark = taken.mark
    var whole = value
    journaling?.rebase(&whole)
    let newData = try encoded(whole)
    let durability = mark.durability(atLeast: durability)
    let prepared: PreparedWrite?
    var stored: UInt64?
    do {
      // The content is not new, so it keeps its provenance.
      prepared =
        newData == data
        ? nil : try file.prepare(newData, durability: durability, by: keeper(of: mark, in: file))
      let change = try memory.withLock { memory throws(DurableFileError) -> QuietChange? in
        guard memory.knows(data, mark, since: taken.epoch) else { return nil }
        let change = try put(prepared, in: file)
        _ = memory.file.adopt(newData)
        (memory.mark, rebased) = (nil, whole)
        stored = memory.file.epoch
        return change
      }
      guard stored != nil else { return false }
      settling.withLock { $0.reported = nil }
      change?.deliverOthers()
      // The journal must not be gone on the disk before the file is there.
      if durability == .storage { try file.synchronizeDirectory() }
    } catch {
      throw AppGroupsFileError(error)
    }
    // The stamp must be that of the content, which another program may have replaced again.
    if goesOn, let stored, let stamp = file.stamp, prepared.map({ file.leads(to: $0) }) ?? (stamp == mark.stamp) {
      do throws(DurableFileError) {
        let mark = try beginJournal(newData, stamp, in: file, durability)
        let isKnown = memory.withLock { memory in
          guard memory.knows(newData, mark, since: stored) else { return false }
          memory.mark = mark
          return true
        }
        if isKnown { return true }
      } catch {
        // The next change begins one.
      }
    }
    file.removeJournal()
    return true
  }

  /// Brings the file up to date, so that it contains all changes, and removes the journal.
  ///
  /// - Parameter limit: The longest time to wait for the lock, or `nil` for the limit of the directory.
  /// - Throws: ``AppGroupsFileError``; then the journal stays.
  @available(*, noasync)
  func settle(within limit: Duration? = nil) throws(AppGroupsFileError) {
    guard journaling != nil else { return }
    try whileLocked(within: limit) { file, delivery throws(AppGroupsFileError) in
      // If another program replaces the file in between, the journal is removed the second time.
      for _ in 1...2 {
        let stored = try stored(in: file, trustsEmptiness: true)
        guard let data = stored.data, stored.mark != nil else { return }
        let taken = try translating(
          take(stored.value, stored, in: file, &delivery) { stored.mark }, by: AppGroupsFileError.init)
        if let taken, try rewrite(stored.value, data, taken, in: file, goesOn: false) { return }
      }
    }
  }

  /// Brings the file up to date, whose lock is held for a switch, without a change of the value in memory.
  func settleBeforeSwitch(_ file: ExclusiveFile) {
    guard let journaling else { return }
    do {
      guard let data = try file.read(limit: maximumSize),
        let journal = try file.openJournal().flatMap({ try Journal($0, of: location.url) }),
        journal.header.continues(data)
      else { return }
      var value = try format.decoded(data, from: location.url)
      let reading = try read(journal.start, into: &value, isSettled: true)
      reportDamageLater(reading.damage)
      if reading.end.hasRecords {
        journaling.rebase(&value)
        let durability = reading.end.durability(atLeast: durability)
        try file.prepare(encoded(value), durability: durability, by: keeper(of: reading.end, in: file)).commit()
        if durability == .storage { try file.synchronizeDirectory() }
      }
      file.removeJournal()
    } catch {
      // The journal stays beside the file.
    }
  }

  /// Returns the maker of the last change in a journal, whose content is about to be stored as a whole.
  private func keeper(of mark: JournalMark, in file: ExclusiveFile) -> Provenance.Note {
    .init(keeping: mark.version.flatMap { file.provenance(of: $0) })
  }

  // MARK: Stillness

  /// The state of the wait for stillness.
  struct Settling {
    /// The waits in progress: for changes of this process, and for those of others.
    var waits: Set<Bool> = []
    var pauses = Backoff.unreadable.pauses()
    var reported: AppGroupsFileError?
  }

  /// Brings the file up to date once nothing has changed for a while.
  ///
  /// - Parameter isOwn: A Boolean value that indicates whether this process has changed something. Others wait longer,
  ///   and act only if that process has ended.
  func settleLater(isOwn: Bool) {
    guard settling.withLock({ $0.waits.insert(isOwn).inserted }) else { return }
    let seen = memory.withLock { $0.mark }
    if isOwn {
      // The object lives until its changes are in the file.
      queue.async(after: Self.stillness) { self.settleIfStill(seen, isOwn: true) }
    } else {
      queue.async(after: Self.longStillness) { [weak self] in self?.settleIfStill(seen, isOwn: false) }
    }
  }

  private func settleIfStill(_ seen: JournalMark?, isOwn: Bool) {
    settling.withLock { _ = $0.waits.remove(isOwn) }
    let mark = memory.withLock { $0.mark }
    if let mark, mark.journal !== seen?.journal || mark.end != seen?.end { return settleLater(isOwn: isOwn) }
    // Nothing is left of the own changes, or somebody has removed the journal, perhaps with its directory. Then not even
    // a lock may be created there.
    guard mark?.journal.file.status?.isLinked ?? !isOwn else { return }
    do throws(AppGroupsFileError) {
      try settle(within: .zero)
      settling.withLock { settling in
        settling.pauses.reset()
        settling.reported = nil
      }
    } catch {
      switch error {
      // Another process has the lock, and perhaps does the same.
      case .inaccessible(.lockTimeout): break
      // The file was up to date before that.
      case .suspended, .closedBySwitch: return
      default:
        // The process that made the changes does it, or the next one that changes something.
        guard isOwn else { return }
        if isNews(error) { failures.send(error) }
      }
      guard let pause = settling.withLock({ $0.pauses.next() }) else { return }
      queue.async(after: pause) { [weak self] in self?.settleIfStill(mark, isOwn: isOwn) }
    }
  }

  /// Returns whether a failure to bring the file up to date is to be reported, which is so once.
  private func isNews(_ error: AppGroupsFileError) -> Bool {
    let isNew = settling.withLock { exchange(&$0.reported, with: error) } != error
    // Reading reports content that cannot be used.
    return isNew && !error.isAboutContent
  }
}
