/// How a signal ended.
@frozen
public enum SignalCompletion<Failure: Error>: Sendable {
  /// The signal has sent everything it had.
  case finished

  /// The signal cannot go on because of an error.
  case failure(Failure)
}

extension SignalCompletion: Equatable where Failure: Equatable {}
extension SignalCompletion: Hashable where Failure: Hashable {}
