//: # Signals
//:
//: A signal is a stream of values over time. This page sends values, transforms them, and subscribes to them.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 01-Signals`.

import Signals

//: ## Send and subscribe
//:
//: An emitter is a signal that you send values into. A subscriber receives a token, and receives values for as long as
//: the token lives.

let keys = Emitter<Character, Never>()

let listener = keys.sink { print("key", $0) }
keys.send("a")  // Prints "key a"
keys.send("b")  // Prints "key b"

//: After `cancel()` returns, the subscriber receives no more values.

listener.cancel()
keys.send("c")

//: ## Transform
//:
//: Operators make new signals from existing ones. A chain of them becomes a single call when it is subscribed to, so
//: long chains cost next to nothing. Their names are the same as in Combine.

let digits = keys.compactMap { $0.wholeNumberValue }
let sums = digits.scan(0, +)
let evenSums = sums.filter { $0.isMultiple(of: 2) }.removeDuplicates()

let counter = evenSums.map { "even sum \($0)" }.sink { print($0) }
for key in "1x1022" { keys.send(key) }
// Prints "even sum 2"
// Prints "even sum 4"
// Prints "even sum 6"
counter.cancel()

//: ## Combine signals
//:
//: `merge` passes on values as they arrive; `combineLatest` pairs the latest value of each signal.

let buttons = Emitter<String, Never>()
let inputs = merge(keys.map { "key \($0)" }, buttons.map { "button \($0)" })
let input = inputs.sink { print($0) }
buttons.send("up")  // Prints "button up"
keys.send("d")  // Prints "key d"
input.cancel()

//: ## Order
//:
//: A value that is sent while another one is being delivered is delivered after it, to every subscriber. All
//: subscribers receive values in the same order, and no subscriber is called recursively.

let numbers = Emitter<Int, Never>()
let first = numbers.sink { number in
  print("first got", number)
  if number < 3 { numbers.send(number + 1) }
}
let second = numbers.sink { print("second got", $0) }
numbers.send(1)
// Prints "first got 1"
// Prints "second got 1"
// Prints "first got 2"
// Prints "second got 2"
// Prints "first got 3"
// Prints "second got 3"

//: ## Completion
//:
//: A signal ends at most once: it finishes, or fails with an error of its declared type. Then all subscribers are
//: released.

struct Unplugged: Error {}

let sensor = Emitter<Double, Unplugged>()
let reading = sensor.sink(
  receiveCompletion: { completion in
    switch completion {
    case .finished: print("no more readings")
    case .failure(let error): print("the sensor failed: \(error)")
    }
  },
  receiveValue: { print("reading", $0) }
)
sensor.send(20.5)  // Prints "reading 20.5"
sensor.fail(Unplugged())  // Prints "the sensor failed: Unplugged()"

//: ## In a loop
//:
//: Every signal is also an asynchronous sequence.

let recent = Emitter<Int, Never>(replay: 2)
for number in 1...4 { recent.send(number) }
recent.finish()
for await number in recent.values { print("still has", number) }
// Prints "still has 3"
// Prints "still has 4"
