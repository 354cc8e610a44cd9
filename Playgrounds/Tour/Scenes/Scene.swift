import SignalsKit

/// A part of the tour.
protocol Scene: Sendable {
  /// What the scene is about.
  var title: String { get }

  /// Plays the scene.
  ///
  /// - Returns: What was promised and seen.
  func play(in workplace: Workplace, on display: Display) async throws -> [Promise]
}

/// Something awaited did not happen within a time that only a failure takes.
struct Overdue: Error, CustomStringConvertible {
  let description: String
}

extension Property {
  /// Waits until the value satisfies a condition.
  ///
  /// - Throws: ``Overdue`` after half a minute.
  @discardableResult
  func wait(for what: String, until isSatisfied: @escaping @Sendable (Value) -> Bool) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        for await value in self.values where isSatisfied(value) { return value }
        return nil
      }
      group.addTask {
        try await Task.sleep(for: .seconds(30))
        return nil
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() ?? nil else { throw Overdue(description: "\(what) did not happen") }
      return value
    }
  }
}
