import Dispatch
import Signals

/// A cache of open places that limits their number and lifetime.
///
/// Each place has three open descriptors, and a file system cannot be unmounted while files on it are open.
final class OpenPlaces: Sendable {
  static let shared = OpenPlaces()
  private static let limit = 8
  private static let pause = DispatchTimeInterval.milliseconds(500)

  private struct Entry {
    let id: ObjectIdentifier
    /// A number that identifies the entry among all that were ever added.
    let number: UInt64
    weak let access: FileAccess?
  }

  private struct State {
    /// The entries in the order in which they were opened.
    var entries: [Entry] = []
    var lastNumber: UInt64 = 0
    var isSweeping = false
  }

  private let queue = DispatchQueue(label: "org.signals.places", qos: .utility)
  private let state = Guarded(State())

  /// Keeps a place open until it has not been used for a while or is displaced by others.
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

  /// Removes the entry of an object that is about to be released.
  func forget(_ access: FileAccess) {
    let id = ObjectIdentifier(access)
    state.withLock { $0.entries.removeAll { $0.id == id } }
  }

  private func sweepLater() {
    queue.asyncAfter(deadline: .now() + Self.pause) { [self] in sweep() }
  }

  /// Closes the places that have not been used since the last sweep.
  private func sweep() {
    let current = state.withLock { $0.entries }
    let unused = Set(current.filter { $0.access?.close(isForced: false) ?? true }.map(\.number))
    let isOver = state.withLock { state in
      // By number, not by object: a place that was closed may have been opened again since.
      state.entries.removeAll { unused.contains($0.number) }
      state.isSweeping = !state.entries.isEmpty
      return state.entries.isEmpty
    }
    if !isOver { sweepLater() }
  }
}
