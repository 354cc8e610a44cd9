import Synchronization

/// A derived value's place in the graph: what it is computed from, what is computed from it, and whether it is up to date.
///
/// **Marks.** While a source's new value is being stored, and before anybody can read it, every node that depends on it, near
/// or far, has its `marks` counted up. A node reads its inputs, and trusts what it read only if it was not marked meanwhile:
/// then for every write it has seen either all effects or none. A node that is out of date already has told its dependents
/// so, and is not asked to tell them again: marking costs each node once, however many paths lead there.
///
/// **Pull.** A mark computes nothing. Values are computed when they are read, or, for nodes with subscribers, after the write.
///
/// **Observation.** Only nodes that somebody observes are linked to what they depend on. One that nobody observes costs its
/// sources nothing and is not kept alive by them.
///
/// Locks are taken from sources to dependents, never the other way round, and never while user code runs.
@usableFromInline
final class DerivedNode: SubscriptionOwner, @unchecked Sendable {
  // Sound: its fields are guarded by the core's lock, except for those that belong to the topology.

  /// Computes the value anew if need be, and sends it if asked to.
  @usableFromInline typealias Update = @Sendable (_ core: SourceCore, _ isPublishing: Bool) -> Void

  /// The core that owns the node.
  @usableFromInline unowned(unsafe) var core: SourceCore

  /// What the value is computed from; kept alive by `body`.
  @usableFromInline let inputs: [Unmanaged<SourceCore>]

  /// How many derived values lie under this one at most.
  let height: Int

  private var body: Update?

  /// How often something below has changed.
  @exclusivity(unchecked) @usableFromInline var marks: UInt64 = 1

  /// How many marks there were when the value was last known to be up to date.
  @exclusivity(unchecked) @usableFromInline var settledMarks: UInt64 = 0

  /// Whether the sources know of the node; what is read while they do not is not to be trusted.
  @exclusivity(unchecked) @usableFromInline var isLinked = false

  /// The thread that last put the value on its flush list, until it comes to it.
  @exclusivity(unchecked) var scheduledBy: ThreadIdentity?

  /// The threads that are computing the value now.
  @exclusivity(unchecked) @usableFromInline var computing: [ThreadIdentity] = []

  /// How many threads cannot get a consistent look at the inputs because they change all the time.
  @exclusivity(unchecked) var starving = 0

  // MARK: Belongs to the topology

  /// How many subscriptions, readers and observed dependents there are.
  @exclusivity(unchecked) var observers = 0

  /// The places in the inputs' lists of dependents.
  @exclusivity(unchecked) var places: [Int]

  /// How many inputs can still change.
  @exclusivity(unchecked) var liveInputs = 0

  @usableFromInline
  init(core: SourceCore, inputs: [SourceCore], body: @escaping Update) {
    self.core = core
    self.inputs = inputs.map { .passUnretained($0) }
    self.body = body
    height = 1 + (inputs.lazy.compactMap { $0.node?.height }.max() ?? 0)
    places = Array(repeating: -1, count: inputs.count)
  }

  deinit {
    if height > Self.tall { Debris.clear(&body) }
  }

  /// From which height on a node is treated with loops instead of recursion.
  static var tall: Int { 64 }

  // MARK: Marking

  /// Counts up the marks of this node and, if it was up to date, of those that depend on it.
  ///
  /// - Parameters:
  ///   - list: Takes the nodes that have subscribers.
  ///   - depth: How many nodes' locks this thread holds; beyond some, the rest is left for later, to spare the stack.
  func mark(_ list: inout FlushList, depth: Int) {
    core.lock.lock()
    if !computing.isEmpty { checkDependency() }
    let wasSettled = settledMarks == marks
    marks &+= 1
    if starving > 0 { list.mustYield = true }
    if core.interest.load(ordering: .relaxed) > 0, scheduledBy != list.thread {
      scheduledBy = list.thread
      list.append(core)
    }
    if wasSettled, let place = core.place {
      if depth < Self.tall { place.mark(&list, depth: depth + 1) } else { list.postpone(core) }
    }
    core.lock.unlock()
  }

  // MARK: Updating

  /// Whether the value may be out of date.
  var isStale: Bool { core.lock.withLock { settledMarks != marks } }

  /// Brings the value up to date, and tells the subscribers of a change if asked to; to be called without any lock.
  @usableFromInline
  func update(publishing isPublishing: Bool) {
    if height > Self.tall { settleInputs() }
    body?(core, isPublishing)
  }

  /// Brings what lies under a tall node up to date from the bottom, to spare the stack.
  private func settleInputs() {
    var path = [self]
    while let node = path.last {
      let below = node.inputs.lazy.compactMap { $0._withUnsafeGuaranteedRef { $0.node } }
      if let stale = below.first(where: \.isStale) {
        path.append(stale)
      } else {
        path.removeLast()
        if node !== self { node.body?(node.core, false) }
      }
    }
  }

  /// Asks writers to pause now and then, after many vain attempts to read the inputs together; or no longer.
  @usableFromInline
  func declareStarving(_ isStarving: Bool) {
    core.lock.withLock { starving += isStarving ? 1 : -1 }
  }

  /// Notes that this thread computes the value; to be called with the core's lock held.
  @usableFromInline
  func beginComputing() {
    if !computing.isEmpty { checkDependency() }
    computing.append(.current)
  }

  /// Stops with an explanation if this thread is computing the value already, as it would for ever.
  private func checkDependency() {
    precondition(
      !computing.contains(.current),
      "A derived value depends on itself: inside its transform it was read, or what it is derived from was written"
    )
  }

  /// Ends what ``beginComputing()`` began; to be called with the core's lock held.
  @usableFromInline
  func endComputing() {
    let thread = ThreadIdentity.current
    if let index = computing.lastIndex(of: thread) { computing.remove(at: index) }
  }

  // MARK: Observation

  /// Links the node to its sources, for as long as there is an observer.
  @usableFromInline
  func observe() -> [SourceCore] {
    Topology.observe(self)
  }

  @usableFromInline
  func unobserve() {
    Topology.unobserve(self)
  }

  package override func cancel(_ subscription: SignalSubscription) {
    unobserve()
  }
}
