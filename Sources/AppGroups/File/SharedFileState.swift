import Dispatch
import Foundation

/// What is known of a shared file, and what follows from each look at it: values only, no file, no lock, no time.
struct SharedFileState {
  /// What a look at the file found, compared with the bytes known when it began.
  enum Look<Value> {
    case unchanged
    case content(Data, Value)
    case failure(AppGroupsFileError)
  }

  /// What follows from a look.
  enum Verdict<Value> {
    /// The known bytes changed while looking, so what was seen may be older than what is known.
    case lookAgain
    /// Nothing is new, except perhaps that all is well again.
    case nothing
    case news(Value)
    case retry(after: DispatchTimeInterval)
    case report(AppGroupsFileError)
  }

  /// The bytes that the value in memory was made from or written as; `nil` if it is neither.
  private(set) var known: Data?

  /// Counts the changes of ``known``, so that a look that began before one can tell.
  private(set) var epoch: UInt64 = 0

  private(set) var status: SharedValueStatus
  private var ladder = RetryLadder()
  private var isRetrying = false

  /// The error that the ladder is being climbed for, and the last one that was reported since all was well.
  private var suspected: AppGroupsFileError?
  private var reported: AppGroupsFileError?

  init(status: SharedValueStatus) {
    self.status = status
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

  /// Concludes a look that began in `start`.
  ///
  /// - Parameter isRetry: Whether the look is the one that the last ``Verdict/retry(after:)`` asked for.
  mutating func conclude<Value>(_ look: Look<Value>, begunIn start: UInt64, isRetry: Bool) -> Verdict<Value> {
    guard start == epoch else { return .lookAgain }
    if isRetry { isRetrying = false }
    switch look {
    case .unchanged:
      recover()
      return .nothing
    case .content(let data, let value):
      recover()
      known = data
      epoch &+= 1
      return .news(value)
    case .failure(let error):
      return concludeFailure(error)
    }
  }

  private mutating func concludeFailure<Value>(_ error: AppGroupsFileError) -> Verdict<Value> {
    // The pending retry will look again; events in between do not hurry it.
    if isRetrying { return .nothing }
    if error != suspected {
      suspected = error
      ladder.reset()
    }
    if error == reported { return .nothing }
    if let pause = ladder.climb() {
      isRetrying = true
      return .retry(after: pause)
    }
    reported = error
    status = SharedValueStatus(error)
    return .report(error)
  }

  private mutating func recover() {
    ladder.reset()
    isRetrying = false
    suspected = nil
    reported = nil
    status = .current
  }
}
