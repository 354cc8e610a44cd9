extension LogFeed {
  /// What is there while the log is read.
  final class Run {
    let reader: LogReader
    let lock: ConsumerLock?
    /// For whom it is read.
    let generation: Int
    /// Whether events were read that nobody has taken, so that they must be read again.
    var isStale = false

    init(_ reader: LogReader, _ lock: ConsumerLock?, _ generation: Int) {
      self.reader = reader
      self.lock = lock
      self.generation = generation
    }
  }
}
