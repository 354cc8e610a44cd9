import Foundation
import SignalsKit

/// Follows a JSON file of the user's own, and prints each change as it is decoded.
struct FileFollower {
  let file: AppGroupsFile<JSONValue>

  init(path: String) throws {
    file = try AppGroupsFile(url: URL(fileURLWithPath: path), initialValue: .null)
  }

  func run(for seconds: Double?) async throws {
    let display = Display()
    display.note("Following \(file.url.path). Edit it, and see; stop with Control-C.")
    if case .stale(let error) = file.status.value { display.line("  \(error)") }
    if case .missing = file.status.value { display.line("  There is no such file yet.") }
    let changes = merge(
      file.map { Self.time() + $0.description },
      file.failures.map { Self.time() + "\($0)" }
    )
    let printing = changes.sink { display.line($0) }
    try await Task.sleep(for: seconds.map { .seconds($0) } ?? .seconds(1_000_000_000))
    printing.cancel()
  }

  private static func time() -> String {
    Date.now.formatted(.iso8601.time(includingFractionalSeconds: true)) + "  "
  }
}
