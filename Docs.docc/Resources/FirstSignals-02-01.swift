import Signals

let celsius = MutableProperty(20)
let display = celsius.sink { print("\($0) °C") }  // Prints "20 °C"

celsius.value = 25  // Prints "25 °C"
celsius.modify { $0 += 5 }  // Prints "30 °C"
print(celsius.value)  // Prints "30"
