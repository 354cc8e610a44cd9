import Signals

/// The share of a database, if there is one.
///
/// Objects that follow the database keep it alive.
final class DatabaseSharing: Sendable {
  private struct State {
    weak var engine: ShareEngine?
    /// The same engine, while there is a follower.
    var kept: ShareEngine?
    /// The number of followers.
    ///
    /// Because of races between threads, it may briefly be negative.
    var followers = 0
    var isClosed = false
  }

  private let state = Guarded(State())

  /// The engine of the share, or `nil` if there is none.
  var engine: ShareEngine? { state.withLock { $0.engine } }

  /// The recorder of changes for other processes, or `nil` if there is none.
  var recorder: ShareRecorder? {
    guard let recorder = engine?.recorder, !recorder.isOver else { return nil }
    return recorder
  }

  func attach(_ engine: ShareEngine) {
    state.withLock { state in
      state.engine = engine
      if state.followers > 0 { state.kept = engine }
    }
  }

  /// Detaches a share that has ended.
  func detach(_ engine: ShareEngine) {
    state.replace { state -> ShareEngine? in
      guard state.engine === engine else { return nil }
      state.engine = nil
      return state.kept.take()
    }
  }

  /// Keeps the share alive until the matching call of ``removeFollower()``.
  func addFollower() {
    state.withLock { state in
      state.followers += 1
      if state.followers > 0, !state.isClosed { state.kept = state.engine }
    }
  }

  func removeFollower() {
    state.replace { state -> ShareEngine? in
      state.followers -= 1
      return state.followers > 0 ? nil : state.kept.take()
    }
  }

  /// Releases the share, because the database has been closed for good.
  func close() {
    state.replace { state in
      state.isClosed = true
      return state.kept.take()
    }
  }
}
