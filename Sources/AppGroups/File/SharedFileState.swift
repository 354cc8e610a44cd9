package import FileSignals
import Foundation
package import Signals

/// The known state of a shared file, and the decisions that follow from each read of it.
///
/// It consists of values only, and accesses no file, lock or clock.
struct SharedFileState: Sendable {
  /// The result of a read, compared with the bytes that were known when it began.
  enum Look<Value: Sendable>: Sendable {
    case unchanged
    case content(Data, Value)
    /// No bytes, which the format decodes as a value.
    ///
    /// A program may be about to fill the file, so the error is retried before the value counts.
    case emptied(Value, AppGroupsFileError)
    case failure(AppGroupsFileError)
  }

  /// The decision that follows from a read.
  enum Verdict<Value: Sendable>: Sendable {
    /// The known bytes changed during the read, so its result may be outdated.
    case lookAgain
    /// Nothing has changed, except that an error may have ended.
    case nothing
    case news(Value)
    /// Read the file again after a pause, and pass on the number of the retry.
    case retry(Int, after: Duration)
    case report(AppGroupsFileError)
  }

  /// The bytes that the value in memory was decoded from or encoded as; `nil` if there are none.
  private(set) var known: Data?

  /// The stamp of the file if it has the known bytes as long as it keeps the stamp; otherwise `nil`.
  private(set) var stamp: FileStamp?

  /// The number of changes of ``known``.
  ///
  /// It shows whether a read began before the latest one.
  private(set) var epoch: UInt64 = 0

  /// The reason why the value is not the one in the file; `nil` if it is.
  private(set) var problem: AppGroupsFileError?
  private var earlyPauses = Backoff.halfWritten.pauses()
  private var latePauses = Backoff.unreadable.pauses()

  /// The number of the awaited retry, if there is one, and the number of all retries.
  ///
  /// A retry that is no longer awaited counts as an ordinary read.
  private var awaitedRetry: Int?
  private var retryCount = 0
  /// A Boolean value that indicates whether the retry is for an error that was reported.
  ///
  /// Another error does not wait for it.
  private var isPatient = false

  /// The error that is retried before it is reported, and the last error that was reported since the file was good.
  private var suspected: AppGroupsFileError?
  private var reported: AppGroupsFileError?

  /// Begins again with another file: earlier reads do not count, and no error is suspected.
  ///
  /// The bytes stay known, because a file with the same bytes causes no change.
  mutating func restart() {
    epoch &+= 1
    stamp = nil
    recover()
  }

  /// Forgets the awaited retry, which may have come during a switch, when the file was not read.
  ///
  /// If the content is still bad, the retries begin again.
  mutating func forgetRetry() {
    awaitedRetry = nil
    earlyPauses.reset()
  }

  /// Forgets the known bytes, because their file was replaced by an unusable one.
  mutating func abandon(_ error: AppGroupsFileError) {
    epoch &+= 1
    (known, stamp) = (nil, nil)
    reported = error
    problem = error
  }

  /// Stops following the file, and records the reason.
  mutating func close(_ error: AppGroupsFileError) {
    epoch &+= 1
    problem = error
  }

  /// Records that the value does not come from the file, unless a read has succeeded in between.
  mutating func doubt(_ error: AppGroupsFileError) {
    if known == nil { problem = error }
  }

  /// Makes reads count no more that have begun, because the locked file may be newer than what they have found.
  mutating func outdateReads() { epoch &+= 1 }

  /// Records that the content has changed, although the file has not, because the change is in its journal.
  mutating func advance() {
    recover()
    epoch &+= 1
  }

  /// Records the bytes that were just written to the file.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - stamp: The new ``stamp``, if it is known.
  /// - Returns: `true` if they differ from the known ones.
  mutating func adopt(_ data: Data, stamp: FileStamp? = nil) -> Bool {
    recover()
    // Even if the bytes are known: a read in progress may have seen other bytes in between.
    epoch &+= 1
    guard data != known else {
      self.stamp = stamp ?? self.stamp
      return false
    }
    (known, self.stamp) = (data, stamp)
    return true
  }

