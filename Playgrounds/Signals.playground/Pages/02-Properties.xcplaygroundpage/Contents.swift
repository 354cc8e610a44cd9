//: # Properties
//:
//: A property is a signal that always has a value. A subscriber receives the current value at once, and then every
//: change. No change is missing or repeated, even if other threads write at the same time.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 02-Properties`.

import Dispatch
import Signals

//: ## Read, write, subscribe

let volume = MutableProperty(3)
print("volume is", volume.value)  // Prints "volume is 3"

let display = volume.sink { print("display shows", $0) }  // Prints "display shows 3"
volume.value = 4  // Prints "display shows 4"

//: `changes` omits the current value.

let log = volume.changes.sink { print("changed to", $0) }
volume.value = 5
// Prints "display shows 5"
// Prints "changed to 5"
display.cancel()
log.cancel()

//: ## Make it read-only
//:
//: A `MutableProperty` is also a `Property`. Expose it as one, and other code can observe it but not change it.

struct Player {
  private let mutablePosition = MutableProperty(0)
  var position: Property<Int> { mutablePosition }

  func seek(to position: Int) { mutablePosition.value = position }
}

let player = Player()
let position = player.position.sink { print("at", $0) }  // Prints "at 0"
player.seek(to: 42)  // Prints "at 42"
position.cancel()

//: ## Change without losing updates
//:
//: `count.value += 1` reads and then writes; another thread may write in between. `modify` does both as one operation.

let count = MutableProperty(0)
DispatchQueue.concurrentPerform(iterations: 1000) { _ in
  count.modify { $0 += 1 }
}
print("counted to", count.value)  // Prints "counted to 1000"

//: ## Write one part
//:
//: A lens is a property that reads and writes one part of another. Writers of different parts lose nothing.

struct Audio: Equatable {
  var volume = 5
  var isMuted = false
}

let audio = MutableProperty(Audio())
let loudness = audio.lens(\.volume)
let meter = loudness.sink { print("loudness", $0) }  // Prints "loudness 5"
audio.lens(\.isMuted).value = true
loudness.modify { $0 += 1 }  // Prints "loudness 6"
print(audio.value)  // Prints "Audio(volume: 6, isMuted: true)"
meter.cancel()

//: ## Combine properties

let width = MutableProperty(2)
let height = MutableProperty(3)
let area = width.combineLatest(height).map { $0 * $1 }.sink { print("area", $0) }  // Prints "area 6"
height.value = 5  // Prints "area 10"
area.cancel()

//: ## Turn a signal into a property
//:
//: Any signal that cannot fail becomes a property once you give it an initial value.

let keys = Emitter<Character, Never>()
let text = keys.scan("") { $0 + String($1) }.property(initial: "")
for key in "hello" { keys.send(key) }
print("typed", text.value)  // Prints "typed hello"
