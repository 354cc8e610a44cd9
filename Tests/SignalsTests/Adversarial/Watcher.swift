import Signals
import Synchronization
import TestSupport

/// A subscriber that records every breach of the laws that it can observe.
///
/// Its state is guarded only by the promise that it is never called concurrently, so a thread sanitizer detects a
/// broken promise.
final class Watcher: @unchecked Sendable {  // Sound: see above; the verdict is read after all threads have ended.
  let number: Int
  let node: Node
  private let isWitness: Bool
  private let world: World
  private var chance: Chance

  private(set) var received: [Item] = []
  private(set) var readings: [(delivered: Item, read: Item)] = []
  private(set) var completions = 0
  private(set) var breaches: [String] = []
  private let hasReceived = Atomic<Bool>(false)
  private(set) var isLate = false
  private var latest: [Pair: Int] = [:]
  private var isInside = false
  private var hasCancelledItself = false

  /// For each sender, a Boolean value that indicates whether that thread has cancelled the subscription.
  ///
  /// Each thread touches only its own element.
  private let cancelled: UnsafeMutablePointer<Bool>

  /// The progress of the subscribing sender at the time of the subscription, if a sender subscribed.
  private let joinedBy: Int?
  private let joinedAt: Int

  /// A Boolean value that indicates whether a thread has begun to cancel.
  let isGivenUp = Atomic<Bool>(false)

  private struct Pair: Hashable {
    let source: Int
    let sender: Int
  }

  init(number: Int, isWitness: Bool, node: Node, world: World, chance: Chance) {
    self.number = number
    self.isWitness = isWitness
    self.node = node
    self.world = world
    self.chance = chance
    cancelled = .allocate(capacity: World.maximumSenders)
    cancelled.initialize(repeating: false, count: World.maximumSenders)
    joinedBy = Sender.current?.number
    joinedAt = Sender.current?.serial ?? 0
  }

  deinit {
    cancelled.deallocate()
  }

  private func breach(_ law: String) {
    if breaches.count < 5 { breaches.append("\(law) [\(node.name), watcher \(number)]") }
  }

  /// Records that a call of `cancel` has returned on the current thread.
  func noteCancelled() {
    if let sender = Sender.current { cancelled[sender.number] = true }
  }

  /// Records that the subscribing call has returned.
  func noteSubscribed() {
    if node.isImmediate, !hasReceived.load(ordering: .relaxed) { isLate = true }
  }

  // MARK: Receiving

  func receive(_ items: Items) {
    enter("a value")
    check(items)
    received += items
    hasReceived.store(true, ordering: .relaxed)
    if let source = node.direct, let item = items.first, let value = world.reading(of: source) {
      readings.append((item, value))
    }
    react()
    isInside = false
  }

  func receive(completion: SignalCompletion<Mishap>) {
    enter("a completion")
    completions += 1
    if completions > 1 { breach("law 5: completed twice") }
    react()
    isInside = false
  }

  private func enter(_ what: String) {
    if isInside { breach("law 1 or 3: called with \(what) while it is being called") }
    isInside = true
    if completions > 0 { breach("law 5: \(what) after completion") }
    if hasCancelledItself { breach("law 4: \(what) after it cancelled itself") }
    if let sender = Sender.current, cancelled[sender.number] { breach("law 4: \(what) on a thread that cancelled") }
  }

  private func check(_ items: Items) {
    if node.isOrdered {
      var newest = latest
      for item in items {
        let pair = Pair(source: item.source, sender: item.sender)
        // A repeated value may be part of a group. The newest of the group must not be older than before.
        if !node.repeats, let last = newest[pair], item.serial <= last {
          breach("law 2: \(item) after #\(last) of the same sender")
        }
        newest[pair] = max(item.serial, newest[pair] ?? item.serial)
      }
      if node.repeats {
        for (pair, last) in latest {
          let came = items.filter { $0.source == pair.source && $0.sender == pair.sender }.map(\.serial).max()
          if let came, came < last { breach("law 2: #\(came) after #\(last) of sender \(pair.sender)") }
        }
      }
      latest = newest
    }
    guard let source = node.direct, world.isPlainEmitter(source) else { return }
    for item in items where item.sender == joinedBy && item.serial <= joinedAt {
      breach("law 6: \(item) was sent before this thread subscribed, at #\(joinedAt)")
    }
  }

  // MARK: Reacting

  /// Occasionally sends, subscribes or cancels from inside the callback, which must do no harm.
  private func react() {
    guard chance.once(in: 6) else { return }
    if chance.once(in: 6), !isWitness {
      guard let token = world.token(of: number) else { return }
      isGivenUp.store(true, ordering: .relaxed)
      token.cancel()
      hasCancelledItself = true
      return
    }
    if let sender = Sender.current { world.perform(.random(using: &chance), as: sender, &chance) }
  }
}
