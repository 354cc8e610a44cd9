import FileSignals

extension FileLock {
  /// A Boolean value that indicates whether no process will write the segment any more, because no writer holds its
  /// lock.
  var isAbandoned: Bool {
    do throws(DurableFileError) {
      guard try tryLock(.shared) else { return false }
      // No process will ever lock it again.
      unlock()
      return true
    } catch {
      return false
    }
  }
}
