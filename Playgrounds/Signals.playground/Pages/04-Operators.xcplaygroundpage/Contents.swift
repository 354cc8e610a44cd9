//: # Operators
//:
//: An operator makes a new signal from existing ones. Operators have the names and meanings of Combine or, where there
//: is one, of the sequence algorithm: they do to values over time what the algorithm does to an array.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 04-Operators`.

import Signals

//: ## Simple sources
//:
//: Every sequence is a signal, even an endless one. It sends its elements to each subscriber that still wants values.

let squares = (1...).signal.map { $0 * $0 }
let few = squares.prefix(3).sink { print("square", $0) }
// Prints "square 1"
// Prints "square 4"
// Prints "square 9"

//: Where a parameter is a signal, you can write the simplest ones with a leading dot.

func announce(_ words: some Signal<String, Never>) {
  let subscription = words.sink { print("announcing", $0) }
  subscription.cancel()
}
announce(.just("one"))  // Prints "announcing one"
announce(.from(["two", "three"]))
// Prints "announcing two"
// Prints "announcing three"
announce(.empty())

//: A deferred signal is made anew for each subscription.

let visitors = MutableProperty(0)
let greeting = DeferredSignal {
  visitors.modify { $0 += 1 }
  return JustSignal("visitor \(visitors.value)")
}
for _ in 1...2 { announce(greeting) }
// Prints "announcing visitor 1"
// Prints "announcing visitor 2"

//: `CreateSignal` calls a closure for each subscription. The closure sends through a sink, and returns a token that
//: stops its work.

let countdown = CreateSignal<Int, Never> { sink in
  for number in [3, 2, 1] { sink.send(number) }
  sink.finish()
  return SignalSubscription { print("stopped") }
}
let launch = countdown.sink { print($0) }
// Prints "3"
// Prints "2"
// Prints "1"
// Prints "stopped"

//: ## Transform

let words = Emitter<String, Never>()
let lengths = words.map(\.count)
let letters = words.compactMap(\.first)
let total = lengths.scan(0, +)
let transformed = [
  letters.sink { print("begins with", $0) },
  total.sink { print("letters so far", $0) },
]
words.send("signal")
// Prints "begins with s"
// Prints "letters so far 6"
words.send("")  // Prints "letters so far 6"
for subscription in transformed { subscription.cancel() }

//: ## Filter

let steps = [1, 1, 2, 3, 3, 3, 2].signal
let changes = steps.removeDuplicates().sink { print("step", $0) }
// Prints "step 1"
// Prints "step 2"
// Prints "step 3"
// Prints "step 2"

let middle = (1...10).signal.drop { $0 < 4 }.filter { $0.isMultiple(of: 2) }.prefix { $0 < 9 }
let evens = middle.sink { print("even", $0) }
// Prints "even 4"
// Prints "even 6"
// Prints "even 8"

//: Another signal can also determine when a signal begins or ends.

let readings = Emitter<Int, Never>()
let start = Emitter<Void, Never>()
let stop = Emitter<Void, Never>()
let recording = readings.drop(untilOutputFrom: start).prefix(untilOutputFrom: stop).sink { print("recorded", $0) }
readings.send(1)
start.send()
readings.send(2)  // Prints "recorded 2"
stop.send()
readings.send(3)

//: ## Reduce to one value
//:
//: A result that depends on all values is sent at the end. A result that is certain earlier is sent at once, and the
//: subscription to the source is cancelled.

let numbers = (1...5).signal
func show<Value>(_ name: String, _ signal: some Signal<Value, Never>) {
  let subscription = signal.sink { print(name, $0) }
  subscription.cancel()
}
show("sum", numbers.reduce(0, +))  // Prints "sum 15"
show("count", numbers.count())  // Prints "count 5"
show("last", numbers.last())  // Prints "last 5"
show("all", numbers.collect())  // Prints "all [1, 2, 3, 4, 5]"
show("pair", numbers.collect(2))
// Prints "pair [1, 2]"
// Prints "pair [3, 4]"
// Prints "pair [5]"
show("first above 99", squares.first { $0 > 99 })  // Prints "first above 99 100"
show("has 49", squares.contains(49))  // Prints "has 49 true"
show("all small", squares.allSatisfy { $0 < 50 })  // Prints "all small false"

