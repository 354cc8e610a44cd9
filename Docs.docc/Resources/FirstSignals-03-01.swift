import Signals

let temperatures = Emitter<Int, Never>()

let sending = Task {
  // Runs while the loop below waits.
  for number in 1...3 { temperatures.send(number * 10) }
  temperatures.finish()
}
for await temperature in temperatures.values {
  print(temperature)
}
// Prints "10"
// Prints "20"
// Prints "30"