  /// Decides what follows from a read that began in the epoch `start`.
  ///
  /// `retry` is the number of the retry if a ``Verdict/retry(_:after:)`` requested the read.
  mutating func conclude<Value: Sendable>(
    _ look: Look<Value>, begunIn start: UInt64, retry: Int? = nil
  ) -> Verdict<Value> {
    guard start == epoch else { return .lookAgain }
    if let retry, retry == awaitedRetry { awaitedRetry = nil }
    switch look {
    case .unchanged:
      recover()
      return .nothing
    case .content(let data, let value):
      return take(data, value)
    case .emptied(let value, let error):
      let verdict: Verdict<Value> = concludeFailure(error)
      // The file has stayed empty all that time.
      if case .report = verdict { return take(Data(), value) }
      return verdict
    case .failure(let error):
      return concludeFailure(error)
    }
  }

  private mutating func take<Value: Sendable>(_ data: Data, _ value: Value) -> Verdict<Value> {
    recover()
    (known, stamp) = (data, nil)
    epoch &+= 1
    return .news(value)
  }

  private mutating func concludeFailure<Value: Sendable>(_ error: AppGroupsFileError) -> Verdict<Value> {
    // The awaited retry reads the file again; events in between do not hurry it.
    if awaitedRetry != nil, !isPatient || error == suspected { return .nothing }
    if error != suspected {
      suspected = error
      earlyPauses.reset()
      latePauses.reset()
    }
    isPatient = error == reported
    if isPatient {
      guard error.mayPassUnseen, let pause = latePauses.next() else { return .nothing }
      return retry(after: pause)
    }
    if let pause = earlyPauses.next() { return retry(after: pause) }
    reported = error
    problem = error
    return .report(error)
  }

  private mutating func retry<Value: Sendable>(after pause: Duration) -> Verdict<Value> {
    retryCount += 1
    awaitedRetry = retryCount
    return .retry(retryCount, after: pause)
  }

  /// A Boolean value that indicates whether the value is the one in the file.
  var isGood: Bool { if case nil = problem { true } else { false } }

  private mutating func recover() {
    // The usual case: a retry follows only an error that is suspected.
    if case (nil, nil, nil) = (suspected, reported, problem) { return }
    earlyPauses.reset()
    latePauses.reset()
    awaitedRetry = nil
    suspected = nil
    reported = nil
    problem = nil
  }
}

/// The known state of a shared file and of switches.
///
/// Its lock is held while values are staged, so that they are sent in order. It is not nested in the generic engine,
/// because the type of a nested structure would be looked up at each use.
struct SharedFileMemory {
  var file = SharedFileState()
  var phase = SwitchPhase.open
  /// A Boolean value that indicates whether the status is that of a current value.
  var isStatusCurrent = true
  /// A Boolean value that indicates whether a read was skipped during a switch.
  var isLookDue = false
  /// A Boolean value that indicates whether the postponed read is only about the journal; `nil` if there is none.
  var postponedLook: Bool?
  /// The place in the journal up to which its records are in the value; `nil` if no journal continues the known file.
  var mark: JournalMark?

  /// A journal that is in place, with its size, for the thread that has the lock.
  private struct Vouched {
    let journal: Journal
    let size: Int
    let descriptors: FileDescriptors
  }

  private var vouched: Vouched?
  /// The moment up to which the path to the file's directory need not be checked while the journal is in place.
  var isTrustedUntil = ContinuousClock.now
  var lastChange: ContinuousClock.Instant?
  /// The earliest moment at which the file is brought up to date while changes go on.
  var nextRewrite: ContinuousClock.Instant?

