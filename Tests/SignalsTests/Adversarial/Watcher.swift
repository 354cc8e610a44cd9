import Signals
import Synchronization
import TestSupport

/// A subscriber that notes every breach of the laws it can see from where it is.
///
/// What it remembers is guarded by nothing but the promise that it is never called concurrently, so a thread sanitizer
/// sees it broken.
final class Watcher: @unchecked Sendable {  // Sound: see above; the verdict is asked when all is quiet.
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

  /// By sender: whether that thread has cancelled the subscription; each touches its own.
  private let cancelled: UnsafeMutablePointer<Bool>

  /// How far each sender had come when it subscribed, if it was one.
  private let joinedBy: Int?
  private let joinedAt: Int

  /// Whether anybody has begun to cancel.
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

  /// To be called by a thread whose `cancel` has returned.
  func noteCancelled() {
    if let sender = Sender.current { cancelled[sender.number] = true }
  }

  /// To be called by the thread that has subscribed.
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
        // What comes again may come as part of a group; the newest of the group must not be older than before.
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

  /// Now and then does from inside the callback what it should not upset.
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
