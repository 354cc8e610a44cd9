import Foundation
import Signals

/// Derives the value of one key from the contents of a suite, and remembers the last good one.
final class ClusterKeyFollower<Value: Codable & Sendable>: Sendable {
  /// A value and the bytes that it was decoded from; equal bytes have equal values.
  struct LastGood: Sendable, Equatable {
    let value: Value
    let data: Data?

    static func == (first: LastGood, second: LastGood) -> Bool { first.data == second.data }
  }

  private let key: ClusterKey<Value>
  private let memory: Guarded<LastGood>

  init(_ key: ClusterKey<Value>) {
    self.key = key
    memory = Guarded(LastGood(value: key.defaultValue, data: nil))
  }

  /// Returns the value in the contents, or the last good one if it cannot be decoded.
  func lastGood(in contents: ClusterContents) -> LastGood {
    let last = memory.withLock { $0 }
    let data = contents.data(of: key.name)
    if data == last.data { return last }
    do throws(ClusterError) {
      let good = LastGood(value: try contents.value(for: key), data: data)
      memory.replace { exchange(&$0, with: good) }
      return good
    } catch {
      return last
    }
  }
}
