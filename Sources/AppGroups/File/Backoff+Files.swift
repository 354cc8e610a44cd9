import FileSignals
import Signals

extension Backoff {
  /// The pauses before content that is not good is reported.
  ///
  /// A foreign writer that does not rename may be caught halfway; a moment later it is done. The pauses grow so that
  /// even a slow one is waited for, and end so that nothing wakes up for ever.
  static let halfWritten = exponential(from: .milliseconds(10), upTo: .milliseconds(250), factor: 5, limit: 3)

  /// The pauses between looks at a file that cannot be read for a reason whose end no event reports.
  static let unreadable = exponential(from: .seconds(1), upTo: .seconds(30))
}

extension DurableFileError {
  /// Whether the reason may pass without a change of any file, such as a want of descriptors or of memory, or a device
  /// that is locked.
  var mayPassUnseen: Bool {
    switch self {
    case .descriptorLimitReached, .permissionDenied, .system: true
    default: false
    }
  }
}

extension AppGroupsFileError {
  /// Whether the reason may pass without a change of any file.
  var mayPassUnseen: Bool {
    if case .inaccessible(let error) = self { error.mayPassUnseen } else { false }
  }
}

extension AppGroupsLogError {
  /// Whether the reason may pass without a change of any file.
  var mayPassUnseen: Bool {
    if case .inaccessible(let error) = self { error.mayPassUnseen } else { false }
  }
}
