import Signals

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
