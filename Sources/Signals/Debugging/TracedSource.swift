import Dispatch
import Synchronization

/// A source whose subscriptions can be followed to their consumers, by inspecting its subscribers.
///
/// Nothing is recorded while values flow; only a request for a trace has a cost.
protocol TracedSource: SourceCore {
  /// Runs a closure with the turn, now or as soon as the thread that holds the turn gets to it.
  ///
  /// The calling thread never delivers values that are sent during the call.
  func runWithTurn(_ body: @escaping @Sendable () -> Void)

  /// Returns the subscriber of a node.
  func inspect(_ node: SubscriberNode) -> Any?

  /// The name of the type of the values.
  var valueTypeName: String { get }

  /// Begins to count the values.
  func counter() -> ValueCounter
}

extension EmitterCore: TracedSource {
  final func runWithTurn(_ body: @escaping @Sendable () -> Void) {
    if takeTurn() {
      body()
      if releaseTurn() { return }
    } else {
      let isOurs = lock.withLock {
        queue.append(.task(body))
        return demandTurn()
      }
      if !isOurs { return }
    }
    DispatchQueue.global(qos: .userInitiated).async { self.drain() }
  }

  final var valueTypeName: String { "\(Element.self)" }

  final func inspect(_ node: SubscriberNode) -> Any? {
    ErasedSubscriber<Element, Failure>(body: node.body).inside
  }
}

/// A source that counts its changes.
protocol CountedSource: SourceCore {
  /// The number of changes so far.
  var changeCount: UInt64 { get }
}

extension PropertyCore: CountedSource {
  final var changeCount: UInt64 { lock.withLock { version } }
}

extension TracedSource {
  /// The number of subscriptions that are active or being started.
  var subscriberCount: Int { Int(interest.load(ordering: .relaxed) & ~Self.recording) }

  /// Returns the subscribers of the active subscriptions.
  ///
  /// The caller holds the turn.
  private func subscribers() -> [Any] {
    var subscribers: [Any] = []
    for index in 0..<Int(slotCount) {
      slots[index]?._withUnsafeGuaranteedRef { node in
        if !node.isDead, let subscriber = inspect(node), !(subscriber is any HiddenSubscriber) {
          subscribers.append(subscriber)
        }
      }
    }
    return subscribers
  }

  /// Returns the cores of the derived values that depend on this one.
  fileprivate func dependents() -> [any TracedSource] {
    let cores = lock.withLock { placeReference?._withUnsafeGuaranteedRef { $0.dependentCores } ?? [] }
    return cores.compactMap { $0 as? any TracedSource }
  }

  /// Returns the paths from this source to the next sources or to consumers.
  fileprivate func ways() async -> [Way] {
    await withCheckedContinuation { continuation in
      runWithTurn { continuation.resume(returning: self.subscribers().map { Way(of: $0) }) }
    }
  }

  /// Lists the paths from this source to its consumers.
  func traces() async -> [SubscriptionTrace] {
    var traces = Traces()
    traces.follow(self, after: Path())
    return await traces.followed()
  }
}

extension SubscriptionTrace {
  /// Lists the paths from subscribers to their consumers.
  ///
  /// This is for a source that manages its subscribers itself.
  ///
  /// - Parameter subscribers: The subscribers in the order in which they joined.
  /// - Returns: One trace for each path.
  package static func traces(of subscribers: [any Sendable]) async -> [SubscriptionTrace] {
    var traces = Traces()
    for subscriber in subscribers { traces.add(Way(of: subscriber), after: Path()) }
    return await traces.followed()
  }
}

/// The steps and the sources on the way to a place in the graph of subscriptions.
private struct Path {
  var steps: [String] = []
  var sources: [any TracedSource] = []
}

/// The paths that reached a consumer, and those leading to another source.
private struct Traces {
  /// The largest number of traces.
  ///
  /// The number of paths doubles wherever two of them part and meet again.
  private static let limit = 10_000

  /// The largest number of sources to ask, because paths can part and meet without ever reaching a consumer.
  private static let visitLimit = 10 * limit

  private var ended: [SubscriptionTrace] = []
  private var pending: [(core: any TracedSource, path: Path)] = []

  mutating func add(_ way: Way, after path: Path) {
    let path = Path(steps: path.steps + way.steps, sources: path.sources)
    switch way.end {
    case .consumer(let place): end(path.steps, at: place)
    case .source(let next): follow(next, after: path)
    }
  }