//: In an asynchronous context, you can await the first value with `firstValue()`.

let tenth: Int? = await squares.output(at: 9).firstValue()
print("tenth", tenth ?? 0)  // Prints "tenth 100"

//: `pairwise` sends each value with its predecessor, `suffix` sends the last values, and `chunked` groups related
//: values.

show("step", [1, 4, 9].signal.pairwise().map { $1 - $0 })
// Prints "step 3"
// Prints "step 5"
show("last", numbers.suffix(2))
// Prints "last 4"
// Prints "last 5"
show("rising", [1, 3, 2, 4].signal.chunked { $0 < $1 })
// Prints "rising [1, 3]"
// Prints "rising [2, 4]"

//: ## Concatenate

show("item", numbers.prefix(1).prepend(0).append(7, 8))
// Prints "item 0"
// Prints "item 1"
// Prints "item 7"
// Prints "item 8"

let question = Emitter<String, Never>()
let answer = Emitter<String, Never>()
let talk = concat(question, answer, .just("bye")).sink { print("-", $0) }
answer.send("too early")
question.send("ready?")  // Prints "- ready?"
question.finish()
answer.send("yes")  // Prints "- yes"
answer.finish()  // Prints "- bye"

//: ## Combine signals
//:
//: `merge` passes on values as they arrive; `combineLatest` pairs the latest value of each signal.

let left = Emitter<String, Never>()
let right = Emitter<String, Never>()
let both = merge(left, right).sink { print("either", $0) }
let latest = left.combineLatest(right).sink { print("both", $0, $1) }
left.send("l1")  // Prints "either l1"
right.send("r1")
// Prints "either r1"
// Prints "both l1 r1"
left.send("l2")
// Prints "either l2"
// Prints "both l2 r1"
both.cancel()
latest.cancel()

//: `zip` pairs the first value with the first, the second with the second; with `withLatest`, one signal sets the pace.

show("zipped", ["a", "b", "c"].signal.zip((1...).signal).map { "\($0)\($1)" })
// Prints "zipped a1"
// Prints "zipped b2"
// Prints "zipped c3"

let taps = Emitter<Void, Never>()
let temperature = MutableProperty(20)
let tapped = taps.withLatest(from: temperature) { _, degrees in degrees }.sink { print("tapped at", $0) }
temperature.value = 21
taps.send()  // Prints "tapped at 21"

//: `race` follows the signal that sends first, and cancels the others.

let near = Emitter<String, Never>()
let far = Emitter<String, Never>()
let fastest = race(near, far).sink { print("fastest", $0) }
near.send("mirror")  // Prints "fastest mirror"
far.send("origin")

//: ## Signals of signals
//:
//: `flatMap` passes on the values of all inner signals; `switchToLatest` follows only the newest.

let pages = Emitter<Int, Never>()
let lines = pages.flatMap { page in (1...2).signal.map { "page \(page), line \($0)" } }
let reader = lines.sink { print($0) }
pages.send(1)
// Prints "page 1, line 1"
// Prints "page 1, line 2"

let rooms = [MutableProperty("kitchen dark"), MutableProperty("hall dark")]
let doors = Emitter<Int, Never>()
let visitor = doors.map { rooms[$0] }.switchToLatest().sink { print($0) }
doors.send(0)  // Prints "kitchen dark"
doors.send(1)  // Prints "hall dark"
rooms[0].value = "kitchen lit"
rooms[1].value = "hall lit"  // Prints "hall lit"
visitor.cancel()

//: `flatMapFirst` lets the current inner signal finish, and ignores values that arrive in between.

let clicks = Emitter<Int, Never>()
let saving = Emitter<String, Never>()
let saver = clicks.flatMapFirst { click in saving.map { "save \(click) \($0)" } }.sink { print($0) }
clicks.send(1)
clicks.send(2)
saving.send("done")  // Prints "save 1 done"

//: ## Share one subscription
//:
//: Each subscription runs the whole chain anew, unless the signal is shared.

