import Foundation
import Signals

/// What is known of a shared file, and what follows from each look at it: values only, no file, no lock, no time.
struct SharedFileState: Sendable {
  /// What a look at the file found, compared with the bytes known when it began.
  enum Look<Value: Sendable>: Sendable {
    case unchanged
    case content(Data, Value)
    /// Nothing, of which the format makes a value: somebody's, or the file is about to be filled; then it is the error.
    case emptied(Value, AppGroupsFileError)
    case failure(AppGroupsFileError)
  }

  /// What follows from a look.
  enum Verdict<Value: Sendable>: Sendable {
    /// The known bytes changed while looking, so what was seen may be older than what is known.
    case lookAgain
    /// Nothing is new, except perhaps that all is well again.
    case nothing
    case news(Value)
    /// Look again after a while, and say which retry it is.
    case retry(Int, after: Duration)
    case report(AppGroupsFileError)
  }

  /// The bytes that the value in memory was made from or written as; `nil` if it is neither.
  private(set) var known: Data?

  /// Counts the changes of ``known``, so that a look that began before one can tell.
  private(set) var epoch: UInt64 = 0

  /// Why the value is not the one in the file; `nil` if it is.
  private(set) var problem: AppGroupsFileError?
  private var earlyPauses = Backoff.halfWritten.pauses()
  private var latePauses = Backoff.unreadable.pauses()

  /// Which retry is awaited, if any, and how many there were; one that is no longer awaited is a look like any other.
  private var awaitedRetry: Int?
  private var retryCount = 0
  /// Whether it is awaited for what has been reported, so that other trouble need not wait for it.
  private var isPatient = false

  /// The error that is looked into before it is reported, and the last one that was reported since all was well.
  private var suspected: AppGroupsFileError?
  private var reported: AppGroupsFileError?

  /// Begins again with another file: looks that began before do not count, and nothing is suspected.
  ///
  /// The bytes stay known, because a file that holds the same is no news.
  mutating func restart() {
    epoch &+= 1
    recover()
  }

  /// Awaits no retry any more, since it may have come while nobody looked; what is bad then still is looked into anew.
  mutating func forgetRetry() {
    awaitedRetry = nil
    earlyPauses.reset()
  }

  /// Gives up what is known, because there is nothing good in the place where another file was.
  mutating func abandon(_ error: AppGroupsFileError) {
    epoch &+= 1
    known = nil
    reported = error
    problem = error
  }

  /// Looks at nothing any more, and says why.
  mutating func close(_ error: AppGroupsFileError) {
    epoch &+= 1
    problem = error
  }

  /// Admits from the beginning that the value does not come from the file, unless by now it does.
  mutating func doubt(_ error: AppGroupsFileError) {
    if known == nil { problem = error }
  }

  /// Takes in bytes that were just put into the file.
  ///
  /// - Returns: Whether they are news.
  mutating func adopt(_ data: Data) -> Bool {
    recover()
    // Also when the bytes are no news: a look that is under way may have seen others in between.
    epoch &+= 1
    guard data != known else { return false }
    known = data
    return true
  }

  /// Concludes a look that began in `start`; `retry` says which one it is, if a ``Verdict/retry(_:after:)`` asked for
  /// it.
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
      // Nobody has filled it all that time.
      if case .report = verdict { return take(Data(), value) }
      return verdict
    case .failure(let error):
      return concludeFailure(error)
    }
  }

  private mutating func take<Value: Sendable>(_ data: Data, _ value: Value) -> Verdict<Value> {
    recover()
    known = data
    epoch &+= 1
    return .news(value)
  }

  private mutating func concludeFailure<Value: Sendable>(_ error: AppGroupsFileError) -> Verdict<Value> {
    // The awaited retry will look again; events in between do not hurry it.
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

  private mutating func recover() {
    earlyPauses.reset()
    latePauses.reset()
    awaitedRetry = nil
    suspected = nil
    reported = nil
    problem = nil
  }
}
