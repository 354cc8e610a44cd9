/// A rule that determines when an observer polls for changes.
///
/// The system reports changes that are made on this machine. It does not report changes that other machines make on a
/// network file system such as NFS. Nor does it report changes that a host makes to a file system it shares with a
/// guest, such as virtiofs or 9p. Such file systems must be polled. A poll costs one system call for a file, and one
/// for each entry of a directory. It is therefore limited to where it is needed: while nothing is polled, there is no
/// timer.
@nonexhaustive
public enum WatchPolling: Sendable, Hashable {
  /// Polls only if the system does not report changes, or cannot because one of its limits is reached.
  ///
  /// ``WatchHealth`` reports this. An interval below one millisecond counts as one millisecond.
  case automatic(every: Duration)

  /// Polls always, and does not use the system's events. An interval below one millisecond counts as one millisecond.
  case always(every: Duration)

  /// Never polls.
  ///
  /// If a limit of the system is reached, creating an observer throws an error, and an existing observer is impaired.
  /// Changes by other machines are not detected.
  case never

  /// Polls only where needed, every two seconds.
  ///
  /// Desktop environments poll about as often, and the load on a network server stays small.
  public static let automatic = WatchPolling.automatic(every: .seconds(2))

  /// The reason for which an observer polls.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// Polling was requested.
    case requested

    /// The file system is of this type, and other systems may change it without notifying this one.
    case fileSystem(String)

    /// The system allows no more watches.
    ///
    /// The observer tries again at each poll, and stops polling when it succeeds.
    case limit(FileObserverError)
  }

  /// The polling interval, at least a millisecond; `nil` if the observer never polls.
  var interval: Duration? {
    switch self {
    case .automatic(let interval), .always(let interval): max(interval, .milliseconds(1))
    case .never: nil
    }
  }

  /// A Boolean value that indicates whether the system's events are not used.
  var isForced: Bool {
    if case .always = self { true } else { false }
  }
}
