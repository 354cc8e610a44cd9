/// How a shared value stands to what is stored.
public enum SharedValueStatus: Sendable, Hashable {
  /// The value is the one that is stored, as far as anybody has told.
  case current

  /// Nothing is stored, or no longer: the value is the last one that was, or the initial one.
  case missing

  /// What is stored cannot be used: the value is the last good one, or the initial one.
  case stale(AppGroupsFileError)

  init(_ error: AppGroupsFileError) {
    if case .missing = error { self = .missing } else { self = .stale(error) }
  }
}
