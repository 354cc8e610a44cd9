import Signals

/// The cost of changing a large value in a property that nobody else holds.
let changes: [Promise] = [
  Promise(title: "append to an array of 1,000 with modify") {
    append { property, value in property.modify { $0.append(value) } }
  },
  Promise(title: "append to an array of 1,000 with withLock", allocations: 0) {
    append { property, value in property.withLock { $0.append(value) } }
  },
]

private func append(_ append: (MutableProperty<[Int]>, Int) -> Void) -> Cost {
  let property = MutableProperty(Array(0..<1_000))
  return counting { for value in 0..<$0 { append(property, value) } }
}
