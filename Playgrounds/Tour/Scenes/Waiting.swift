import SignalsKit

/// Something awaited did not happen, or not within a time that only a failure takes.
struct Disappointment: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// How long to wait for what takes a moment if all is well, and longer where the machine is busy.
private let patience = Duration.seconds(90)

extension Property {
  /// Waits until the value satisfies a condition.
  ///
  /// - Throws: ``Disappointment`` if that takes too long.
  @discardableResult
  func wait(for what: String, until isSatisfied: @escaping @Sendable (Value) -> Bool) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        for await value in self.values where isSatisfied(value) { return value }
        return nil
      }
      group.addTask {
        try await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() ?? nil else { throw Disappointment("\(what) did not come") }
      return value
    }
  }
}

/// Waits for work that may be stuck, which is then left alone.
///
/// - Throws: ``Disappointment`` if it takes too long, or what the work throws.
func finish(_ what: String, _ work: @escaping @Sendable () async throws -> Void) async throws {
  let outcome = MutableProperty<Result<Void, any Error>?>(nil)
  Task {
    do {
      try await work()
      outcome.value = .success(())
    } catch {
      outcome.value = .failure(error)
    }
  }
  try await outcome.wait(for: what) { $0 != nil }?.get()
}
