import OpenCombine
import Signals

/// Operators that remember something.
func registerOperators() {
  measure("scan", "Signals") {
    let tally = Tally()
    let source = Source()
    return sending(source, source.scan(0) { $0 &+ $1 }.sink { tally.add($0) })
  }
  measure("scan", "OpenCombine") {
    let tally = Tally()
    let source = Subject()
    return sending(source, source.scan(0) { $0 &+ $1 }.sink { tally.add($0) })
  }

  // Every second value is a duplicate.
  measure("removeDuplicates", "Signals") {
    let tally = Tally()
    let source = Source()
    return sending(source, source.map { $0 >> 1 }.removeDuplicates().sink { tally.add($0) })
  }
  measure("removeDuplicates", "OpenCombine") {
    let tally = Tally()
    let source = Subject()
    return sending(source, source.map { $0 >> 1 }.removeDuplicates().sink { tally.add($0) })
  }

  // OpenCombine 0.14 has no combineLatest.
  measure("combineLatest", "Signals") {
    let tally = Tally()
    let source = Source()
    let other = Source()
    let subscription = source.combineLatest(other).sink { tally.add($0 &+ $1) }
    other.send(1)
    return sending(source, subscription)
  }
  measure("combineLatest", "exchange pair") {
    let turn = ExchangePair()
    return { count in for _ in 0..<count { turn.pair() } }
  }
}
