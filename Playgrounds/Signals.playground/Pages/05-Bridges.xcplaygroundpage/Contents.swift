//: # Bridges
//:
//: Convert asynchronous sequences, tasks, observable objects and notifications to signals, and signals to what the rest
//: of a program expects. On Apple's platforms, there are bridges to Combine, too: `publisher.signal` and
//: `signal.publisher`.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 05-Bridges`.

import FileSignals
import Foundation
import Observation
import Signals

//: ## From a signal to `for await`
//:
//: Each loop has its own subscription, and misses no value unless you choose a policy that drops values.

let steps = Emitter<Int, Never>(replay: 3)
for step in 1...3 { steps.send(step) }
steps.finish()

for await step in steps.values { print("step", step) }
// Prints "step 1"
// Prints "step 2"
// Prints "step 3"

//: ## From an asynchronous sequence to a signal

let (keys, keyboard) = AsyncStream<Character>.makeStream()
for key in "s1i2g" { keyboard.yield(key) }
keyboard.finish()

for await text in keys.signal.filter(\.isLetter).scan("", { $0 + String($1) }).values { print(text) }
// Prints "s"
// Prints "si"
// Prints "sig"

//: ## One asynchronous call
//:
//: Each subscription makes the call anew, in a task that is cancelled with it. `flatMapLatest` cancels the previous
//: call.

func translation(of word: String) async -> String { word == "house" ? "maison" : "?" }

let word = MutableProperty("house")
let translated = word.flatMapLatest { word in FutureSignal { await translation(of: word) } }
let answer: String? = await translated.firstValue()
print(answer ?? "nothing")  // Prints "maison"

//: ## Observation
//:
//: Code that reads a property inside `withObservationTracking`, as SwiftUI does for the body of a view, is notified of
//: its next change.

let volume = MutableProperty(3)
withObservationTracking {
  print("volume", volume.value)  // Prints "volume 3"
} onChange: {
  print("the volume changes")
}
volume.value = 4  // Prints "the volume changes"

//: ## Assign to an object's property
//:
//: The assignment does not keep the object alive.

final class Label: Sendable {
  let text = MutableProperty("")
}

let label = Label()
let assignment = volume.map { "volume \($0)" }.assign(to: \.text.value, onWeak: label)
volume.value = 5
print(label.text.value)  // Prints "volume 5"
assignment.cancel()

//: ## Notifications
//:
//: A notification must not cross threads. The closure extracts the values that may.

let center = NotificationCenter()
let saved = Notification.Name("saved")
let saving = center.signal(for: saved) { $0.userInfo?["file"] as? String ?? "" }.sink { print("saved", $0) }
center.post(name: saved, object: nil, userInfo: ["file": "letter"])  // Prints "saved letter"
saving.cancel()
