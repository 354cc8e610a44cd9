#if canImport(os)
  import os

  /// The unified log, for lines about failures.
  enum FailureOutput {
    private static let logger = Logger(subsystem: "org.signals", category: "failures")

    /// Writes one line.
    ///
    /// It is public, because errors hide secret values themselves.
    static func write(_ line: String) { logger.error("\(line, privacy: .public)") }
  }
#endif
