import Dispatch
import FileSignals
import Foundation
import Signals

/// Reading the journal of a file, which contains the changes that the file does not contain yet.
///
/// ```
///   set ──▶ record ──▶ journal ──▶ observers in all processes
///                         └─ soon, all at once ──▶ file
/// ```
extension SharedFileEngine {
  /// The observation of the journal, whose path depends on symbolic links of the file.
  struct JournalWatch {
    var path: String?
    var subscription: SignalSubscription?
  }

  /// Opens the journal, and observes it from before that moment on.
  ///
  /// - Returns: The journal, or `nil` if there is none or this process may not read it.
  func openJournal() throws(AppGroupsFileError) -> Journal? {
    guard journaling != nil else { return nil }
    do {
      // A later look must not create anything, because the directory may be about to be removed.
      let isFirst = journalWatch.withLock { $0.path == nil }
      var (file, path) = try location.openJournal(isCreating: isFirst)
      if try watchJournal(at: path) { (file, path) = try location.openJournal(isCreating: isFirst) }
      return try file.flatMap { file throws(DurableFileError) in try Journal(file, of: location.url) }
    } catch let error as DurableFileError {
      switch error {
      case .descriptorLimitReached, .system: throw AppGroupsFileError(error)
      // Reading the file reports the reason. Who may not enter the folder of the lock cannot change the file either.
      default: return nil
      }
    } catch let error as FileObserverError {
      throw .unobservable(error)
    } catch {
      stop(because: "opening a journal threw \(error)")
    }
  }

  /// Observes the journal at a path, unless that is done already.
  ///
  /// - Returns: `true` if the observation has just begun.
  private func watchJournal(at path: String) throws(FileObserverError) -> Bool {
    if journalWatch.withLock({ $0.path == path }) { return false }
    let changes = try PathChanges(journal: path, polling: polling, queue: queue)
    let subscription = changes.sink { [weak self] change in self?.lookNow(isAboutJournal: !change.isIncomplete) }
    journalWatch.replace { exchange(&$0, with: JournalWatch(path: path, subscription: subscription)) }
    return true
  }

  /// Reads on in the known journal.
  ///
  /// - Returns: The result, or `nil` if the journal was replaced or removed, so that the file must be read.
  func lookAtJournal(_ begun: Beginning) throws(AppGroupsFileError) -> Sight? {
    guard let known = begun.known, let mark = begun.mark, let path = journalWatch.withLock({ $0.path }),
      let status = FileStatus.ifReadable(path: path, followsLinks: false),
      status.identity == mark.journal.file.identity, status.size >= mark.end
    else { return nil }
    if status.size == mark.end { return Sight(look: .unchanged, mark: mark) }
    // On an overlay, the open file may be the one below, which has not changed.
    guard let size = mark.journal.file.status?.size, size >= status.size else { return nil }
    return try sight(known, begun.current, after: mark, size: size, isUnchanged: true)
  }

  /// Returns the result of reading the file and its journal.
  func look(at data: Data, _ journal: Journal?, _ begun: Beginning) throws(AppGroupsFileError) -> Sight {
    var sight: Sight
    let isKnown = data == begun.known
    let isKnownJournal = isKnown && isSame(journal, begun.mark?.journal)
    // A journal that continued the content before is not compared with its checksum again.
    if let journal, isKnownJournal || journal.header.continues(data) {
      if isKnownJournal, var mark = begun.mark, isAtLeast(mark) {
        mark.journal = journal
        return try self.sight(data, begun.current, after: mark, isUnchanged: true)
      }
      sight = try self.sight(data, format.decoded(data, from: location.url), after: journal.start, isUnchanged: false)
    } else {
      if isKnown, begun.mark == nil {
        sight = Sight(look: .unchanged)
      } else {
        sight = Sight(look: .content(data, try format.decoded(data, from: location.url)))
      }
      // Another program may have replaced the file; if a process has done so, it is about to remove the journal.
      sight.isUnsettled = journal != nil
    }
    if begun.known != nil, case .content(_, let value) = sight.look, let journaling {
      sight.isEcho = journaling.areSame(value, begun.current)
    }
    return sight
  }

  /// Returns whether a journal is one that was opened before, and not a copy.
  private func isSame(_ journal: Journal?, _ known: Journal?) -> Bool {
    journal?.header == known?.header && journal?.file.identity == known?.file.identity
  }

  private func isAtLeast(_ mark: JournalMark) -> Bool { mark.journal.file.status.map { $0.size >= mark.end } ?? false }

  private func sight(
    _ data: Data, _ value: Value, after mark: JournalMark, size: Int? = nil, isUnchanged: Bool
  ) throws(AppGroupsFileError) -> Sight {
    var value = value
    let reading = try read(mark, into: &value, isSettled: false, size: size)
    let look: SharedFileState.Look<Value> =
      isUnchanged && reading.payloads.isEmpty ? .unchanged : .content(data, value)
    return Sight(look: look, mark: reading.end, damage: reading.damage, isUnsettled: true)
  }

  /// Applies the records after a place to a value.
  func read(
    _ mark: JournalMark, into value: inout Value, isSettled: Bool, size: Int? = nil
  ) throws(AppGroupsFileError) -> JournalMark.Reading {
    guard var reading = mark.read(isSettled: isSettled, size: size) else {
      throw .inaccessible(DurableFileError(errno, "read the journal of", location.url))
    }
    if !reading.payloads.isEmpty, let journaling, try !journaling.apply(reading.payloads, &value) {
      reading.damage.append("a record does not contain changes of values")
    }
    return reading
  }

