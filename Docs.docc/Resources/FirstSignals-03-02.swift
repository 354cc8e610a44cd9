import Signals

struct Offline: Error {}

let downloads = Emitter<String, Offline>()
let shown = downloads.replaceError(with: "no connection")
let display = shown.sink(
  receiveCompletion: { _ in print("end") },
  receiveValue: { print($0) }
)
downloads.send("page 1")  // Prints "page 1"
downloads.fail(Offline())
// Prints "no connection"
// Prints "end"
