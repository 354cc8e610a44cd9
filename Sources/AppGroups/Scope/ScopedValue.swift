/// A shared value that may have been opened in a ``Scope``.
package protocol ScopedValue {
  /// The scope in which the value was opened; `nil` if it was opened without one.
  var scope: Scope? { get }
}

extension AppGroupsFile: ScopedValue {}
extension AppGroupsSuite: ScopedValue {}
