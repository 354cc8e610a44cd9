import CLibrary

/// Harmless system calls that mark a part of a trace.
enum TraceMarks {
  /// Runs a closure between the calls for `/signals-mark-begin` and `/signals-mark-end`.
  static func around<Result>(_ body: () throws -> Result) rethrows -> Result {
    access("/signals-mark-begin", F_OK)
    defer { access("/signals-mark-end", F_OK) }
    return try body()
  }
}
