import OpenCombine
import Signals

/// Reading and writing an observable value.
func registerProperties() {
  measure("propertySet", "Signals") {
    let tally = Tally()
    let property = MutableProperty(0)
    let subscription = property.sink { tally.add($0) }
    return { count in
      for value in 0..<count { property.value = value }
      withExtendedLifetime(subscription) {}
    }
  }
  measure("propertySet", "OpenCombine") {
    let tally = Tally()
    let property = CurrentValueSubject<Int, Never>(0)
    let subscription = property.sink { tally.add($0) }
    return { count in
      for value in 0..<count { property.value = value }
      withExtendedLifetime(subscription) {}
    }
  }
  measure("propertySet", "mutex and exchange pair") {
    let tally = Tally()
    let lock = PlainLock()
    let turn = ExchangePair()
    return { count in
      for value in 0..<count {
        lock.pair()
        turn.pair()
        tally.add(value)
      }
    }
  }

  measure("propertyRead", "Signals") {
    let tally = Tally()
    let property = MutableProperty(1)
    return { count in for _ in 0..<count { tally.add(property.value) } }
  }
  measure("propertyRead", "OpenCombine") {
    let tally = Tally()
    let property = CurrentValueSubject<Int, Never>(1)
    return { count in for _ in 0..<count { tally.add(property.value) } }
  }
  measure("propertyRead", "mutex pair") {
    let tally = Tally()
    let lock = PlainLock()
    return { count in
      for value in 0..<count {
        lock.pair()
        tally.add(value)
      }
    }
  }
}
