import FileSignals
import CLibrary
import Foundation

/// A moment since the start of the system, which does not depend on the system's clock.
///
/// The clock may be set while a consumer is away. Then only this tells how long it was away.
struct UptimeMoment {
  /// The start of the system.
  private let boot: String
  /// The time since then, in seconds.
  private let seconds: Int

  /// The present moment, or `nil` if the system does not identify its start.
  static var now: UptimeMoment? {
    ProcessInstance.boot.map { UptimeMoment(boot: $0, seconds: Int(uptime())) }
  }

  private init(boot: String, seconds: Int) {
    (self.boot, self.seconds) = (boot, seconds)
  }

  /// Parses a ``text``.
  init?(text: some StringProtocol) {
    let words = text.split(separator: " ")
    guard words.count == 2, let seconds = Int(words[0]), seconds >= 0 else { return nil }
    self.init(boot: String(words[1]), seconds: seconds)
  }

  /// Parses the content of a file.
  init?(text: Data) { self.init(text: String(decoding: text, as: UTF8.self)) }

  /// The moment as text, such as `4711 <identifier>`.
  var text: String { "\(seconds) \(boot)" }

  /// The time since the moment, in seconds, or `nil` if the system was started again since.
  var age: Int? {
    guard let now = Self.now, now.boot == boot, now.seconds >= seconds else { return nil }
    return now.seconds - seconds
  }

  /// Returns the time since the start of the system in seconds, including the time in which it slept.
  private static func uptime() -> Double {
    #if os(Linux) || os(Android)
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Double(time.tv_sec)
    #else
      // Not used, because the start is unknown.
      return 0
    #endif
  }
}
