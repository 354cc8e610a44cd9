import AppGroups
import Containers
import Contexts
import Foundation
import Signals
import Stores
import TestSupport

/// Continuous writes of one process until it is stopped.
extension ScopedWorld {
  /// Writes each kind of value on its own thread until ``isOver`` is set.
  ///
  /// Each write checks that the current value names the active environment, and then changes it.
  public func write() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        try await onThread { [self] in
          try untilOver {
            try file.update {
              advance(&$0, "an update of the file")
              // The switch waits for the update, so the event goes to the environment that it names.
              try log.append($0.environment)
            }
            try mark.update { advance(&$0, "an update of the suite") }
            try beat.update { $0 += 1 }
          }
        }
      }
      group.addTask { [self] in
        try await onThread { [self] in
          try untilOver {
            try database.write { try advance($0, app.active.value.id.uuidString, "a transaction") }
            try writeForUser()
          }
        }
      }
      group.addTask { [self] in
        while !isOver.value {
          do {
            try await context.update { [self] user in
              expect(user.environment, "an update of the user")
              user.token += 1
            }
          } catch ContextError.environmentSwitched {
            // The answer belongs to the previous environment.
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Ends ``write()``.
  public func stop() { isOver.value = true }

  private func untilOver(_ body: () throws -> Void) throws {
    while !isOver.value {
      try body()
      report.withLock { $0.writes += 1 }
    }
  }

  private func expect(_ environment: String, _ place: String) {
    let active = app.active.value.id.uuidString
    if environment != active { note("\(place) found \(environment), and \(active) is active") }
  }

  private func advance(_ mark: inout Mark, _ place: String) {
    expect(mark.environment, place)
    mark.environment = app.active.value.id.uuidString
    mark.count += 1
  }

  private func advance(_ transaction: WriteTransaction, _ environment: String, _ place: String) throws {
    var rows = try transaction.all(MarkRow.self)
    let found = Self.environment(of: rows)
    if found != environment { note("\(place) found \(found) in \(environment)") }
    for index in rows.indices {
      rows[index].environment = environment
      rows[index].count += 1
    }
    try transaction.put(rows)
  }

  private func writeForUser() throws {
    let current = context.current.value
    guard let environment = current.user.value?.environment else { return }
    do {
      try current.store.persistence.write { try advance($0, environment, "a transaction of a user") }
    } catch DatabaseError.switched {
      // The context belongs to the previous environment.
    }
  }
}
