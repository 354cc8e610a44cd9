/// Something that looks at the contents of a ``Scope`` and must not miss that they are swapped.
package protocol ScopeMember: AnyObject, Sendable {
  /// Finishes what is under way, and keeps new work waiting until ``releaseAfterSwap(_:)``.
  ///
  /// - Throws: Why the contents cannot be swapped now; nothing is held then, and nothing is swapped.
  func holdForSwap() throws

  /// Goes on, on the thread that held; with the new contents, if there are such.
  func releaseAfterSwap(_ outcome: ScopeOutcome)
}

/// What became of an attempt to swap the contents of a ``Scope``.
package enum ScopeOutcome: Sendable, Hashable {
  /// The contents are what they were.
  case unchanged

  /// The contents are others.
  case swapped
}
