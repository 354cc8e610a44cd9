import FileSignals

extension FileLock {
  /// A Boolean value that indicates whether no process will write the segment any more, because no writer holds its
  /// lock.
  var isAbandoned: Bool {
    do throws(DurableFileError) {
      return try tryLock(.shared)
    } catch {
      return false
    }
  }
}
