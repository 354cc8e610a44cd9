import Signals

let keys = Emitter<String, Never>()
let display = keys.sink { print("got", $0) }

keys.send("a")  // Prints "got a"
keys.send("b")  // Prints "got b"
