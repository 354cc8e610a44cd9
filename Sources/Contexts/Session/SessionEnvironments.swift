import AppGroups
import Foundation
import Synchronization

/// The environments of a scope, of which one is active, as sessions see them.
///
/// Each switch begins an environment with a new number, also a switch back. Every use of an archive names the number
/// that it was meant for, so a call or an answer that comes late never reaches another environment.
final class SessionEnvironments: Sendable {
  let scope: Scope

  /// The directory of the sessions in the active environment.
  let directory: URL

  private let count = Atomic(0)

  init(_ scope: Scope, directory: URL) {
    self.scope = scope
    self.directory = directory
  }

  /// The number of the active environment.
  var number: Int { count.load(ordering: .acquiring) }

  /// Begins the next environment, on the thread that switches.
  ///
  /// - Returns: Its number.
  func advance() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }

  /// Runs a closure while no process switches, with the directory in place.
  ///
  /// - Throws: ``ContextError/environmentSwitched`` if another environment is active; the closure has not run then.
  func steadily<Result>(in number: Int, _ body: () throws -> Result) throws -> Result {
    try scope.steadily {
      guard number == self.number else { throw ContextError.environmentSwitched }
      _ = try AppGroupsContainer(directory: directory)
      return try body()
    }
  }
}
