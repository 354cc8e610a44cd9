import Testing

@testable import Stores

/// Returns the database error that a closure throws.
func databaseError<Result>(_ body: () throws -> Result) -> DatabaseError? {
  do { _ = try body() } catch { return error as? DatabaseError }
  return nil
}

/// Records an unexpected error, or that none was thrown.
func recordUnexpected(_ error: (any Error)?, at location: SourceLocation = #_sourceLocation) {
  Issue.record("\(error.map { "\($0)" } ?? "nothing") was thrown", sourceLocation: location)
}