  /// Adds a source to those to follow, unless the path has been there.
  mutating func follow(_ core: any TracedSource, after path: Path) {
    if path.sources.contains(where: { $0 === core }) { return end(path.steps + ["…"], at: nil) }
    pending.append((core, Path(steps: path.steps, sources: path.sources + [core])))
  }

  private mutating func end(_ steps: [String], at place: String?) {
    if ended.count < Self.limit { ended.append(SubscriptionTrace(steps: steps, place: place)) }
  }

  /// Follows all paths to their consumers.
  consuming func followed() async -> [SubscriptionTrace] {
    var visits = 0
    while ended.count < Self.limit, visits < Self.visitLimit, let (core, path) = pending.popLast() {
      visits += 1
      for way in await core.ways() { add(way, after: path) }
      for dependent in core.dependents() {
        follow(dependent, after: Path(steps: path.steps + ["derived"], sources: path.sources))
      }
    }
    return ended
  }
}

/// The steps between one source and the next source or a consumer.
private struct Way: Sendable {
  enum End: Sendable {
    case consumer(place: String?)
    case source(any TracedSource)
  }

  private(set) var steps: [String] = []
  private(set) var end = End.consumer(place: nil)

  init(of subscriber: Any) {
    var current: Any? = subscriber
    while let stage = current {
      if let erased = stage as? any ErasedStep {
        current = erased.inside
        continue
      }
      // The contents of an object may be changing at this moment. Only the object knows what may be read, and when.
      let children = type(of: stage) is AnyClass ? [] : Array(Mirror(reflecting: stage).children)
      for child in children {
        guard let holder = child.value as? any CoreHolder else { continue }
        var operation = (stage as? any OperatorStep)?.operation ?? child.value
        while let step = operation as? any OperatorStep { operation = step.operation }
        steps.append(Self.name(of: operation))
        end = .source(holder.core)
        return
      }
      let step = (stage as? any OperatorStep)?.operation ?? stage
      steps.append((step as? any NamedStep)?.quotedName ?? Self.name(of: step))
      if let placed = stage as? any PlacedStep { end = .consumer(place: placed.place.description) }
      current = (stage as? any IndirectStep)?.next ?? children.first { $0.label == "downstream" }?.value
    }
  }

  /// Returns the operator's name, derived from the name of the type that implements it.
  private static func name(of stage: Any) -> String {
    let type = String(describing: type(of: stage)).prefix { $0 != "<" }
    if let known = irregular[String(type)] { return known }
    let word = suffixes.first { type.hasSuffix($0) && type.count > $0.count }.map { type.dropLast($0.count) } ?? type
    return word.prefix(1).lowercased() + word.dropFirst()
  }

  private static let suffixes = ["Stage", "Run", "Hub", "Input", "Subscriber", "Feed"]

  private static let irregular = [
    "ValueSink": "sink", "CompletionSink": "sink", "ValueChannel": "values", "Carrier": "receive(on:)",
    "PrefixUntilOutput": "prefix(untilOutputFrom:)", "DropUntilOutput": "drop(untilOutputFrom:)",
    "LatestValue": "combineLatest", "ZipQueue": "zip", "PropertyFeed": "property", "ShareRound": "share",
    "PrefixFor": "prefix(for:)", "ChunkedByPredicate": "chunked", "ChunkedBySignal": "chunked",
  ]
}

/// A step with a name.
protocol NamedStep {
  var quotedName: String { get }
}

/// A step that is an operator, and has the operator's name.
protocol OperatorStep {
  associatedtype Operation

  var operation: Operation { get }
}

/// A step that reaches the next one through an object.
protocol IndirectStep {
  var next: Any? { get }
}

/// A step whose type is erased.
protocol ErasedStep {
  var inside: Any? { get }
}

extension ErasedSubscriber: ErasedStep {
  var inside: Any? {
    var subscriber: Any?
    withUnsafeMutablePointer(to: &subscriber) { tell(.inspect($0)) }
    return subscriber
  }
}

/// An object with a core of its own, through which it passes values on.
protocol CoreHolder: AnyObject {
  associatedtype Core: TracedSource

  /// The core.
  ///
  /// It never changes, so it can be read without holding the turn.
  var core: Core { get }
}

extension CombinedHub: CoreHolder {}

extension CombiningHub: CoreHolder {}

extension MergeHub: CoreHolder {}

extension RaceHub: CoreHolder {}

extension FlatMapHub: CoreHolder {}

extension SwitchHub: CoreHolder {}

extension ShareRound: CoreHolder {}

extension TimedHub: CoreHolder {}

extension Emitter: CoreHolder {}

extension Property: CoreHolder {}
