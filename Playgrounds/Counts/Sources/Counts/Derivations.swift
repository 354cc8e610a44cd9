import Signals

/// What a write costs that derived values depend on, and what reading them costs.
let derivations = [
  Promise(title: "property → derived → sink", allocations: 0, retains: 0) {
    write { head in [Property.derived(head) { $0 &+ 1 }] }
  },
  Promise(title: "diamond of derived values → sink", allocations: 0, retains: 0) {
    write { head in
      let left = Property.derived(head) { $0 &+ 1 }
      let right = Property.derived(head) { $0 &+ 2 }
      return [Property.derived(left, right) { $0 &+ $1 }]
    }
  },
  // The allocation is the array that the transform receives.
  Promise(title: "five derived values → their sum, from an array → sink", allocations: 1, retains: 0) {
    write { head in
      let arms = (0..<5).map { arm in Property.derived(head) { $0 &+ arm } }
      return [Property.derived(arms) { $0.reduce(0, &+) }]
    }
  },
  Promise(title: "property → 50 derived values → sinks", allocations: 0, retains: 0) {
    write { head in (0..<50).map { branch in Property.derived(head) { $0 &+ branch } } }
  },
  Promise(title: "lens → property → lens → sink", allocations: 0, retains: 0) {
    let tally = Tally()
    let lens = MutableProperty(Pair()).lens(\.left)
    return withExtendedLifetime(lens.sink { tally.add($0) }) {
      counting { for value in 0..<$0 { lens.value = value } }
    }
  },
  Promise(title: "lens of a lens, modify", allocations: 0, retains: 0) {
    let lens = MutableProperty(Pair()).lens(\.self).lens(\.right)
    return counting { for _ in 0..<$0 { lens.modify { $0 &+= 1 } } }
  },
  Promise(title: "observed derived value, read", allocations: 0, retains: 0) {
    let tally = Tally()
    let head = MutableProperty(1)
    let derived = Property.derived(head) { $0 &+ 1 }
    return withExtendedLifetime(derived.sink { _ in }) {
      counting { for _ in 0..<$0 { tally.add(derived.value) } }
    }
  },
]

private struct Pair: Equatable, Sendable {
  var left = 0
  var right = 0
}

private func write(_ make: (Property<Int>) -> [Property<Int>]) -> Cost {
  let tally = Tally()
  let head = MutableProperty(0)
  return withExtendedLifetime(make(head).map { $0.sink { tally.add($0) } }) {
    counting { for value in 0..<$0 { head.value = value } }
  }
}
