#if canImport(Darwin)
  import CLibrary

  extension SystemLocks {
    /// A Boolean value that indicates whether the system lists locks.
    package static let isAvailable = false

    /// A Boolean value that indicates whether the system lists the locks of all processes.
    package static let isComplete = false

    /// Returns an empty list, because this system lists no locks.
    package static func current() -> SystemLocks { SystemLocks([]) }
  }

  extension LockHolder {
    /// Creates the holder with a process identifier; only this process has a name.
    package init(_ process: Int32) {
      let name = process == getpid() ? String(cString: getprogname()) : "a process"
      self.init(processIdentifier: process, processName: name)
    }
  }
#endif
