#if canImport(Darwin)
  import Darwin
  import Dispatch
  import Foundation
  import Signals
  import Synchronization

  func startWatchBackend() throws(FileObserverError) -> any WatchBackend {
    try KqueueBackend()
  }

  /// A backend that watches directories, and files written in place, with one kqueue, for which a
  /// ``FileDescriptorSource`` waits.
  ///
  /// Files are registered with the kqueue directly, because the registration is then complete when the call returns. A
  /// dispatch source registers some time after it is activated, and earlier events are lost.
  final class KqueueBackend: WatchBackend {
    /// The structure, not the function of the same name.
    private typealias Record = kevent

    /// A point with its open descriptors, for the directory and for the observed file, if there is one.
    private struct Watch {
      let point: WatchPoint
      let directory: CInt
      var file: CInt?
    }

    private static let entriesMask = UInt32(
      NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB | NOTE_LINK | NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE
    )
    private static let itselfMask = UInt32(NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE)

    private let queue: CInt
    private let source: FileDescriptorSource
    private let subscription = Guarded<SignalSubscription?>(nil)
    private struct Table {
      /// The watches by their tokens.
      ///
      /// An event contains the token and not only the descriptor, whose number may have been reused.
      var watches: [WatchToken: Watch] = [:]
      var lastToken = 0
    }

    private let table = Guarded(Table())
    private let wakes = Atomic<Int>(0)

    var wakeCount: Int { wakes.load(ordering: .relaxed) }

    init() throws(FileObserverError) {
      queue = kqueue()
      guard queue >= 0 else { throw FileObserverError(errno, "start", "kqueue") }
      _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
      do throws(FileObserverError) {
        source = try FileDescriptorSource(inline: queue) {}
      } catch {
        close(queue)
        throw error
      }
      let reading = source.sink { [weak self] _ in self?.read() }
      subscription.withLock { $0 = reading }
    }

    // MARK: Watching

    func add(_ point: WatchPoint, opened: CInt?) throws(FileObserverError) -> WatchToken {
      let path = point.place.path
      let mask = point.place.depth >= .entries ? Self.entriesMask : Self.itselfMask
      return try table.withLock { table throws(FileObserverError) in
        let directory =
          if let opened {
            fcntl(opened, F_DUPFD_CLOEXEC, 0)
          } else {
            uninterrupted { open(path, O_EVTONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
          }
        guard directory >= 0 else { throw FileObserverError(errno, "watch", path) }
        table.lastToken += 1
        let token = WatchToken(number: table.lastToken)
        guard register(directory, mask, token) else {
          let error = FileObserverError(errno, "watch", path)
          close(directory)
          throw error
        }
        var watch = Watch(point: point, directory: directory)
        watch.file = openFile(of: point, token)
        table.watches[token] = watch
        return token
      }
    }

    func remove(_ token: WatchToken) {
      let watch = table.withLock { $0.watches.removeValue(forKey: token) }
      // Closing ends the registration. An event that has already been read finds no token.
      if let watch { Self.closeAll(watch) }
    }

    func stall(during body: () throws -> Void) rethrows {
      try table.withLock { _ in try body() }
    }

    /// Also watches the observed file, because its directory does not report writes in place.
    private func openFile(of point: WatchPoint, _ token: WatchToken) -> CInt? {
      guard let leaf = point.place.leaf else { return nil }
      let file = uninterrupted { open("\(point.place.path)/\(leaf)", O_EVTONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
      guard file >= 0 else { return nil }
      guard register(file, Self.entriesMask, token) else {
        close(file)
        return nil
      }
      return file
    }

    private func register(_ descriptor: CInt, _ mask: UInt32, _ token: WatchToken) -> Bool {
      var change = Record(
        ident: UInt(descriptor), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR), fflags: mask, data: 0,
        udata: UnsafeMutableRawPointer(bitPattern: token.number)
      )
      return uninterrupted { kevent(queue, &change, 1, nil, 0, nil) } == 0
    }

    private static func closeAll(_ watch: Watch) {
      close(watch.directory)
      if let file = watch.file { close(file) }
    }

    // MARK: Reading

    /// Reads the available events, on the thread that waited.
    private func read() {
      var events = [Record](repeating: Record(), count: 256)
      var noTime = timespec()
      wakes.add(1, ordering: .relaxed)
      while true {
        let count = uninterrupted { kevent(queue, nil, 0, &events, CInt(events.count), &noTime) }
        if count > 0 { deliver(events[..<Int(count)]) }
        if count == events.count { continue }
        guard count < 0 else { return }
        // The queue is never closed. If reading fails all the same, every observer must check its files.
        overflow()
        sleep(1)
        return
      }
    }

    private func deliver(_ events: ArraySlice<Record>) {
      var batches = Batches()
      table.withLock { table in
        for event in events {
          let token = WatchToken(number: Int(bitPattern: event.udata))
          guard let watch = table.watches[token] else { continue }
          if watch.file == CInt(event.ident) {
            batches.add(fileKinds(of: event.fflags), watch.point.place.leaf, watch.point)
          } else {
            batches.add(directoryKinds(of: event.fflags), nil, watch.point)
          }
          // The file may have been replaced or created.
          if watch.point.place.leaf != nil { renewFile(of: token, in: &table) }
        }
      }
      batches.handIn()
      batches.schedule()
    }

    /// Watches the file that has the observed name now.
    private func renewFile(of token: WatchToken, in table: inout Table) {
      guard var watch = table.watches[token], let leaf = watch.point.place.leaf else { return }
      let now = FileStatus(path: "\(watch.point.place.path)/\(leaf)", followsLinks: false)
      if let file = watch.file {
        var status = stat()
        if fstat(file, &status) == 0, FileStatus(status).identity == now?.identity { return }
        close(file)
        watch.file = nil
      }
      if now != nil { watch.file = openFile(of: watch.point, token) }
      table.watches[token] = watch
    }

    private func overflow() {
      var batches = Batches()
      for point in table.withLock({ $0.watches.values.map(\.point) }) where point.inner == nil {
        batches.add(.overflow, nil, point)
      }
      batches.handIn()
      batches.schedule()
    }

    private func fileKinds(of flags: UInt32) -> WatchKinds {
      var kinds: WatchKinds = []
      if flags & UInt32(NOTE_WRITE | NOTE_EXTEND) != 0 { kinds.insert(.written) }
      if flags & UInt32(NOTE_ATTRIB | NOTE_LINK) != 0 { kinds.insert(.attributes) }
      if flags & UInt32(NOTE_RENAME) != 0 { kinds.insert(.movedOut) }
      if flags & UInt32(NOTE_DELETE | NOTE_REVOKE) != 0 { kinds.insert(.removed) }
      return kinds
    }

    private func directoryKinds(of flags: UInt32) -> WatchKinds {
      var kinds: WatchKinds = []
      if flags & UInt32(NOTE_WRITE | NOTE_EXTEND | NOTE_LINK) != 0 { kinds.insert(.changed) }
      if flags & UInt32(NOTE_ATTRIB) != 0 { kinds.insert(.attributes) }
      if flags & UInt32(NOTE_RENAME) != 0 { kinds.insert(.selfMoved) }
      if flags & UInt32(NOTE_DELETE | NOTE_REVOKE) != 0 { kinds.insert(.selfGone) }
      return kinds
    }
  }
#endif
