#if !canImport(Darwin)
  /// Observes the ends of processes on systems that do not report a closed file.
  ///
  /// On this system, closing a file is an event of its directory, so there is nothing to do.
  struct ProcessExits: Sendable {
    func observe(_ processes: Set<Int32>, asOf number: Int, onChange: @escaping @Sendable () -> Void) {}
  }
#endif
