import Dispatch
import FileSignals
import Foundation
import Signals

/// Follows a directory on a queue of its own, and publishes its contents.
final class InspectorEngine: Sendable {
  let root: URL
  private let prefix: String
  let isWritable: Bool
  let redaction: InspectorRedaction
  let snapshot: MutableProperty<InspectorSnapshot>
  let updates = Emitter<InspectorUpdate, Never>()
  let changes = Emitter<InspectorChange, Never>()

  private let queue = DispatchQueue(label: "org.signals.inspector", qos: .utility)

  private let graphs: GraphReader

  /// The state; a pass takes it out while it works, so that unknown code never runs under the lock.
  private let state: Guarded<InspectorState?>
  private let schedule = Guarded(Schedule())
  private let observer: DirectoryObserver
  private let subscriptions = Guarded<[SignalSubscription]>([])

  /// The passes to come.
  ///
  /// Changed places are compared at once, and then at most once in each pause. Everything is compared twice a second, or
  /// earlier if something changed that is not known yet. A pause lasts three times as long as the pass before it, and
  /// at least a tenth of a second if much changed. So changes reach a subscriber at a bounded rate, however many there
  /// are.
  private struct Schedule {
    /// The paths that were reported as changed since the last pass.
    var touched: Set<String> = []
    /// The changed paths that belong to no known place.
    var unknown: Set<String> = []
    var isWhole = false
    var isTick = false

    /// The earliest times of the next passes.
    var (next, nextWhole) = (ContinuousClock.now, ContinuousClock.now)

    /// The time at which the queue looks next.
    var due: ContinuousClock.Instant?

    /// The number of changed paths above which everything is compared.
    static let most = 4096

    /// The number of changed paths above which the next ones may wait longer.
    static let few = 16

    /// Returns the pause after which the queue must look, unless it looks in time anyway.
    mutating func pause() -> Duration? {
      guard isWhole || !touched.isEmpty else { return nil }
      let now = ContinuousClock.now
      let time = max(now, touched.isEmpty ? nextWhole : next)
      if let due, due <= time { return nil }
      due = time
      return now.duration(to: time)
    }

    /// Takes the work that may be done now.
    mutating func take() -> (touched: Set<String>, isWhole: Bool, isTick: Bool)? {
      let now = ContinuousClock.now
      due = nil
      let isWholeNow = isWhole && now >= nextWhole
      guard isWholeNow || !touched.isEmpty && now >= next else { return nil }
      defer {
        touched = []
        if isWholeNow { (isWhole, isTick, unknown) = (false, false, []) }
      }
      return (isWholeNow ? touched.union(unknown) : touched, isWholeNow, isTick)
    }
  }

  init(_ directory: URL, _ redaction: InspectorRedaction, isWritable: Bool) throws(InspectorError) {
    let path: String
    do throws(DurableFileError) {
      guard let found = try canonicalPath(directory.path), try FileStatus(path: found)?.kind == .directory else {
        throw DurableFileError.directoryNotFound(directory)
      }
      path = found
    } catch .directoryNotFound {
      throw .missingDirectory(directory)
    } catch {
      throw .unobservable(directory, reason: clause(error.description))
    }
    root = URL(filePath: path, directoryHint: .isDirectory)
    prefix = root.path + "/"
    (self.redaction, self.isWritable) = (redaction, isWritable)
    do throws(FileObserverError) {
      // The files of inactive environments are not part of the live state.
      observer = try DirectoryObserver(resting: root, recursive: true, matching: .all.notEntering(".containers/*/data"))
    } catch {
      throw .unobservable(directory, reason: error.description)
    }
    let initial = InspectorState(root: root, redaction: redaction, isWritable: isWritable)
    snapshot = MutableProperty(initial.snapshot)
    graphs = GraphReader(root)
    state = Guarded(initial)
    let observing = observer.sink { [weak self] event in self?.note(event) }
    _ = queue.sync { pass(.whole(isTick: false), touched: []) }
    let ticking = TimerSignal(every: .milliseconds(500)).sink { [weak self] _ in self?.tick() }
    subscriptions.withLock { $0 = [observing, ticking] }
  }

