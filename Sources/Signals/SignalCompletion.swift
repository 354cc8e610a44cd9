/// The way a signal ended.
@frozen
public enum SignalCompletion<Failure: Error>: Sendable {
  /// The signal completed normally.
  case finished

  /// The signal ended with an error.
  case failure(Failure)
}

extension SignalCompletion: Equatable where Failure: Equatable {}
extension SignalCompletion: Hashable where Failure: Hashable {}
