import Dispatch
import Foundation
import SignalsKit

/// The wish of the user, or of the system, that the program end: Control-C and its like, as a property.
final class Interruption: Sendable {
  /// The number of the signal that asked for the end; `nil` while nobody did.
  var number: Property<CInt?> { state }

  private let state = MutableProperty<CInt?>(nil)
  // Sound: never changed, and sources may be shared.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  init() {
    sources = [SIGINT, SIGTERM, SIGHUP].map { [state] number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        // Who asks twice does not want to wait for an orderly end.
        if state.value != nil { exit(128 + number) }
        state.value = number
      }
      source.activate()
      return source
    }
  }
}
