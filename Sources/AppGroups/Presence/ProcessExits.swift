#if !canImport(Darwin)
  /// Tells of the end of processes where the closing of their files does not.
  ///
  /// Here it does: closing a file is an event of its directory.
  struct ProcessExits: Sendable {
    func observe(_ processes: Set<Int32>, onChange: @escaping @Sendable () -> Void) {}
  }
#endif
