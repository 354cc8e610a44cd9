import Benchmark
import Foundation
import OpenCombine
import Signals

typealias Source = Emitter<Int, Never>
typealias Subject = PassthroughSubject<Int, Never>

/// Sending through a source: alone, to one subscriber, through operators and to many.
func registerEmitting() {
  registerSink()
  registerMaps()
  registerFanOut()
  registerContention()
}

private func registerSink() {
  measure("idle", "Signals") {
    let source = Source()
    return { count in for value in 0..<count { source.send(value) } }
  }
  measure("idle", "OpenCombine") {
    let source = Subject()
    return { count in for value in 0..<count { source.send(value) } }
  }

  measure("sink", "Signals") {
    let tally = Tally()
    let source = Source()
    return sending(source, source.sink { tally.add($0) })
  }
  measure("sink", "OpenCombine") {
    let tally = Tally()
    let source = Subject()
    return sending(source, source.sink { tally.add($0) })
  }
  measure("sink", "closure call") {
    let tally = Tally()
    let nodes = NodeList(count: 1) { tally.add($0) }
    return { count in for value in 0..<count { nodes.call(value) } }
  }

  measure("sink", "exchange pair") {
    let turn = ExchangePair()
    return { count in for _ in 0..<count { turn.pair() } }
  }

  measure("mapFilter", "Signals") {
    let tally = Tally()
    let source = Source()
    return sending(source, source.map { $0 &+ 1 }.filter { $0 >= 0 }.sink { tally.add($0) })
  }
  measure("mapFilter", "OpenCombine") {
    let tally = Tally()
    let source = Subject()
    return sending(source, source.map { $0 &+ 1 }.filter { $0 >= 0 }.sink { tally.add($0) })
  }
}

private func registerMaps() {
  measure("map1", "Signals") {
    let tally = Tally()
    let source = Source()
    return sending(source, source.map { $0 &+ 1 }.sink { tally.add($0) })
  }
  measure("map1", "OpenCombine") {
    let tally = Tally()
    let source = Subject()
    return sending(source, source.map { $0 &+ 1 }.sink { tally.add($0) })
  }

  measure("map10", "Signals") {
    let tally = Tally()
    let source = Source()
    let tenth = source.map { $0 &+ 1 }.map { $0 &+ 2 }.map { $0 &+ 3 }.map { $0 &+ 4 }.map { $0 &+ 5 }
      .map { $0 &+ 6 }.map { $0 &+ 7 }.map { $0 &+ 8 }.map { $0 &+ 9 }.map { $0 &+ 10 }
    return sending(source, tenth.sink { tally.add($0) })
  }
  measure("map10", "OpenCombine erased") {
    let tally = Tally()
    let source = Subject()
    let fifth = source.map { $0 &+ 1 }.eraseToAnyPublisher().map { $0 &+ 2 }.eraseToAnyPublisher()
      .map { $0 &+ 3 }.eraseToAnyPublisher().map { $0 &+ 4 }.eraseToAnyPublisher().map { $0 &+ 5 }.eraseToAnyPublisher()
    let tenth = fifth.map { $0 &+ 6 }.eraseToAnyPublisher().map { $0 &+ 7 }.eraseToAnyPublisher()
      .map { $0 &+ 8 }.eraseToAnyPublisher().map { $0 &+ 9 }.eraseToAnyPublisher().map { $0 &+ 10 }
    return sending(source, tenth.sink { tally.add($0) })
  }
  measure("map10", "OpenCombine") {
    let tally = Tally()
    let source = Subject()
    let tenth = source.map { $0 &+ 1 }.map { $0 &+ 2 }.map { $0 &+ 3 }.map { $0 &+ 4 }.map { $0 &+ 5 }
      .map { $0 &+ 6 }.map { $0 &+ 7 }.map { $0 &+ 8 }.map { $0 &+ 9 }.map { $0 &+ 10 }
    return sending(source, tenth.sink { tally.add($0) })
  }

  measure("map16", "Signals") {
    let tally = Tally()
    let source = Source()
    let last = source.map { $0 &+ 1 }.map { $0 &+ 2 }.map { $0 &+ 3 }.map { $0 &+ 4 }.map { $0 &+ 5 }
      .map { $0 &+ 6 }.map { $0 &+ 7 }.map { $0 &+ 8 }.map { $0 &+ 9 }.map { $0 &+ 10 }
      .map { $0 &+ 11 }.map { $0 &+ 12 }.map { $0 &+ 13 }.map { $0 &+ 14 }.map { $0 &+ 15 }.map { $0 &+ 16 }
    return sending(source, last.sink { tally.add($0) })
  }
}

/// Sends in blocks of about a thousand deliveries, whatever the number of subscribers.
private func registerFanOut() {
  for subscribers in [10, 100, 1_000] {
    measure("fanOut\(subscribers)", "Signals") {
      let tally = Tally()
      let source = Source()
      let subscriptions = (0..<subscribers).map { _ in source.sink { tally.add($0) } }
      return { count in
        for value in 0..<(count / subscribers) { source.send(value) }
        withExtendedLifetime(subscriptions) {}
      }
    }
    measure("fanOut\(subscribers)", "OpenCombine") {
      let tally = Tally()
      let source = Subject()
      let subscriptions = (0..<subscribers).map { _ in source.sink { tally.add($0) } }
      return { count in
        for value in 0..<(count / subscribers) { source.send(value) }
        withExtendedLifetime(subscriptions) {}
      }
    }
    measure("fanOut\(subscribers)", "closure call") {
      let tally = Tally()
      let nodes = NodeList(count: subscribers) { tally.add($0) }
      return { count in for value in 0..<(count / subscribers) { nodes.call(value) } }
    }
  }
}

/// Two threads that send half of the values each.
private func registerContention() {
  measure("contended", "Signals") {
    let tally = Tally()
    let source = Source()
    let subscription = source.sink { tally.add($0) }
    return { count in
      onTwoThreads { for value in 0..<(count / 2) { source.send(value) } }
      withExtendedLifetime(subscription) {}
    }
  }
  measure("contended", "OpenCombine") {
    let tally = Tally()
    nonisolated(unsafe) let source = Subject()
    let subscription = source.sink { tally.add($0) }
    return { count in
      onTwoThreads { for value in 0..<(count / 2) { source.send(value) } }
      withExtendedLifetime(subscription) {}
    }
  }
}

private func onTwoThreads(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    done.signal()
  }
  body()
  done.wait()
}

/// Sends as many values as asked, and keeps the subscription alive until then.
func sending(_ source: Source, _ subscription: SignalSubscription) -> Workload {
  { count in
    for value in 0..<count { source.send(value) }
    withExtendedLifetime(subscription) {}
  }
}

func sending(_ source: Subject, _ subscription: AnyCancellable) -> Workload {
  { count in
    for value in 0..<count { source.send(value) }
    withExtendedLifetime(subscription) {}
  }
}
