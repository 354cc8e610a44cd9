#if canImport(Darwin)
  import CLibrary

  func startWatchBackend() throws(FileObserverError) -> any WatchBackend {
    try KqueueBackend(Kqueue())
  }

  /// A kqueue of the system.
  struct Kqueue: VnodeQueue {
    /// The structure, not the function of the same name.
    private typealias Record = kevent

    /// The maximum number of events that one call takes.
    private static let limit = 256

    let descriptor: CInt

    init() throws(FileObserverError) {
      descriptor = kqueue()
      guard descriptor >= 0 else { throw FileObserverError(errno, "start", "kqueue") }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    func open(_ path: String, isDirectory: Bool) -> CInt {
      let kind = isDirectory ? O_DIRECTORY : O_NONBLOCK
      return uninterrupted { CLibrary.open(path, O_EVTONLY | O_NOFOLLOW | O_CLOEXEC | kind) }
    }

    func duplicate(_ descriptor: CInt) -> CInt {
      fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    }

    func close(_ descriptor: CInt) {
      CLibrary.close(descriptor)
    }

    func status(of descriptor: CInt) -> FileStatus? { FileStatus(descriptor: descriptor) }

    func watch(_ descriptor: CInt, for notes: VnodeNotes, as number: Int) -> Bool {
      var change = Record(
        ident: UInt(descriptor), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR), fflags: notes.rawValue,
        data: 0, udata: UnsafeMutableRawPointer(bitPattern: number)
      )
      return uninterrupted { kevent(self.descriptor, &change, 1, nil, 0, nil) } == 0
    }

    func takeEvents() -> [VnodeEvent]? {
      withUnsafeTemporaryAllocation(of: Record.self, capacity: Self.limit) { records in
        var noTime = timespec()
        let count = uninterrupted { kevent(descriptor, nil, 0, records.baseAddress, CInt(Self.limit), &noTime) }
        guard count >= 0 else { return nil }
        return records[..<Int(count)].map { record in
          VnodeEvent(number: Int(bitPattern: record.udata), notes: VnodeNotes(rawValue: record.fflags))
        }
      }
    }
  }
#endif
