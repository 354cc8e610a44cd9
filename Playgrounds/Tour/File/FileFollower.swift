import Foundation
import SignalsKit

/// Follows a JSON file of the user's own, and prints each change as it is decoded.
struct FileFollower {
  let file: AppGroupsFile<JSONValue>
  let display = Display()

  init(path: String) throws {
    file = try AppGroupsFile(url: URL(fileURLWithPath: path), initialValue: .null)
  }

  /// Prints until the time is over, or for ever.
  func run(for seconds: Double?) async throws {
    display.note("Following \(file.url.path). Edit it in any editor; stop with Control-C.")
    switch file.status.value {
    case .current: display.line("\(Self.time())  \(file.value)")
    case .missing, .connecting: display.line("\(Self.time())  There is no such file yet. Make it, and see.")
    case .stale(let error, _): display.line("\(Self.time())  \(error)")
    }
    let printing = reports.sink { display.line("\(Self.time())  \($0)") }
    try await Task.sleep(for: .seconds(seconds ?? 1e9))
    printing.cancel()
  }

  /// What there is to tell: each change, each failure, and each recovery.
  private var reports: some Signal<String, Never> {
    let changes = file.scan((before: file.value, now: file.value)) { (before: $0.now, now: $1) }
      .map { JSONDifference(from: $0.before, to: $0.now).lines }
      .filter { !$0.isEmpty }
      .map(Self.list)
    let failures = file.failures.map { "\($0)" }
    let recoveries = file.status.changes.filter { $0 == .current }.map { _ in "The file is good." }
    return merge(changes, failures, recoveries)
  }

  /// At most so many lines, the later ones below the first.
  private static func list(_ lines: [String]) -> String {
    let limit = 20
    let rest = lines.count > limit ? ["… and \(lines.count - limit) more differences"] : []
    return (lines.prefix(limit) + rest).joined(separator: "\n              ")
  }

  private static func time() -> String {
    Date.now.formatted(.iso8601.time(includingFractionalSeconds: true))
  }
}
