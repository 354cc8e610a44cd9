import FileSignals
import Signals

extension Backoff {
  /// The pauses before unusable content is reported.
  ///
  /// A program that writes in place may be half finished; shortly afterwards it is done. The pauses grow so that slow
  /// writers have time, and end so that no timer runs forever.
  static let halfWritten = exponential(from: .milliseconds(10), upTo: .milliseconds(250), factor: 5, limit: 3)

  /// The pauses between reads of a file whose error may end without an event.
  static let unreadable = exponential(from: .seconds(1), upTo: .seconds(30))
}

extension DurableFileError {
  /// A Boolean value that indicates whether the cause may pass without a change of any file.
  ///
  /// Examples are a lack of file descriptors or of memory, and a locked device.
  var mayPassUnseen: Bool {
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
