import Signals

let celsius = MutableProperty(20)
let isMetric = MutableProperty(true)
let text = Property.derived(celsius, isMetric) { celsius, isMetric in
  isMetric ? "\(celsius) °C" : "\(celsius * 9 / 5 + 32) °F"
}
let display = text.sink { print($0) }  // Prints "20 °C"

celsius.value = 25  // Prints "25 °C"
batch {
  celsius.value = 30
  isMetric.value = false
}
// Prints "86 °F"
