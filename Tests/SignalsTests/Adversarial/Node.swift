import Dispatch
import Signals
import TestSupport

/// A signal of a random graph and its expected behavior.
struct Node: Sendable {
  let name: String
  let signal: AnySignal<Items, Mishap>

  /// The number of paths from each source.
  let paths: [Int: Int]

  /// The source whose values all arrive unchanged, if there is one.
  var direct: Int?

  /// A Boolean value that indicates whether a subscriber receives a value inside the subscribing call.
  var isImmediate = false

  /// A Boolean value that indicates whether a value may arrive more than once.
  var repeats = false

  /// A Boolean value that indicates whether each sender's values arrive in order: with several paths, one may be
  /// slower.
  var isOrdered: Bool { paths.values.allSatisfy { $0 == 1 } }
}

/// An operator that a random graph may contain.
struct Ingredient: Sendable {
  let name: String
  let make: @Sendable (_ inputs: [Node], _ world: World, _ chance: inout Chance) -> Node

  /// Creates an operator with a single input.
  init(
    _ name: String, isDirect: Bool = false,
    _ make: @escaping @Sendable (AnySignal<Items, Mishap>, _ world: World, Int) -> AnySignal<Items, Mishap>
  ) {
    self.name = name
    self.make = { inputs, world, chance in
      let input = inputs[0]
      return Node(
        name: "\(input.name).\(name)", signal: make(input.signal, world, chance.number(below: 4)), paths: input.paths,
        direct: isDirect ? input.direct : nil,
        isImmediate: isDirect && input.isImmediate && name != "receive(on:)",
        repeats: input.repeats
      )
    }
  }

  /// Creates an operator with two inputs.
  init(
    joining name: String, repeats: Bool,
    _ make: @escaping @Sendable (AnySignal<Items, Mishap>, AnySignal<Items, Mishap>) -> AnySignal<Items, Mishap>
  ) {
    self.name = name
    self.make = { inputs, _, _ in
      let (first, second) = (inputs[0], inputs[1])
      return Node(
        name: "\(name)(\(first.name), \(second.name))", signal: make(first.signal, second.signal),
        paths: first.paths.merging(second.paths, uniquingKeysWith: +),
        repeats: repeats || first.repeats || second.repeats
      )
    }
  }

  static let all: [Ingredient] = [
    Ingredient("map", isDirect: true) { input, world, _ in
      let probe = world.probe()
      return input.map { items in
        probe.touch()
        return items
      }.eraseToAnySignal()
    },
    Ingredient("filter") { input, _, number in
      input.filter { $0.allSatisfy { $0.serial % 4 != number } }.eraseToAnySignal()
    },
    Ingredient("compactMap") { input, _, number in
      input.compactMap { $0.count > number ? nil : $0 }.eraseToAnySignal()
    },
    Ingredient("removeDuplicates") { input, _, _ in input.removeDuplicates().eraseToAnySignal() },
    Ingredient("scan", isDirect: true) { input, _, _ in
      input.scan((0, [])) { ($0.0 + 1, $1) }.map(\.1).eraseToAnySignal()
    },
    Ingredient("prefix") { input, _, number in input.prefix(1 + number * 3).eraseToAnySignal() },
    Ingredient("dropFirst") { input, _, number in input.dropFirst(number).eraseToAnySignal() },
    Ingredient("collect") { input, _, number in
      input.collect(1 + number).map { Array($0.joined()) }.eraseToAnySignal()
    },
    Ingredient("receive(on:)", isDirect: true) { input, world, _ in
      input.receive(on: world.queue).eraseToAnySignal()
    },
    Ingredient("prefix(while:)") { input, _, number in
      input.prefix { items in items.allSatisfy { $0.serial % 7 != number } }.eraseToAnySignal()
    },
    Ingredient("handleEvents", isDirect: true) { input, world, _ in
      let probe = world.probe()
      return input.handleEvents(receiveOutput: { _ in probe.touch() }, receiveCancel: { probe.touch() })
        .eraseToAnySignal()
    },
    Ingredient("create", isDirect: true) { input, world, _ in
      let probe = world.probe()
      return AnySignal.create { sink in
        let token = input.sink(receiveCompletion: { sink.send(completion: $0) }, receiveValue: { sink.send($0) })
        return SignalSubscription {
          probe.touch()
          token.cancel()
        }
      }
    },
    // Not direct: a subscriber may join between the sending of a value and its arrival at the shared signal.
    Ingredient("share") { input, _, number in
      let kinds: [ShareDisconnection] = [.immediately, .never, .after(.milliseconds(1)), .after(.seconds(60))]
      return input.share(disconnecting: kinds[number]).eraseToAnySignal()
    },
    Ingredient("tryMap", isDirect: true) { input, _, _ in
      input.tryMap { items throws(Mishap) in items }.eraseToAnySignal()
    },
    Ingredient("tryScan") { input, _, number in
      input.tryScan([]) { (_, items) throws(Mishap) in
        if items.contains(where: { $0.serial == 20 + number }) { throw .flood }
        return items
      }.eraseToAnySignal()
    },
    Ingredient("suffix") { input, _, number in input.suffix(number * 2).eraseToAnySignal() },
    Ingredient("pairwise") { input, _, _ in input.pairwise().map { $1 }.eraseToAnySignal() },
    Ingredient("chunked(by:)") { input, _, number in
      input.chunked { _, next in next.allSatisfy { $0.serial % 5 != number } }.map { Array($0.joined()) }
        .eraseToAnySignal()
    },
    Ingredient("flatMapFirst") { input, _, _ in
      input.flatMapFirst { AnySignal<Items, Mishap>.just($0) }.eraseToAnySignal()
    },
    Ingredient(joining: "race", repeats: false) { race($0, $1).eraseToAnySignal() },
    Ingredient(joining: "switchIfEmpty", repeats: false) { $0.switchIfEmpty($1).eraseToAnySignal() },
    Ingredient(joining: "chunked(by: signal)", repeats: false) { values, boundaries in
      values.chunked(by: boundaries.catch { _ in NeverSignal<Items, Never>() }).map { Array($0.joined()) }
        .eraseToAnySignal()
    },
    Ingredient(joining: "append", repeats: false) { $0.append($1).eraseToAnySignal() },
    Ingredient(joining: "prefix(untilOutputFrom:)", repeats: false) {
      $0.prefix(untilOutputFrom: $1).eraseToAnySignal()
    },
    Ingredient(joining: "drop(untilOutputFrom:)", repeats: false) { $0.drop(untilOutputFrom: $1).eraseToAnySignal() },
    Ingredient(joining: "sample(by:)", repeats: false) { $0.sample(by: $1).eraseToAnySignal() },
    Ingredient(joining: "merge", repeats: false) { merge($0, $1).eraseToAnySignal() },
    Ingredient(joining: "combineLatest", repeats: true) { first, second in
      first.combineLatest(second).map { $0 + $1 }.eraseToAnySignal()
    },
  ]
}
