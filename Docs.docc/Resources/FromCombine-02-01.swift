import Signals

let query = MutableProperty("")

let check = query.changes.sink { text in
  // In a subscriber of `@Published`, the property would still have the old value.
  print(text == query.value)
}
query.value = "Signals"  // Prints "true"
