import CLibrary
import Dispatch
import Synchronization

/// The place to which all failures of the program are reported.
///
/// All observers receive the reports in one order. No lock is held while an observer, the handler or the output runs.
package final class FailureLog: Sendable {
  package static let shared = FailureLog()

  /// The time in which a subscriber may still come before a failure is written.
  ///
  /// Objects often report their first failure while they are created, before anything can subscribe to them.
  static let patience = DispatchTimeInterval.milliseconds(500)

  /// The largest number of lines that are written at a time.
  static let lineLimit = 20

  private final class Observer: Sendable {
    let matches: @Sendable (FailureReport) -> Bool
    let receive: @Sendable (FailureReport) -> Void
    let isOver = Atomic(false)
    private let outbox = Outbox<FailureReport>()

    init(
      matches: @escaping @Sendable (FailureReport) -> Bool, receive: @escaping @Sendable (FailureReport) -> Void
    ) {
      (self.matches, self.receive) = (matches, receive)
    }

    /// Adds a report, with the lock of the log held, which decides the order.
    func add(_ report: FailureReport) { outbox.add(report) }

    func deliver() { outbox.deliver(tell) }

    /// Adds earlier reports, before others can add later ones.
    ///
    /// - Returns: `true` if the caller must deliver them.
    func begin(with reports: [FailureReport]) -> Bool {
      guard let last = reports.last else { return false }
      outbox.add(contentsOf: reports.dropLast())
      return outbox.addTakingTurn(last)
    }

    /// Delivers the earlier reports on this thread, and those that have come since.
    func deliverBeginning() { while outbox.deliverBatch(tell) {} }

    private func tell(_ report: FailureReport) {
      if !isOver.load(ordering: .acquiring), matches(report) { receive(report) }
    }
  }

  /// A report that nothing has observed so far.
  private struct Waiting: Sendable {
    let report: FailureReport
    let key: String
    let isReceived: @Sendable () -> Bool
  }

  private struct State {
    var observers: [Observer] = []
    var recent = RecentReports()
    var waiting: [Waiting] = []
    var waitingKeys: Set<String> = []
    var surplus = 0
    var written = WrittenLines()
    var handler: (@Sendable (FailureReport) -> Void)?
    var hasExitHandler = false

    mutating func isNews(_ key: String) -> Bool { !written.contains(key) && waitingKeys.insert(key).inserted }
  }

  private let state = Guarded(State())
  private static let largestWaitingCount = 1_000

  package init() {}

  // MARK: Reporting

  /// Delivers a report to the observers, and has it written if nothing observes it.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - isObserved: A Boolean value that indicates whether a subscriber of the object has received the failure.
  ///   - isReceived: Returns later whether a subscriber has received it since.
  package func report(_ report: FailureReport, isObserved: Bool, isReceived: @escaping @Sendable () -> Bool) {
    let observers = state.withLock { state in
      state.recent.add(report)
      for observer in state.observers { observer.add(report) }
      return state.observers
    }
    for observer in observers { observer.deliver() }
    if !isObserved { wait(for: report, unless: isReceived) }
  }

  /// Has a report written after a while, unless it has been received by then.
  func wait(for report: FailureReport, unless isReceived: @escaping @Sendable () -> Bool) {
    let key = "\(report)"
    let (isFirst, isExitHandlerDue) = state.withLock { state in
      guard state.isNews(key) else { return (false, false) }
      let isFirst = state.waiting.isEmpty && state.surplus == 0
      if state.waiting.count < Self.largestWaitingCount {
        state.waiting.append(Waiting(report: report, key: key, isReceived: isReceived))
      } else {
        state.waitingKeys.remove(key)
        state.surplus += 1
      }
      return (isFirst, !exchange(&state.hasExitHandler, with: true))
    }
    if isExitHandlerDue { atexit { FailureLog.shared.flush() } }
    guard isFirst else { return }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.patience) { [self] in flush() }
  }

  func setHandler(_ handler: @escaping @Sendable (FailureReport) -> Void) {
    state.replace { exchange(&$0.handler, with: handler) }
  }

  /// Writes the reports that nothing has observed.
  package func flush() {
    let (waiting, observers, surplus, handler) = state.withLock { state in
      let surplus = exchange(&state.surplus, with: 0)
      state.waitingKeys = []
      return (exchange(&state.waiting, with: []), state.observers, surplus, state.handler)
    }
    let unobserved = waiting.filter { one in
      !one.isReceived() && !observers.contains { !$0.isOver.load(ordering: .acquiring) && $0.matches(one.report) }
    }
    let due = state.withLock { state in unobserved.filter { state.written.insert($0.key) } }
    if let handler {
      for one in due { handler(one.report) }
      return
    }
    for one in due.prefix(Self.lineLimit) { FailureOutput.write(Self.text(of: one.report)) }
    let rest = max(0, due.count - Self.lineLimit) + surplus
    if rest > 0 { FailureOutput.write("Signals: \(rest) more failures that nothing observes") }
  }

  private static func text(of report: FailureReport) -> String {
    let failures = "the failures of the \(report.source), of its container or scope, or FailureReport.all"
    return "\(report) (Nothing observes \(failures); FailureReport.onUnobserved redirects this line.)"
  }

  // MARK: Observing

  /// Returns a signal of the reports that match, beginning with the last few.
  package func reports(where matches: @escaping @Sendable (FailureReport) -> Bool) -> some Signal<FailureReport, Never>
  {
    MatchingReports(log: self, matches: matches)
  }

  private struct MatchingReports: Signal {
    typealias Element = FailureReport
    typealias Failure = Never

    let log: FailureLog
    let matches: @Sendable (FailureReport) -> Bool

    func subscribe(_ subscriber: some SignalSubscriber<FailureReport, Never>) -> SignalSubscription {
      log.add(Observer(matches: matches) { subscriber.receive($0) })
    }
  }

  private func add(_ observer: Observer) -> SignalSubscription {
    let isBeginning = state.withLock { state in
      state.observers.append(observer)
      return observer.begin(with: state.recent.all)
    }
    if isBeginning { observer.deliverBeginning() }
    return SignalSubscription { [self] in
      observer.isOver.store(true, ordering: .releasing)
      state.withLock { state in state.observers.removeAll { $0 === observer } }
    }
  }
}

/// The last reports, of which those of one subject are few, so that they do not displace all others.
private struct RecentReports {
  private static let limit = 256
  private static let limitOfSubject = 16

  private(set) var all: [FailureReport] = []

  mutating func add(_ report: FailureReport) {
    let isSame = { (other: FailureReport) in other.subject == report.subject && other.source == report.source }
    if all.count(where: isSame) >= Self.limitOfSubject, let index = all.firstIndex(where: isSame) {
      all.remove(at: index)
    } else if all.count == Self.limit {
      all.removeFirst()
    }
    all.append(report)
  }
}

/// The lines that were written last.
private struct WrittenLines {
  private static let limit = 1_000

  private var set: Set<String> = []
  private var order: [String] = []
  private var oldest = 0

  func contains(_ key: String) -> Bool { set.contains(key) }

  /// Returns `true` if the line is a new one.
  mutating func insert(_ key: String) -> Bool {
    guard set.insert(key).inserted else { return false }
    if order.count < Self.limit {
      order.append(key)
    } else {
      set.remove(order[oldest])
      order[oldest] = key
      oldest = (oldest + 1) % Self.limit
    }
    return true
  }
}
