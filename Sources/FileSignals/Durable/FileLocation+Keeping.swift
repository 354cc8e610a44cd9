import Dispatch
import Signals

/// Keeping descriptors open for a moment.
///
/// Each location has three, and a file system cannot be unmounted while files on it are open. So their number and their
/// lifetime are limited.
extension FileLocation {
  private static let keptLimit = 8
  private static let sweepPause = DispatchTimeInterval.milliseconds(500)

  private struct Kept {
    let id: ObjectIdentifier
    /// A number that identifies the entry among all that were ever added.
    let number: UInt64
    weak let location: FileLocation?
  }

  /// The locations in the order in which they were opened, the last number, and whether a sweep is due.
  private static let kept = Guarded((entries: [Kept](), lastNumber: UInt64(0), isSweeping: false))
  private static let queue = DispatchQueue(label: "org.signals.locations", qos: .utility)

  /// Keeps the descriptors open until they have not been used for a while or are displaced by others.
  func keep() {
    let id = ObjectIdentifier(self)
    let (displaced, mustSweep) = Self.kept.withLock { kept in
      kept.entries.removeAll { $0.id == id }
      kept.lastNumber += 1
      kept.entries.append(Kept(id: id, number: kept.lastNumber, location: self))
      defer { kept.isSweeping = true }
      return (kept.entries.count > Self.keptLimit ? kept.entries.removeFirst() : nil, !kept.isSweeping)
    }
    _ = displaced?.location?.close(isForced: true)
    if mustSweep { Self.sweepLater() }
  }

  /// Removes the entry of this object, which is about to be released.
  func forget() {
    let id = ObjectIdentifier(self)
    Self.kept.withLock { $0.entries.removeAll { $0.id == id } }
  }

  private static func sweepLater() {
    queue.asyncAfter(deadline: .now() + sweepPause) { sweep() }
  }

  /// Closes the descriptors that have not been used since the last sweep.
  private static func sweep() {
    let current = kept.withLock { $0.entries }
    let unused = Set(current.filter { $0.location?.close(isForced: false) ?? true }.map(\.number))
    let isOver = kept.withLock { kept in
      // By number, not by object: descriptors that were closed may have been opened again since.
      kept.entries.removeAll { unused.contains($0.number) }
      kept.isSweeping = !kept.entries.isEmpty
      return kept.entries.isEmpty
    }
    if !isOver { sweepLater() }
  }
}