  /// Compares the directory now, and calls a closure afterwards.
  ///
  /// - Parameters:
  ///   - isAsking: A Boolean value that indicates whether to wait for the processes that publish signals.
  ///   - path: A path that is read even if its marks are the same, because a pass may have read the first part of a
  ///     change in several files.
  ///   - completion: The closure.
  func refresh(isAsking: Bool, reading path: String? = nil, _ completion: @escaping @Sendable () -> Void) {
    guard !isAsking else {
      graphs.ask {}
      return graphs.afterwards { [self] in refresh(isAsking: false, reading: path, completion) }
    }
    queue.async { [self] in
      let touched = schedule.withLock { $0.touched.union($0.unknown) }.union(path.map { [$0] } ?? [])
      pass(.whole(isTick: false), touched: touched)
      completion()
    }
  }

  /// Runs a closure between two passes, with the state.
  func withState<Result: Sendable>(_ body: @escaping @Sendable (InspectorState) throws -> Result) async throws -> Result
  {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        // Only a pass takes the state out, and it runs on this queue.
        guard let state = state.withLock({ $0 }) else { return continuation.resume(throwing: CancellationError()) }
        continuation.resume(with: Swift.Result { try body(state) })
      }
    }
  }

  private func tick() {
    graphs.ask { [weak self] in self?.request { $0.isWhole = true } }
    request { ($0.isWhole, $0.isTick) = (true, true) }
  }

  private func note(_ event: FileEvent) {
    guard event.kind != .rescan, let path = event.url.path.without(beginning: prefix) else {
      return request { $0.isWhole = true }
    }
    request { schedule in
      schedule.touched.insert(path)
      if schedule.touched.count > Schedule.most { (schedule.touched, schedule.isWhole) = ([], true) }
    }
  }

  /// Adds work, and schedules the pass that does it.
  private func request(_ add: (inout Schedule) -> Void = { _ in }) {
    let pause = schedule.withLock { schedule -> Duration? in
      add(&schedule)
      return schedule.pause()
    }
    guard let pause else { return }
    let work: @Sendable () -> Void = { [weak self] in self?.work() }
    if pause > .zero { queue.async(after: pause, execute: work) } else { queue.async(execute: work) }
  }

  /// Does the work that is due; runs on the queue.
  private func work() {
    if let (touched, isWhole, isTick) = schedule.withLock({ $0.take() }) {
      if isWhole {
        pass(.whole(isTick: isTick), touched: touched)
      } else if !pass(.paths(touched), touched: touched) {
        schedule.withLock { schedule in
          // What is new is found by comparing everything, and these paths are then read in any case.
          schedule.isWhole = true
          schedule.unknown.formUnion(touched)
        }
      }
    }
    request()
  }

  /// Compares a part of the directory with the state, and publishes the differences; runs on the queue.
  ///
  /// - Returns: A Boolean value that indicates whether that was possible without comparing everything.
  @discardableResult
  private func pass(_ extent: InspectorState.Extent, touched: Set<String>) -> Bool {
    guard var taken = state.withLock({ $0.take() }) else { return true }
    let start = ContinuousClock.now
    let isFirst = taken.isFirst
    taken.graphs = graphs.graphs
    let update = taken.pass(extent, touched: touched)
    let after = taken
    let snapshot = update.map { !$0.isEmpty || isFirst } == true ? after.snapshot : nil
    state.withLock { $0 = after }
    if let snapshot { self.snapshot.value = snapshot }
    if let update {
      if !update.isEmpty { updates.send(update) }
      for change in update.changes { changes.send(change) }
    }
    let end = ContinuousClock.now
    let pause = max(.milliseconds(touched.count > Schedule.few ? 100 : 20), (end - start) * 3)
    if case .whole = extent {
      schedule.withLock { $0.nextWhole = end + pause }
    } else if update != nil {
      schedule.withLock { $0.next = end + pause }
      rest(for: pause)
    }
    return update != nil
  }

  /// Wakes no thread for changes that cannot be compared yet, so that they cost less in the processes that make them.
  private func rest(for pause: Duration) {
    let resting = observer.rest()
    // Not longer than the kernel can keep the events of a busy directory.
    queue.async(after: min(pause, .milliseconds(500))) { resting.cancel() }
  }
}
