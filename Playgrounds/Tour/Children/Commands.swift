import Foundation
import SignalsKit

/// The lines of standard input; when it ends, so does the process.
final class Commands: Sendable {
  private let emitter = Emitter<String, Never>(replay: 1_000)

  /// The lines, from the first one on.
  var lines: SignalValues<Emitter<String, Never>> { emitter.values }

  init() {
    let emitter = emitter
    Thread {
      while let line = readLine() { emitter.send(line) }
      // Whoever started this process is gone, or does not need it any more.
      exit(0)
    }.start()
  }
}
