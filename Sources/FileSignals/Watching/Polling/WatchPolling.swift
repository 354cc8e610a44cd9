/// Whether an observer looks for changes from time to time, where or when the system does not tell of them.
///
/// The system tells of what happens on this machine. On a file system that other machines write as well, such as NFS,
/// or that a host shares with its guest, such as virtiofs and 9p, nobody tells; looking is then all that helps. A look
/// costs a system call for a file, and one for each entry of a directory, so it is not done where it is not needed:
/// while nothing is polled there is no timer.
public enum WatchPolling: Sendable, Hashable {
  /// Looks only where the system does not tell, or cannot because a limit of its own is reached; ``WatchHealth`` says
  /// so.
  case automatic(every: Duration)

  /// Looks and does not ask the system at all.
  case always(every: Duration)

  /// Does not look: the observer throws, or is impaired, where a limit keeps the system from telling, and does not see
  /// what other machines do.
  case never

  /// Looks where it is needed, every two seconds: as often as a desktop does, and seldom enough for a server on the
  /// network.
  public static let automatic = WatchPolling.automatic(every: .seconds(2))

  /// Why an observer polls.
  public enum Reason: Sendable, Hashable {
    /// It was asked to.
    case requested

    /// The file system of this type may be changed from elsewhere without the system's knowledge.
    case fileSystem(String)

    /// The system allows no more watches; the observer asks again at each look, and stops polling when there are some.
    case limit(FileObserverError)
  }

  /// How often to look, at least a millisecond; `nil` if never.
  var interval: Duration? {
    switch self {
    case .automatic(let interval), .always(let interval): max(interval, .milliseconds(1))
    case .never: nil
    }
  }

  /// Whether the system is not asked.
  var isForced: Bool {
    if case .always = self { true } else { false }
  }
}
