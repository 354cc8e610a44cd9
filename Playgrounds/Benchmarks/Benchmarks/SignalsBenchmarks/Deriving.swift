import Observation
import Signals

/// Graphs of derived values, in the shapes that libraries of signals are compared by; one write of the source each
/// time.
func registerDeriving() {
  measure("derivedOne", "Signals") {
    derivedGraph { head in [Property.derived(head) { $0 &+ 1 }] }
  }
  measure("derivedOne", "Observation") {
    let tally = Tally()
    let model = Model()
    return { count in
      for value in 0..<count {
        withObservationTracking {
          tally.add(model.value &+ 1)
        } onChange: {
        }
        model.value = value
      }
    }
  }
  measure("derivedBatch", "Signals") {
    let tally = Tally()
    let left = MutableProperty(0)
    let right = MutableProperty(0)
    let subscription = Property.derived(left, right) { $0 &+ $1 }.sink { tally.add($0) }
    return { count in
      for value in 0..<count {
        batch {
          left.value = value
          right.value = value
        }
      }
      withExtendedLifetime(subscription) {}
    }
  }
  measure("derivedDiamond", "Signals") {
    derivedGraph { head in
      let arms = (0..<5).map { arm in Property.derived(head) { $0 &+ arm } }
      return [Property.derived(arms) { $0.reduce(0, &+) }]
    }
  }
  measure("derivedTriangle", "Signals") {
    derivedGraph { head in
      var steps: [Property<Int>] = [head]
      for _ in 0..<9 { steps.append(Property.derived(steps[steps.count - 1]) { $0 &+ 1 }) }
      return [Property.derived(steps) { $0.reduce(0, &+) }]
    }
  }
  measure("derivedBroad", "Signals") {
    derivedGraph { head in
      (0..<50).map { branch in Property.derived(Property.derived(head) { $0 &+ branch }) { $0 &+ 1 } }
    }
  }
  measure("derivedDeep", "Signals") {
    derivedGraph { head in
      var last: Property<Int> = head
      for _ in 0..<50 { last = Property.derived(last) { $0 &+ 1 } }
      return [last]
    }
  }
  measure("derivedRepeated", "Signals") {
    derivedGraph { head in [Property.derived(Array(repeating: head, count: 30)) { $0.reduce(0, &+) }] }
  }
  measure("derivedAvoidable", "Signals") {
    derivedGraph { head in
      let constant = Property.derived(Property.derived(head) { $0 &+ 1 }) { _ in 0 }
      return [Property.derived(Property.derived(constant) { $0 &+ 1 }) { $0 &+ 2 }]
    }
  }
}

@Observable private final class Model {
  var value = 0
}

/// The work of writing the source of a graph whose leaves are observed.
private func derivedGraph(_ make: (Property<Int>) -> [Property<Int>]) -> Workload {
  let tally = Tally()
  let head = MutableProperty(0)
  let subscriptions = make(head).map { $0.sink { tally.add($0) } }
  return { count in
    for value in 0..<count { head.value = value }
    withExtendedLifetime(subscriptions) {}
  }
}
