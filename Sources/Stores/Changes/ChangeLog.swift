/// What the transaction of a connection has changed so far.
final class ChangeLog {
  /// Remembers where a statement began, so that what it did can be forgotten if it fails.
  @inline(__always)
  func beginStatement() {}

  func isKey(_ column: String, of table: String) -> Bool { false }
}
