import Signals
import TestSupport

/// A value in a random graph: the version of each source that it was computed from.
///
/// A source knows only its own version. Where two paths from one source meet, both must bring the same version of it. A
/// difference is a mixture and stays visible downstream.
struct Vector: Equatable, Sendable {
  /// The version of each source, or -1 for a source that no path connects.
  var versions: [Int]
  var isMixed = false

  static func joining(_ vectors: [Vector]) -> Vector {
    var joined = Vector(versions: Array(repeating: -1, count: vectors[0].versions.count))
    for vector in vectors {
      joined.isMixed = joined.isMixed || vector.isMixed
      for (source, version) in vector.versions.enumerated() where version >= 0 {
        if joined.versions[source] >= 0, joined.versions[source] != version { joined.isMixed = true }
        joined.versions[source] = version
      }
    }
    return joined
  }
}

/// One random graph, its threads and its observers.
///
/// The first two sources are a pair. Only batches write them, always both, so that every notified observer sees equal
/// versions. A reader may see them differ during a batch.
final class DerivedWorld: @unchecked Sendable {
  // Sound: the graph is built before the threads start and released after they have ended. The lock guards the rest.

  private let seed: UInt64
  private let probes: Counter
  private var sources: [MutableProperty<Vector>] = []
  private var nodes: [Property<Vector>] = []
  private var halves: [(half: Property<Int>, whole: Property<Vector>, of: Int)] = []

  private let lock = Lock()
  private var observers: [DerivedObserver] = []
  private var breaches: [String] = []

  init(seed: UInt64, probes: Counter) {
    self.seed = seed
    self.probes = probes
    var chance = Chance(seed: seed)
    let count = 3 + chance.number(below: 3)
    for source in 0..<count {
      var versions = Array(repeating: -1, count: count)
      versions[source] = 0
      sources.append(MutableProperty(Vector(versions: versions)))
    }
    nodes = sources
    for _ in 0..<(3 + chance.number(below: 9)) { nodes.append(makeNode(&chance)) }
    if chance.once(in: 4) { makeTall(&chance) }
  }

  private func probe() -> Probe {
    probes.add()
    return Probe { [probes] in probes.add(-1) }
  }

  private func makeNode(_ chance: inout Chance) -> Property<Vector> {
    let inputs = (0..<5).map { _ in nodes[chance.number(below: nodes.count)] }
    let probe = probe()
    switch chance.number(below: 6) {
    case 0:
      return Property.derived(inputs[0]) { vector in
        probe.touch()
        return vector
      }
    case 1, 2:
      return Property.derived(inputs[0], inputs[1]) { first, second in
        probe.touch()
        return .joining([first, second])
      }
    case 3:
      return Property.derived(inputs[0], inputs[1], inputs[2]) { first, second, third in
        probe.touch()
        return .joining([first, second, third])
      }
    case 4:
      // Every other change of the source gives an equal result, next to a value that always changes.
      let source = chance.number(below: sources.count)
      let half = Property.derived(sources[source].lens(\.versions[source])) { $0 / 2 }
      let whole = Property.derived(half, sources[source], inputs[0]) { half, vector, other in
        probe.touch()
        var joined = Vector.joining([vector, other])
        if half != vector.versions[source] / 2 { joined.isMixed = true }
        return joined
      }
      halves.append((half, whole, source))
      return whole
    default:
      let count = 1 + chance.number(below: 5)
      return Property.derived(Array(inputs.prefix(count))) { vectors in
        probe.touch()
        return .joining(vectors)
      }
    }
  }

  /// A chain too long for a recursive walk, entered from the side in places.
  private func makeTall(_ chance: inout Chance) {
    var last = nodes[chance.number(below: nodes.count)]
    for height in 0..<(66 + chance.number(below: 80)) {
      if height % 30 == 29 {
        last = Property.derived(last, nodes[chance.number(below: nodes.count)]) { .joining([$0, $1]) }
      } else {
        last = Property.derived(last) { $0 }
      }
    }
    nodes.append(Property.derived(last, nodes[chance.number(below: nodes.count)]) { .joining([$0, $1]) })
    nodes.append(last)
  }

  // MARK: Running

  /// Runs the threads to their end and returns all breaches of the laws.
  func run() -> [String] {
    for number in nodes.indices { observe(number, isWitness: true, onlyChanges: false) }
    var chance = Chance(seed: seed ^ 0xADAD)
    let threads = 2 + chance.number(below: 3)
    let steps = 20 + chance.number(below: 60)
    withPausedThreads(threads, seed: seed) { [seed] thread in
      var chance = Chance(seed: seed &* 31 &+ UInt64(thread))
      for _ in 0..<steps { self.step(&chance) }
    }
    judge()
    // Release all sources, so that every derived value must end.
    sources = []
    nodes = []
    halves = []
    for observer in observers where !observer.isOver && observer.completions != 1 {
      breaches.append("law 5: completed \(observer.completions) times [node \(observer.node)]")
    }
    for observer in observers { observer.token.value = nil }
    observers = []
    return breaches
  }

  private func step(_ chance: inout Chance) {
    switch chance.number(below: 20) {
    case 0..<5: write(2 + chance.number(below: sources.count - 2))
    case 5..<8: writePair(&chance)
    case 8..<10:
      let number = 2 + chance.number(below: sources.count - 2)
      batch {
        write(number)
        if chance.once(in: 2) { read(chance.number(below: nodes.count)) }
        batch { write(2 + chance.number(below: sources.count - 2)) }
        if chance.once(in: 4) {
          observe(chance.number(below: nodes.count), isWitness: false, onlyChanges: chance.once(in: 2))
        }
      }
    case 10..<15: read(chance.number(below: nodes.count))
    case 15..<18: observe(chance.number(below: nodes.count), isWitness: false, onlyChanges: chance.once(in: 3))
    default: leave(&chance)
    }
  }

