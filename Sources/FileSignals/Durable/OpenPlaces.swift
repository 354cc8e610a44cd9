import Dispatch
import Signals

/// Whose places are open, so that there are never many, and none for long: each takes three descriptors, and a file
/// system on which something is open cannot be unmounted.
final class OpenPlaces: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  static let shared = OpenPlaces()
  private static let limit = 8
  private static let pause = DispatchTimeInterval.milliseconds(500)

  private struct Entry {
    let id: ObjectIdentifier
    /// Which of all that were ever kept it is.
    let number: UInt64
    weak let access: FileAccess?
  }

  private let lock = Lock()
  private let queue = DispatchQueue(label: "org.signals.places", qos: .utility)
  /// The one that was opened last comes last.
  private var entries: [Entry] = []
  private var lastNumber: UInt64 = 0
  private var isSweeping = false

  /// Keeps a place open until it has not been used for a while, or until others have taken its turn.
  func keep(_ access: FileAccess) {
    let id = ObjectIdentifier(access)
    let (displaced, mustSweep) = lock.withLock {
      entries.removeAll { $0.id == id }
      lastNumber += 1
      entries.append(Entry(id: id, number: lastNumber, access: access))
      defer { isSweeping = true }
      return (entries.count > Self.limit ? entries.removeFirst() : nil, !isSweeping)
    }
    _ = displaced?.access?.close(isForced: true)
    if mustSweep { sweepLater() }
  }

  /// Takes back ``keep(_:)`` for an object that is about to go.
  func forget(_ access: FileAccess) {
    let id = ObjectIdentifier(access)
    lock.withLock { entries.removeAll { $0.id == id } }
  }

  private func sweepLater() {
    queue.asyncAfter(deadline: .now() + Self.pause) { [self] in sweep() }
  }

  /// Closes what has not been used since the last time.
  private func sweep() {
    let current = lock.withLock { entries }
    let unused = Set(current.filter { $0.access?.close(isForced: false) ?? true }.map(\.number))
    let isOver = lock.withLock {
      // Not by what they are for: what was closed may have been opened anew meanwhile.
      entries.removeAll { unused.contains($0.number) }
      isSweeping = !entries.isEmpty
      return entries.isEmpty
    }
    if !isOver { sweepLater() }
  }
}
