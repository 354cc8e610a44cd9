import Signals
import SignalsTesting

let clock = TestClock()
let query = Emitter<String, Never>()

// Instead of `debounce(for: .milliseconds(300), scheduler: DispatchQueue.main)`.
let searches = query.debounce(for: .milliseconds(300), clock: clock)
let display = searches.sink { print("searching", $0) }

query.send("sig")
query.send("signal")
clock.advance(by: .milliseconds(299))
print("not yet")  // Prints "not yet"
clock.advance(by: .milliseconds(1))  // Prints "searching signal"
