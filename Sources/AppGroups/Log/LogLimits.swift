/// How large a log may become, and for whom it is kept.
public struct LogLimits: Sendable, Hashable {
  /// How many bytes a file of the log may have before the next one is begun; only whole files are removed.
  public var segmentSize: Int

  /// How many bytes all files of the log may have, in whole blocks of 4096, before the oldest are removed, even if a
  /// consumer has not read them.
  ///
  /// The file that a living process appends to is not removed, so this should be many times ``segmentSize``.
  public var totalSize: Int

  /// How long the log is kept for a consumer that does not read it.
  public var consumerAbsence: Duration

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - segmentSize: How many bytes a file of the log may have; by default a mebibyte, at least 4096.
  ///   - totalSize: How many bytes all files may have; by default 64 mebibytes.
  ///   - consumerAbsence: How long to wait for a consumer; by default 30 days.
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
