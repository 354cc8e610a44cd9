import Dispatch
import Signals
import Synchronization
import TestSupport

/// One random program: sources, a graph of operators, and threads that use them in every allowed way.
final class World: @unchecked Sendable {
  // Sound: the graph is built before the threads start and released after they have ended. The lock guards the rest.

  static let maximumSenders = 8

  let seed: UInt64
  let queue = DispatchQueue(label: "adversarial")
  /// The number of live objects that must be released in the end.
  let probes = Counter()

  private var emitters: [Int: Emitter<Items, Mishap>] = [:]
  private var properties: [Int: MutableProperty<Items>] = [:]
  private var plainEmitters: Set<Int> = []
  private(set) var nodes: [Node] = []
  private let sourceCount: Int

  private let lock = Lock()
  private var watchers: [Watcher] = []
  private var tokens: [Int: SignalSubscription] = [:]

  init(seed: UInt64) {
    self.seed = seed
    var chance = Chance(seed: seed)
    sourceCount = 2 + chance.number(below: 3)
    for source in 0..<sourceCount {
      if chance.once(in: 2) {
        let property = MutableProperty([Item(source: source, sender: -1, serial: 0, probe: probe())])
        properties[source] = property
        let signal = property.setFailureType(to: Mishap.self).eraseToAnySignal()
        nodes.append(
          Node(name: "property\(source)", signal: signal, paths: [source: 1], direct: source, isImmediate: true)
        )
      } else {
        let replay = chance.once(in: 3) ? 1 + chance.number(below: 3) : 0
        if replay == 0 { plainEmitters.insert(source) }
        let emitter = Emitter<Items, Mishap>(replay: replay)
        emitters[source] = emitter
        let name = "emitter\(source)\(replay > 0 ? "(replay: \(replay))" : "")"
        nodes.append(Node(name: name, signal: emitter.eraseToAnySignal(), paths: [source: 1], direct: source))
      }
    }
    for _ in 0..<(2 + chance.number(below: 5)) {
      guard let ingredient = Ingredient.all.randomElement(using: &chance) else { continue }
      let inputs = (0..<2).map { _ in nodes[chance.number(below: nodes.count)] }
      nodes.append(ingredient.make(inputs, self, &chance))
    }
    // The first watchers see everything.
    for source in 0..<sourceCount { watch(nodes[source], Chance(seed: seed &+ UInt64(source))) }
  }

  /// Creates an object that must be released in the end.
  func probe() -> Probe {
    probes.add()
    return Probe { [probes] in probes.add(-1) }
  }

  // MARK: For watchers

  func isPlainEmitter(_ source: Int) -> Bool { plainEmitters.contains(source) }

  func reading(of source: Int) -> Item? { properties[source]?.value.first }

  func token(of watcher: Int) -> SignalSubscription? { lock.withLock { tokens[watcher] } }

  // MARK: Running

  /// Runs the threads to their end, ends all sources, and returns all breaches of the laws.
  func run() -> [String] {
    var chance = Chance(seed: seed ^ 0xADAD)
    let threads = 2 + chance.number(below: 3)
    let steps = 15 + chance.number(below: 40)
    withPausedThreads(threads, seed: seed) { [seed] number in
      let sender = Sender(number: number)
      Sender.$current.withValue(sender) {
        var chance = Chance(seed: seed &* 31 &+ UInt64(number))
        for _ in 0..<steps { self.perform(.random(using: &chance), as: sender, &chance) }
      }
    }
    settle()
    for emitter in emitters.values { emitter.finish() }
    emitters = [:]
    properties = [:]
    nodes = []
    settle()
    let verdict = Verdict(watchers: lock.withLock { watchers }, sources: sourceCount).breaches
    lock.withLock { watchers = [] }
    let released = lock.withLock {
      let released = tokens
      tokens = [:]
      return released
    }
    withExtendedLifetime(released) {}
    return verdict
  }

  /// Waits for pending work on the queue, one stage after the other.
  private func settle() {
    for _ in 0..<10 { queue.sync {} }
  }

  func perform(_ step: Step, as sender: Sender, _ chance: inout Chance) {
    let source = chance.number(below: sourceCount)
    switch step {
    case .send:
      guard sender.budget > 0 else { return }
      sender.budget -= 1
      sender.serial += 1
      let item = Item(source: source, sender: sender.number, serial: sender.serial, probe: probe())
      if let property = properties[source] {
        var items = [item]
        switch chance.number(below: 3) {
        case 0: property.value = items
        case 1: property.modify { $0 = [item] }
        // The released value must not run its code under the lock.
        default: property.withLock { swap(&$0, &items) }
        }
      } else {
        emitters[source]?.send([item])
      }
    case .subscribe:
      guard lock.withLock({ watchers.count }) < 60 else { return }
      let node = nodes[chance.number(below: nodes.count)]
      watch(node, Chance(seed: chance.next()))
    case .cancel:
      guard let (watcher, token) = anyToken(&chance, isTaken: false) else { return }
      watcher.isGivenUp.store(true, ordering: .relaxed)
      token.cancel()
      watcher.noteCancelled()
    case .release:
      guard let (watcher, token) = anyToken(&chance, isTaken: true) else { return }
      watcher.isGivenUp.store(true, ordering: .relaxed)
      var last = Optional(token)
      _ = consume token
      let isLast = isKnownUniquelyReferenced(&last)
      last = nil
      if isLast { watcher.noteCancelled() }
    case .finish:
      guard chance.once(in: 8) else { return }
      emitters[source]?.send(completion: chance.once(in: 2) ? .finished : .failure(.fire))
    }
  }

  private func anyToken(_ chance: inout Chance, isTaken: Bool) -> (Watcher, SignalSubscription)? {
    lock.withLock {
      // The witnesses stay.
      guard watchers.count > sourceCount else { return nil }
      let number = sourceCount + chance.number(below: watchers.count - sourceCount)
      guard let token = tokens[number] else { return nil }
      if isTaken { tokens[number] = nil }
      return (watchers[number], token)
    }
  }

  private func watch(_ node: Node, _ chance: Chance) {
    let watcher = lock.withLock {
      let number = watchers.count
      let watcher = Watcher(
        number: number, isWitness: number < sourceCount, node: node, world: self, chance: chance
      )
      watchers.append(watcher)
      return watcher
    }
    let probe = probe()
    let token = node.signal.sink(
      receiveCompletion: { watcher.receive(completion: $0) },
      receiveValue: { items in
        probe.touch()
        watcher.receive(items)
      }
    )
    watcher.noteSubscribed()
    lock.withLock { tokens[watcher.number] = token }
  }
}

/// A step that a thread or a callback may take.
enum Step {
  case send, subscribe, cancel, release, finish

  static func random(using chance: inout Chance) -> Step {
    switch chance.number(below: 20) {
    case 0..<12: .send
    case 12..<15: .subscribe
    case 15..<17: .cancel
    case 17..<19: .release
    default: .finish
    }
  }
}