  /// Returns whether the path is known to lead to the open files, because the journal is still in place.
  mutating func vouch(for descriptors: FileDescriptors) -> Bool {
    guard phase == .open, let journal = mark?.journal, journal.file.isWritable, let stamp = mark?.stamp,
      let status = journal.file.status, status.isLinked, descriptors.statusIfReadable?.stamp == stamp
    else { return false }
    vouched = Vouched(journal: journal, size: status.size, descriptors: descriptors)
    return ContinuousClock.now < isTrustedUntil
  }

  /// Postpones a read, or combines it with the one that is postponed already.
  ///
  /// - Parameter isAboutJournal: A Boolean value that indicates whether only the journal may have changed.
  /// - Returns: `true` if none was postponed.
  mutating func postponeLook(isAboutJournal: Bool) -> Bool {
    defer { postponedLook = (postponedLook ?? true) && isAboutJournal }
    return postponedLook == nil
  }

  /// Returns whether nothing else has been observed than the content of a file with its journal.
  ///
  /// - Parameters:
  ///   - data: The content of the file.
  ///   - mark: A place in its journal; `nil` if it has none.
  ///   - epoch: The number of changes of ``SharedFileState/known`` when that was read or stored.
  /// - Returns: `false` if another program has replaced one of them.
  func knows(_ data: Data?, _ mark: JournalMark?, since epoch: UInt64) -> Bool {
    if file.epoch == epoch { return true }
    // An observer may have read the same.
    guard file.known == data else { return false }
    guard let known = self.mark?.journal.header, let mark else { return true }
    return known == mark.journal.header
  }

  /// Returns the size of the journal if it has vouched for what is known, once.
  mutating func takeVouched(for descriptors: FileDescriptors) -> Int? {
    guard let vouched = vouched.take(), vouched.descriptors === descriptors, let mark,
      mark.journal === vouched.journal, mark.stamp != nil, vouched.size >= mark.end
    else { return nil }
    return vouched.size
  }
}

/// Stored values that will be sent to subscribers when no lock is held.
struct SharedFileDelivery<Value: Sendable>: ~Copyable {
  var value: StagedValue<Value>?
  var status: StagedValue<SharedValueStatus<AppGroupsFileError>>?

  /// Sends the value before the status, so that a subscriber that receives the recovery finds the new value.
  func send() {
    value?.send()
    status?.send()
  }
}

extension SharedValueStatus<AppGroupsFileError> {
  /// Creates the status that follows another one.
  ///
  /// - Parameters:
  ///   - error: The reason why the value is not the stored one; `nil` if it is.
  ///   - previous: The previous status.
  init(_ error: AppGroupsFileError?, after previous: Self) {
    switch error {
    case nil: self = .current
    case .missing: self = .missing
    case let error?: self = .stale(error, after: previous)
    }
  }
}

extension Backoff {
  /// The pauses before unusable content is reported.
  ///
  /// A program that writes in place may be half finished; shortly afterwards it is done. The pauses grow so that slow
  /// writers have time, and end so that no timer runs forever.
  static let halfWritten = exponential(from: .milliseconds(10), upTo: .milliseconds(250), factor: 5, limit: 3)

  /// The pauses between reads of a file whose error may end without an event.
  package static let unreadable = exponential(from: .seconds(1), upTo: .seconds(30))
}

extension DurableFileError {
  /// A Boolean value that indicates whether the cause may pass without a change of any file.
  ///
  /// Examples are a lack of file descriptors or of memory, and a locked device.
  package var mayPassUnseen: Bool {
    switch self {
    case .descriptorLimitReached, .permissionDenied, .system: true
    default: false
    }
  }
}

extension AppGroupsFileError {
  /// A Boolean value that indicates whether the cause may pass without a change of any file.
  var mayPassUnseen: Bool {
    if case .inaccessible(let error) = self { error.mayPassUnseen } else { false }
  }
}

extension AppGroupsLogError {
  /// A Boolean value that indicates whether the cause may pass without a change of any file.
  var mayPassUnseen: Bool {
    if case .inaccessible(let error) = self { error.mayPassUnseen } else { false }
  }
}
