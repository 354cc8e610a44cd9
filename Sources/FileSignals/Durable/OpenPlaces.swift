import Dispatch
import Signals

/// Whose places are open, so that there are never many, and none for long: each takes three descriptors, and a file
/// system on which something is open cannot be unmounted.
final class OpenPlaces: Sendable {
  static let shared = OpenPlaces()
  private static let limit = 8
  private static let pause = DispatchTimeInterval.milliseconds(500)

  private struct Entry {
    let id: ObjectIdentifier
    /// Which of all that were ever kept it is.
    let number: UInt64
    weak let access: FileAccess?
  }

  private struct State {
    /// The one that was opened last comes last.
    var entries: [Entry] = []
    var lastNumber: UInt64 = 0
    var isSweeping = false
  }

  private let queue = DispatchQueue(label: "org.signals.places", qos: .utility)
  private let state = Guarded(State())

  /// Keeps a place open until it has not been used for a while, or until others have taken its turn.
  func keep(_ access: FileAccess) {
    let id = ObjectIdentifier(access)
    let (displaced, mustSweep) = state.withLock { state in
      state.entries.removeAll { $0.id == id }
      state.lastNumber += 1
      state.entries.append(Entry(id: id, number: state.lastNumber, access: access))
      defer { state.isSweeping = true }
      return (state.entries.count > Self.limit ? state.entries.removeFirst() : nil, !state.isSweeping)
    }
    _ = displaced?.access?.close(isForced: true)
    if mustSweep { sweepLater() }
  }

  /// Takes back ``keep(_:)`` for an object that is about to go.
  func forget(_ access: FileAccess) {
    let id = ObjectIdentifier(access)
    state.withLock { $0.entries.removeAll { $0.id == id } }
  }

  private func sweepLater() {
    queue.asyncAfter(deadline: .now() + Self.pause) { [self] in sweep() }
  }

  /// Closes what has not been used since the last time.
  private func sweep() {
    let current = state.withLock { $0.entries }
    let unused = Set(current.filter { $0.access?.close(isForced: false) ?? true }.map(\.number))
    let isOver = state.withLock { state in
      // Not by what they are for: what was closed may have been opened anew meanwhile.
      state.entries.removeAll { unused.contains($0.number) }
      state.isSweeping = !state.entries.isEmpty
      return state.entries.isEmpty
    }
    if !isOver { sweepLater() }
  }
}
