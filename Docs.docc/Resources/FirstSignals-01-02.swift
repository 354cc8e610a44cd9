import Signals

let keys = Emitter<String, Never>()
let words = keys.filter { $0 != " " }.map { $0.uppercased() }.removeDuplicates()
let display = words.sink { print("got", $0) }

for key in ["a", " ", "a", "b"] { keys.send(key) }
// Prints "got A"
// Prints "got B"
display.cancel()
keys.send("c")
