import ArgumentParser
import Foundation
import Inspector
import Panel
import Signals

/// Prints changes as they happen.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Prints changes as they happen, until it is interrupted.")

  @Argument(help: "The names or identifiers to watch; without one, everything.") var names: [String] = []
  @Option(help: "The number of changes after which to end.") var limit: Int?
  @Option(help: "The number of seconds after which to end, with exit code 5 if a limit was not reached.")
  var timeout: Double?
  @OptionGroup var place: Place

  func run() async throws {
    try await Failure.reporting {
      let inspector = try place.open()
      let changes = inspector.changes.values
      let timeout = timeout
      try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          var count = 0
          for await change in changes where wants(change) {
            try write(change)
            count += 1
            if let limit, count >= limit { return true }
          }
          return true
        }
        if let timeout {
          group.addTask {
            try await Task.sleep(for: .seconds(timeout))
            return false
          }
        }
        let isDone = try await group.next() ?? true
        group.cancelAll()
        if !isDone, limit != nil { throw Failure("The changes did not arrive within \(timeout ?? 0) s.", code: 5) }
      }
      withExtendedLifetime(inspector) {}
    }
  }

  private func wants(_ change: InspectorChange) -> Bool {
    if names.isEmpty { return change.kind != .lock }
    return names.contains { name in
      change.resource == name || change.resource.drop { $0 != "/" }.dropFirst() == name
        || (change.differences ?? []).contains { $0.path == "/\(name)" }
    }
  }

  private func write(_ change: InspectorChange) throws {
    let line: String
    if place.json {
      line = String(decoding: try PanelJSON.encode(change), as: UTF8.self)
    } else {
      let time = change.at.formatted(.iso8601.time(includingFractionalSeconds: true))
      let cause = change.cause.map { "  (\($0.replacing("\n", with: " ")))" } ?? ""
      line =
        "\(time)  \(change.process ?? change.author ?? "—")  \(change.resource)  \(change.operation.rawValue)  \(change.summary)"
        + cause
    }
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