  /// Returns the value that a file and its journal have together.
  func value(of data: Data, _ journal: Journal?) throws(AppGroupsFileError) -> (value: Value, end: JournalMark?) {
    var value = try format.decoded(data, from: location.url)
    guard let journal, journal.header.continues(data) else { return (value, nil) }
    let end = try read(journal.start, into: &value, isSettled: false).end
    return (value, end)
  }

  /// Reports damage of the journal.
  func reportDamage(_ reasons: [String]) {
    for reason in reasons { failures.send(.damagedJournal(location.url, reason: reason)) }
  }

  /// Reports damage of the journal after the lock has been released.
  func reportDamageLater(_ reasons: [String]) {
    if !reasons.isEmpty { queue.async { [weak self] in self?.reportDamage(reasons) } }
  }

  // MARK: With the lock

  /// The time for which the path to a locked file's directory is not checked again, as long as its journal is in place.
  ///
  /// Everyone who locks the file and then removes its directory or its lock removes the journal first.
  static var trust: Duration { .milliseconds(100) }

  /// Returns whether the path is known to lead to the open files, because the journal is still in place; to be called
  /// with the lock held.
  func vouch(for descriptors: FileDescriptors) -> Bool {
    guard journaling != nil else { return false }
    return memory.withLock { $0.vouch(for: descriptors) }
  }

  /// Returns the value in the locked file if the journal has vouched for what is known.
  func vouchedFor(_ file: ExclusiveFile) throws(AppGroupsFileError) -> Stored? {
    guard journaling != nil else { return nil }
    var size = 0
    let found = memory.withLock { memory -> Stored? in
      guard let found = memory.takeVouched(for: file.descriptors), let known = memory.file.known else { return nil }
      size = found
      // The path was checked if it was not trusted.
      let now = ContinuousClock.now
      if memory.isTrustedUntil <= now { memory.isTrustedUntil = now + Self.trust }
      return Stored(
        value: rebased ?? value.value, data: known, mark: memory.mark, isInPlace: true, epoch: memory.file.epoch)
    }
    guard var stored = found else { return nil }
    if let mark = stored.mark, size > mark.end { try catchUp(&stored, size: size) }
    return stored
  }

  /// Returns the value that the locked file and its journal have together.
  ///
  /// - Parameters:
  ///   - data: The content of the file.
  ///   - stamp: The stamp of the file from before its content was read.
  ///   - file: The locked file.
  ///   - begun: The known state.
  /// - Returns: The value, with the end of the journal if it continues the file.
  /// - Throws: ``AppGroupsFileError``.
  func stored(
    _ data: Data, _ stamp: FileStamp?, in file: ExclusiveFile, _ begun: Beginning
  ) throws(AppGroupsFileError) -> Stored {
    let opened = try translating(file.openJournal(), by: AppGroupsFileError.init)
    let journal = try translating(
      opened.flatMap { file throws(DurableFileError) in try Journal(file, of: location.url) },
      by: AppGroupsFileError.init)
    memory.withLock { $0.isTrustedUntil = .now + Self.trust }
    let isKnown = data == begun.known
    let isKnownJournal = isKnown && isSame(journal, begun.mark?.journal)
    if let journal, isKnownJournal || journal.header.continues(data) {
      var stored: Stored
      if isKnownJournal, var mark = begun.mark, isAtLeast(mark) {
        if journal.file.isWritable != mark.journal.file.isWritable { mark.journal = journal }
        stored = Stored(value: begun.current, data: data, mark: mark, epoch: begun.epoch)
      } else {
        let decoded = try format.decoded(data, from: location.url)
        stored = Stored(value: decoded, data: data, mark: journal.start, isNews: true, epoch: begun.epoch)
      }
      stored.stamp = stamp
      stored.mark?.stamp = stamp
      try catchUp(&stored)
      return stored
    }
    let value = isKnown && begun.mark == nil ? begun.current : try format.decoded(data, from: location.url)
    if opened != nil { bury(journal, value, in: file) }
    return Stored(
      value: value, data: data, isNews: !isKnown || begun.mark != nil, stamp: stamp, epoch: begun.epoch)
  }

  /// Applies the records that other processes have appended, and removes the beginning of one whose writer was killed.
  ///
  /// If something else follows, the journal is closed: the next change replaces the file. A removal of those bytes might
  /// not be on the disk when another record is.
  private func catchUp(_ stored: inout Stored, size: Int? = nil) throws(AppGroupsFileError) {
    guard let mark = stored.mark else { return }
    var reading = try read(mark, into: &stored.value, isSettled: true, size: size)
    if !reading.payloads.isEmpty { stored.isNews = true }
    switch reading.rest {
    case .nothing: break
    case .torn: mark.journal.file.cut(to: reading.end.end)
    case .unwritten: reading.end.isClosed = true
    case .damaged(let reason):
      reading.damage.append(reason)
      reading.end.isClosed = true
    }
    stored.mark = reading.end
    reportDamageLater(reading.damage)
  }

  /// Removes a journal that does not continue the file, and reports the changes that the file does not have.
  private func bury(_ journal: Journal?, _ value: Value, in file: ExclusiveFile) {
    file.removeJournal()
    let error: AppGroupsFileError
    if let records = journal?.start.read(isSettled: true)?.payloads {
      do throws(AppGroupsFileError) {
        let keys = try journaling?.missing(records, value) ?? []
        if keys.isEmpty { return }
        error = .changesReplaced(location.url, keys: keys)
      } catch let unopened {
        error = unopened
      }
    } else {
      let reason = journal == nil ? "it does not begin as a journal" : "it cannot be read"
      error = .damagedJournal(location.url, reason: reason)
    }
    queue.async { [weak self] in self?.failures.send(error) }
  }
}