  private func write(_ source: Int) {
    switch source % 3 {
    case 0: sources[source].modify { $0.versions[source] += 1 }
    case 1: sources[source].withLock { $0.versions[source] += 1 }
    default: sources[source].lens(\.versions).lens(\.[source]).modify { $0 += 1 }
    }
  }

  private func writePair(_ chance: inout Chance) {
    let order = chance.once(in: 2) ? [0, 1] : [1, 0]
    batch {
      write(order[0])
      if chance.once(in: 3) { read(chance.number(below: nodes.count)) }
      write(order[1])
    }
  }

  private func read(_ number: Int) {
    let before = sources.map(\.value)
    let vector = nodes[number].value
    if vector.isMixed { breach("law 8: a reader saw a mixture [node \(number)] \(vector.versions)") }
    for (source, version) in vector.versions.enumerated() where version >= 0 {
      if version < before[source].versions[source] {
        breach("law 7: read \(version) of source \(source) after \(before[source].versions[source]) [node \(number)]")
      }
    }
  }

  private func observe(_ number: Int, isWitness: Bool, onlyChanges: Bool) {
    let observer = lock.withLock {
      guard observers.count < 80 else { return nil as DerivedObserver? }
      let observer = DerivedObserver(node: number, isWitness: isWitness, isSource: number < sources.count)
      observers.append(observer)
      return observer
    }
    guard let observer else { return }
    let probe = probe()
    let end: @Sendable (SignalCompletion<Never>) -> Void = { _ in observer.completions += 1 }
    let receive: @Sendable (Vector) -> Void = { vector in
      probe.touch()
      observer.receive(vector)
    }
    if onlyChanges {
      observer.token.value = nodes[number].changes.sink(receiveCompletion: end, receiveValue: receive)
    } else {
      observer.hasCurrent = true
      observer.token.value = nodes[number].sink(receiveCompletion: end, receiveValue: receive)
    }
  }

  private func leave(_ chance: inout Chance) {
    let observer = lock.withLock {
      observers.filter { !$0.isWitness || chance.once(in: 10) }.randomElement(using: &chance)
    }
    guard let observer, let token = observer.token.value else { return }
    lock.withLock { observer.isOver = true }
    token.cancel()
    observer.token.value = nil
  }

  private func breach(_ law: String) {
    lock.withLock { if breaches.count < 10 { breaches.append(law) } }
  }

  // MARK: The verdict

  /// Judges the received values after all threads have ended.
  private func judge() {
    for (half, whole, source) in halves where half.value != whole.value.versions[source] / 2 {
      breach("law 8: a half does not fit its whole")
    }
    for observer in observers {
      let place = "[node \(observer.node)]"
      let now = nodes[observer.node].value
      for law in observer.breaches { breach("\(law) \(place)") }
      if observer.isOver { continue }
      if let last = observer.received.last {
        if last != now { breach("final: got \(last.versions) last, is \(now.versions) \(place)") }
      } else if observer.hasCurrent {
        breach("law 6: got nothing \(place)")
      }
    }
    for number in nodes.indices {
      let mine = observers.filter { $0.node == number }
      guard let longest = mine.filter({ $0.isWitness && !$0.isOver }).first?.received else { continue }
      for observer in mine where !isTail(observer.received, of: longest, isOver: observer.isOver) {
        breach("law 2: order differs [node \(number)] \(observer.received.map(\.versions)) \(longest.map(\.versions))")
      }
    }
  }

  /// Returns a Boolean value that indicates whether a subscriber received a witness's values from some point on and, if
  /// it stayed, to the end.
  ///
  /// Its first value may be one from inside a batch, which no other subscriber receives.
  private func isTail(_ part: [Vector], of all: [Vector], isOver: Bool) -> Bool {
    guard let first = part.first else { return true }
    if all.contains(first) { return isRun(part[...], of: all, isOver: isOver) }
    return isRun(part.dropFirst(), of: all, isOver: isOver)
  }

  private func isRun(_ part: ArraySlice<Vector>, of all: [Vector], isOver: Bool) -> Bool {
    guard let first = part.first else { return true }
    guard let start = all.firstIndex(of: first) else { return false }
    let rest = all[start...]
    return isOver ? rest.starts(with: part) : rest.elementsEqual(part)
  }
}

/// The values of one subscriber, guarded only by the promise that it is never called concurrently.
final class DerivedObserver: @unchecked Sendable {  // Sound: see above; read after all threads have ended.
  let node: Int
  let isWitness: Bool
  private let isSource: Bool
  let token = Box<SignalSubscription>()
  var hasCurrent = false
  var isOver = false
  var completions = 0
  private(set) var received: [Vector] = []
  private(set) var breaches: [String] = []

  init(node: Int, isWitness: Bool, isSource: Bool) {
    self.node = node
    self.isWitness = isWitness
    self.isSource = isSource
  }

  func receive(_ vector: Vector) {
    if completions > 0 { note("law 5: a value after the end") }
    if vector.isMixed { note("law 8: an observer saw a mixture \(vector.versions)") }
    let (left, right) = (vector.versions[0], vector.versions[1])
    // The first value is a snapshot, possibly from inside a batch.
    if !received.isEmpty, left >= 0, right >= 0, left != right { note("law 8: half a batch \(vector.versions)") }
    if let last = received.last {
      if last == vector { note("a repeated value \(vector.versions)") }
      for (old, new) in zip(last.versions, vector.versions) where new < old {
        note("law 2: back from \(last.versions) to \(vector.versions)")
      }
    }
    received.append(vector)
  }

  private func note(_ breach: String) {
    if breaches.count < 3 { breaches.append(breach) }
  }
}
