import CLibrary
import Foundation
import Signals

extension PathChanges {
  /// The current watches of a path, and the reasons for which it cannot be fully watched.
  struct Arming {
    var plan: WatchPlan
    var tokens: [WatchToken] = []
    /// The watches of directories below the target, which belong to the subscriber.
    var innerTokens: Set<WatchToken> = []

    /// The reason for which the path could not be fully watched at the last arming.
    var failure: FileObserverError?
    /// The reasons for which directories below the target cannot be watched, by their paths relative to the target.
    var innerFailures: [ExactString: FileObserverError] = [:]
    /// The reasons for which the target or directories below it cannot be listed, for which polling cannot compensate.
    var lookFailures: [ExactString: FileObserverError] = [:]
    /// The type of the file system, if other systems can change it without notifying this one.
    var silentFileSystem: String?
    /// The reason for polling, if the subscriber polls.
    var pollReason: WatchPolling.Reason?

    init(_ plan: WatchPlan) {
      self.plan = plan
    }

    /// The path of the target, free of symbolic links, or `nil` if it does not exist.
    var targetPath: String? {
      if case .reached(let path) = plan.outcome { path } else { nil }
    }

    /// Returns the reason to poll, if there is one.
    func reasonToPoll(_ polling: WatchPolling) -> WatchPolling.Reason? {
      if polling.isForced { return .requested }
      // The file system stays silent even if the limit is no longer reached.
      if let silentFileSystem { return .fileSystem(silentFileSystem) }
      if let failure, failure.isLimit { return .limit(failure) }
      return innerFailures.values.first { $0.isLimit }.map { .limit($0) }
    }

    /// Returns the health of an observer that polls in this way.
    func health(_ polling: WatchPolling) -> WatchHealth {
      if let failure = lookFailures.min(by: { $0.key < $1.key })?.value { return .impaired(failure) }
      let failure = failure ?? innerFailures.min { $0.key < $1.key }?.value
      if let failure, !(pollReason != nil && failure.isLimit) { return .impaired(failure) }
      switch plan.outcome {
      case .failed(ENOENT, let path), .failed(ENOTDIR, let path):
        return .waiting(for: URL(fileURLWithPath: path, isDirectory: true))
      case .failed(let errno, let path):
        return .impaired(FileObserverError(errno, "inspect", path))
      case .reached:
        guard let pollReason, let interval = polling.interval else { return .active }
        return .polling(every: interval, because: pollReason)
      }
    }
  }
}