let costly = Emitter<Int, Never>()
let computed = costly.map { (number: Int) -> Int in
  print("computing", number)
  return number * number
}.share(replay: 1)
let firstReader = computed.sink { print("first reader", $0) }
costly.send(3)
// Prints "computing 3"
// Prints "first reader 9"
let secondReader = computed.sink { print("second reader", $0) }  // Prints "second reader 9"

//: A shared signal can stay connected after its last subscriber leaves, for a time or until the source ends.

let connected = costly.share(replay: 1, disconnecting: .never)
connected.sink { _ in }.cancel()
costly.send(4)
// Prints "computing 4"
// Prints "first reader 16"
// Prints "second reader 16"
let lateReader = connected.sink { print("late reader", $0) }  // Prints "late reader 4"

//: ## After a failure

struct Unplugged: Error {}
let attempts = MutableProperty(0)
let shaky = DeferredSignal {
  attempts.modify { $0 += 1 }
  return attempts.value < 3 ? AnySignal<String, Unplugged>.fail(Unplugged()) : .just("reading \(attempts.value)")
}
let patient = shaky.retry(5).replaceError(with: "nothing").sink { print($0) }  // Prints "reading 3"
let slowly = shaky.retry(.exponential(from: .milliseconds(1), upTo: .milliseconds(9), jitter: 0.2, limit: 5))
attempts.value = 0
for await reading in slowly.replaceError(with: "nothing").values { print("after pauses,", reading) }
// Prints "after pauses, reading 3"
let broken = FailSignal<Int, Unplugged>(Unplugged())
show("instead", broken.catch { _ in JustSignal(0) })  // Prints "instead 0"

//: A closure that throws ends the signal with its error, whose type it declares.

let plugged = [1, 2, 0].signal.tryMap { number throws(Unplugged) in
  if number == 0 { throw Unplugged() }
  return number * 10
}
show("tried", plugged.replaceError(with: -1))
// Prints "tried 10"
// Prints "tried 20"
// Prints "tried -1"

//: ## Missing values

let scores: [Int?] = [3, nil, 5]
show("score", scores.signal.replaceNil(with: 0))
// Prints "score 3"
// Prints "score 0"
// Prints "score 5"
show("found", numbers.filter { $0 > 9 }.replaceEmpty(with: -1))  // Prints "found -1"
show("or", numbers.filter { $0 > 9 }.switchIfEmpty([10, 11].signal))
// Prints "or 10"
// Prints "or 11"

//: ## Time
//:
//: Operators on time accept any clock, and use the system's by default. A test passes its own clock and advances it.

let typing = ["s", "si", "sig"].signal.debounce(for: .milliseconds(20))
for await query in typing.values { print("search", query) }  // Prints "search sig"

let moment = (1...).signal.prefix(for: .milliseconds(200)).count()
for await count in moment.values { print("many", count > 0) }  // Prints "many true"

for await batch in TimerSignal(every: .milliseconds(1)).prefix(3).count().values { print("ticks", batch) }
// Prints "ticks 3"

//: ## Write your own
//:
//: An operator is a value that receives each element with its own state and the subscriber after it. See *Write your own
//: operator*.

struct Every<Input: Sendable, Failure: Error>: SignalOperator {
  static var endsSignal: Bool { false }
  let step: Int

  func makeState() -> Int { 0 }

  func receive(_ value: Input, state: inout Int, next: some SignalSubscriber<Input, Failure>) {
    state += 1
    if state.isMultiple(of: step) { next.receive(value) }
  }
}

show("every", numbers.lift(Every(step: 2)))
// Prints "every 2"
// Prints "every 4"

//: ## Debug
//:
//: `print` logs the events at one place of a chain; `handleEvents` calls your closures. Neither changes the values.

let watched = numbers.map { $0 * 10 }.print("tens").prefix(2).sink { print("got", $0) }
// Prints "tens: receive subscription: (MapSignal)"
// Prints "tens: receive value: (10)"
// Prints "got 10"
// Prints "tens: receive value: (20)"
// Prints "got 20"
// Prints "tens: receive cancel"
