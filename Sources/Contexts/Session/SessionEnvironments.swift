import AppGroups
import Foundation
import Synchronization

/// The environments of a scope as sessions use them.
///
/// One of them is active.
///
/// Each switch begins an environment with a new number, even a switch back. Every use of an archive names the number
/// for which it was meant, so that a late call or answer never reaches another environment.
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

  /// Runs a closure while no process switches environments, and while the directory is in place.
  ///
  /// - Throws: ``ContextError/environmentSwitched`` if another environment is active; then the closure was not run.
  func steadily<Result>(in number: Int, _ body: () throws -> Result) throws -> Result {
    try scope.steadily {
      guard number == self.number else { throw ContextError.environmentSwitched }
      _ = try AppGroupsContainer(directory: directory)
      return try body()
    }
  }
}
