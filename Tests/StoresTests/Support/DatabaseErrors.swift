import Testing

@testable import Stores

/// The database's error that a closure throws.
func databaseError<Result>(_ body: () throws -> Result) -> DatabaseError? {
  do { _ = try body() } catch { return error as? DatabaseError }
  return nil
}

/// Records that something else was thrown than what a test is about, or nothing at all.
func recordUnexpected(_ error: (any Error)?, at location: SourceLocation = #_sourceLocation) {
  Issue.record("\(error.map { "\($0)" } ?? "nothing") was thrown", sourceLocation: location)
}
