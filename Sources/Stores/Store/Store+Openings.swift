import Dispatch
import Signals

extension Store {
  /// The opening of a database by one thread, for which others wait.
  final class Opening: Sendable {
    let thread = ThreadIdentity.current
    private let isOver = DispatchSemaphore(value: 0)

    func end() { isOver.signal() }

    func wait() {
      isOver.wait()
      // Each waiting thread wakes the next one.
      isOver.signal()
    }
  }

  /// The openings under way, and the threads that wait for one.
  ///
  /// No lock is held while a database is opened, because a migration runs the application's code. That code may ask for
  /// other databases of the store. Threads that would wait for each other in a circle get an error.
  struct Openings {
    private(set) var underWay: [Kind: Opening] = [:]
    private(set) var awaited: [UInt: Kind] = [:]
    /// A Boolean value that indicates whether a thread that opens a file keeps all other threads from opening one.
    let areFilesExclusive: Bool

    /// The openings by other threads.
    var others: [Opening] { underWay.values.filter { $0.thread != .current } }

    /// A Boolean value that indicates whether the calling thread is opening a database.
    var isOpeningOnThisThread: Bool { underWay.values.contains { $0.thread == .current } }

    subscript(_ kind: Kind) -> Opening? {
      get { underWay[kind] }
      set { underWay[kind] = newValue }
    }

    /// Records that the calling thread waits for a database, or `nil` if it has ceased to.
    ///
    /// - Returns: `false`, without a record, if the thread would wait for itself.
    mutating func await(_ kind: Kind?) -> Bool {
      let thread = ThreadIdentity.current
      guard let kind else {
        awaited[thread.address] = nil
        return true
      }
      if underWay[kind]?.thread == thread { return false }
      // The thread that opens files may open others.
      var next = opener(of: kind)
      if next == thread { return true }
      while let other = next, let wanted = awaited[other.address] {
        next = opener(of: wanted)
        if next == thread { return false }
      }
      awaited[thread.address] = kind
      return true
    }

    /// The thread that must finish before another one can open a database.
    private func opener(of kind: Kind) -> ThreadIdentity? {
      if let opening = underWay[kind] { return opening.thread }
      guard areFilesExclusive, kind != .memory else { return nil }
      return underWay.first { $0.key != .memory }?.value.thread
    }
  }
}
