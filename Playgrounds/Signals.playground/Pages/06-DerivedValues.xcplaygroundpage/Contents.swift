//: # Derived values
//:
//: Much of what an application shows is computed from other values. Declare the computation once, and read and observe
//: the result like any property. It is computed only when it is read or observed, and never shows half a change.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 06-DerivedValues`.

import Dispatch
import Observation
import Signals

//: ## Declare a derived value

let price = MutableProperty(100)
let count = MutableProperty(2)
let total = Property.derived(price, count) { $0 * $1 }
print("total is", total.value)  // Prints "total is 200"

let receipt = total.sink { print("receipt shows", $0) }  // Prints "receipt shows 200"
count.value = 3  // Prints "receipt shows 300"
receipt.cancel()

//: A derived value is a property, so you can derive others from it. It can have any number of inputs, or a list of
//: them.

let discounts = (1...3).map { MutableProperty($0) }
let reduction = Property.derived(discounts) { $0.reduce(0, +) }
let due = Property.derived(total, reduction) { $0 - $1 }
print("due", due.value)  // Prints "due 294"
discounts[0].value = 5
print("due", due.value)  // Prints "due 290"

//: ## Computed on demand

let document = MutableProperty("It was a dark and stormy night")
let words = Property.derived(document) { text in
  print("counting words")
  return text.split(separator: " ").count
}
document.value += ";"
document.value += " the rain fell in torrents"
print("nobody has asked yet")  // Prints "nobody has asked yet"
print(words.value, "words")
// Prints "counting words"
// Prints "12 words"
print(words.value, "words")  // Prints "12 words"

//: ## Equal results are not sent
//:
//: The words are counted again, but the number is the same: no subscriber is called, and dependent values are not
//: computed.

let length = Property.derived(words) { words in
  print("judging")
  return words > 10 ? "long" : "short"
}
let verdict = length.sink { print("the sentence is", $0) }
// Prints "judging"
// Prints "the sentence is long"
document.value += "."  // Prints "counting words"
document.value = "It rained."
// Prints "counting words"
// Prints "judging"
// Prints "the sentence is short"
verdict.cancel()

//: ## Consistent values
//:
//: `range` depends on `celsius` in two ways. A chain of operators would briefly show the new low with the old high.

let celsius = MutableProperty(20)
let low = Property.derived(celsius) { $0 - 5 }
let high = Property.derived(celsius) { $0 + 5 }
let naive = low.combineLatest(high).dropFirst().sink { print("combined:", $0, "to", $1) }
celsius.value = 30
// Prints "combined: 25 to 25"
// Prints "combined: 25 to 35"
naive.cancel()

let range = Property.derived(low, high) { "\($0) to \($1)" }
let exact = range.changes.sink { print("derived:", $0) }
celsius.value = 40  // Prints "derived: 35 to 45"
exact.cancel()

//: This also holds when other threads write. Here one thread counts up while this one reads.

let ticks = MutableProperty(0)
let tens = Property.derived(ticks) { $0 / 10 }
let ones = Property.derived(ticks) { $0 % 10 }
let both = Property.derived(ticks, tens, ones) { $0 == $1 * 10 + $2 }
let writer = DispatchQueue(label: "writer")
writer.async { for _ in 1...10_000 { ticks.modify { $0 += 1 } } }
var mixtures = 0
for _ in 1...10_000 where !both.value { mixtures += 1 }
writer.sync {}
print("mixtures seen:", mixtures)  // Prints "mixtures seen: 0"

//: ## Several writes as one

let first = MutableProperty("Ada")
let last = MutableProperty("Byron")
let name = Property.derived(first, last) { "\($0) \($1)" }
let badge = name.sink { print("badge:", $0) }  // Prints "badge: Ada Byron"
batch {
  first.value = "Augusta"
  last.value = "King"
  print("inside the batch:", name.value)  // Prints "inside the batch: Augusta King"
}
// Prints "badge: Augusta King"
badge.cancel()

//: ## Swift Observation sees it, too
//:
//: SwiftUI does, too: a view that reads a derived value is drawn again when the value may have changed.

withObservationTracking {
  print("tracking", name.value)  // Prints "tracking Augusta King"
} onChange: {
  print("changed to", name.value)
}
last.value = "Lovelace"  // Prints "changed to Augusta Lovelace"
