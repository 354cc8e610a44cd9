import Dispatch
import FileSignals

/// When to look again at what cannot be read for a reason of which no event tells that it has passed: seldom, and the
/// seldomer the longer it lasts.
struct Patience {
  private static let longest = 30

  private var seconds = 1

  /// How long to wait before the next look.
  mutating func next() -> DispatchTimeInterval {
    defer { seconds = min(seconds * 2, Self.longest) }
    return .seconds(seconds)
  }

  mutating func reset() {
    seconds = 1
  }
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
