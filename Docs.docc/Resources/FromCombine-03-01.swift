import Signals

@MainActor final class Screen {
  var title = ""
}

let downloads = Emitter<String, Never>()
let screen = Screen()

// Instead of `receive(on: DispatchQueue.main)`: the closure is on the main actor, as the compiler knows.
let display = downloads.sink(on: MainActor.shared) { screen.title = $0 }

await Task.detached { downloads.send("ready") }.value
while screen.title.isEmpty { await Task.yield() }
print(screen.title)  // Prints "ready"
