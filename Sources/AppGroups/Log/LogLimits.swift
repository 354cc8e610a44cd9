/// The maximum size of a log, and the time for which it waits for consumers.
public struct LogLimits: Sendable, Hashable {
  /// The number of bytes after which the log begins a new file; only whole files are removed.
  public var segmentSize: Int

  /// The maximum number of bytes in all files of the log, in whole blocks of 4096.
  ///
  /// Beyond it, the oldest files are removed, even if a consumer has not read them. The file that a living process
  /// appends to is not removed, so this limit should be many times ``segmentSize``.
  public var totalSize: Int

  /// The time for which the log is kept for a consumer that does not read it.
  public var consumerAbsence: Duration

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - segmentSize: The maximum number of bytes in a file of the log; by default a mebibyte, at least 4096.
  ///   - totalSize: The maximum number of bytes in all files; by default 64 mebibytes.
  ///   - consumerAbsence: The time to wait for a consumer; by default 30 days.
  public init(
    segmentSize: Int = 1 << 20,
    totalSize: Int = 64 << 20,
    consumerAbsence: Duration = .seconds(30 * 24 * 60 * 60)
  ) {
    self.segmentSize = max(4096, segmentSize)
    self.totalSize = max(0, totalSize)
    self.consumerAbsence = max(.zero, consumerAbsence)
  }
}
