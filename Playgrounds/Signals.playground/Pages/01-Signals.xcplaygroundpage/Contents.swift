//: # Signals
//:
//: A signal is a stream of values over time. This page sends some, shapes them, and listens.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 01-Signals`.

import Signals

//: ## Send and listen
//:
//: An emitter is a signal that you send values into. Whoever listens gets a token, and listens for as long as the token
//: lives.

let keys = Emitter<Character, Never>()

let listener = keys.sink { print("key", $0) }
keys.send("a")  // Prints "key a"
keys.send("b")  // Prints "key b"

//: After `cancel()` returns, nothing more arrives.

listener.cancel()
keys.send("c")

//: ## Shape
//:
//: Operators make new signals of old ones. A chain of them becomes a single call when it is subscribed to, so long chains
//: cost next to nothing. Their names are those of Combine.

let digits = keys.compactMap { $0.wholeNumberValue }
let sums = digits.scan(0, +)
let evenSums = sums.filter { $0.isMultiple(of: 2) }.removeDuplicates()

let counter = evenSums.map { "even sum \($0)" }.sink { print($0) }
for key in "1x1022" { keys.send(key) }
// Prints "even sum 2"
// Prints "even sum 4"
// Prints "even sum 6"
counter.cancel()

//: ## Several signals
//:
//: `merge` takes values as they come; `combineLatest` pairs the latest of each.

let buttons = Emitter<String, Never>()
let inputs = merge(keys.map { "key \($0)" }, buttons.map { "button \($0)" })
let input = inputs.sink { print($0) }
buttons.send("up")  // Prints "button up"
keys.send("d")  // Prints "key d"
input.cancel()

//: ## In order, always
//:
//: A value sent while another one is being delivered goes out after it, to everyone. All listeners see the same order, and
//: nothing ever calls itself recursively.

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

//: ## The end
//:
//: A signal may end once: by finishing, or by a failure of the type it declares. Then all listeners are released.

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
//: Every signal is an asynchronous sequence too.

let recent = Emitter<Int, Never>(replay: 2)
for number in 1...4 { recent.send(number) }
recent.finish()
for await number in recent.values { print("still has", number) }
// Prints "still has 3"
// Prints "still has 4"
