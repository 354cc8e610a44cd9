import FileSignals
import Stores

extension ContextError {
  /// Returns a Boolean value that indicates whether an operation failed because this process is suspended.
  static func isAboutSuspension(_ error: any Error) -> Bool {
    switch error {
    case DurableFileError.suspended, DatabaseError.suspended, ContextError.suspended: true
    default: false
    }
  }
}
