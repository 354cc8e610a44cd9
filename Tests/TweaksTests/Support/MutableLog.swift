import Signals
import Tweaks

/// Collects the log of a manager.
final class MutableLog: Sendable {
  private let entries = MutableProperty<[(text: String, level: TweakLogLevel)]>([])

  var closure: @Sendable (String, TweakLogLevel) -> Void {
    { [entries] text, level in entries.modify { $0.append((text, level)) } }
  }

  var lines: [String] { entries.value.map(\.text) }
  var levels: [TweakLogLevel] { entries.value.map(\.level) }
}
