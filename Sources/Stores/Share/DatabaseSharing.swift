import Signals

/// The share of a database, if it has one: those who follow the database keep it alive.
final class DatabaseSharing: Sendable {
  private struct State {
    weak var engine: ShareEngine?
    /// The same engine, while somebody follows the database.
    var kept: ShareEngine?
    /// How many need it; as threads race, it may be negative for a moment.
    var followers = 0
    var isClosed = false
  }

  private let state = Guarded(State())

  /// The share; `nil` if there is none.
  var engine: ShareEngine? { state.withLock { $0.engine } }

  /// What records the changes for other processes; `nil` if nothing does.
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

  /// Forgets a share that has ended.
  func detach(_ engine: ShareEngine) {
    state.replace { state -> ShareEngine? in
      guard state.engine === engine else { return nil }
      state.engine = nil
      return state.kept.take()
    }
  }

  /// Keeps the share alive, until ``removeFollower()`` is called as often.
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

  /// Keeps the share alive no more, because the database is closed for good.
  func close() {
    state.replace { state in
      state.isClosed = true
      return state.kept.take()
    }
  }
}
