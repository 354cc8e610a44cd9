#if os(Linux) || os(Android)
  import Dispatch
  import Foundation
  import Signals
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  func startWatchBackend() throws(FileObserverError) -> any WatchBackend {
    try InotifyBackend()
  }

  /// Watches directories with one inotify instance and two threads, one of which sleeps until something happens.
  final class InotifyBackend: WatchBackend, @unchecked Sendable {  // Sound: the tables are guarded by the lock.
    /// What is asked for to learn of a directory's entries, the same for all observers.
    ///
    /// There is no IN_MODIFY: closing after writing tells of the whole content, not of a part. Who reads parts asks for it.
    private static let entriesMask = UInt32(
      IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
    )
    private static let itselfMask = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

    /// An entry that has been removed is no longer one, even if somebody still writes it.
    private static let flags = UInt32(IN_ONLYDIR | IN_DONT_FOLLOW | IN_MASK_ADD | IN_EXCL_UNLINK)

    private let instance: CInt
    private let lock = Lock()
    private var watches: [CInt: [WatchToken: WatchPoint]] = [:]
    private var descriptors: [WatchToken: CInt] = [:]
    private var lastToken = 0
    private let wakes = Atomic<Int>(0)

    /// Whose turn it is to read.
    private let reading = DispatchSemaphore(value: 1)

    /// How many threads wait for it.
    private let standby = Atomic<Int>(0)

    var wakeCount: Int { wakes.load(ordering: .relaxed) }

    init() throws(FileObserverError) {
      instance = inotify_init1(CInt(IN_CLOEXEC))
      guard instance >= 0 else { throw FileObserverError(errno, "start", "inotify") }
      for _ in 0..<2 {
        // A queue that nobody else uses, so that its thread may wait for ever. Dispatch lets it take no signals.
        DispatchQueue(label: "org.signals.watch", qos: .userInitiated).async { [self] in run() }
      }
    }

    // MARK: Watching

    func add(_ point: WatchPoint) throws(FileObserverError) -> WatchToken {
      let mask =
        switch point.place.depth {
        case .itself: Self.itselfMask
        case .removals: Self.itselfMask | UInt32(IN_DELETE)
        case .entries: Self.entriesMask
        case .contents: Self.entriesMask | UInt32(IN_MODIFY)
        }
      lock.lock()
      defer { lock.unlock() }
      // With the lock held, so that the first event finds the point in the table, and so that nobody removes the watch,
      // which all points of a directory share, between these lines.
      let descriptor = inotify_add_watch(instance, point.place.path, mask | Self.flags)
      guard descriptor >= 0 else {
        if errno == ENOSPC { throw .watchLimitReached(limit: Self.watchLimit) }
        throw FileObserverError(errno, "watch", point.place.path)
      }
      lastToken += 1
      let token = WatchToken(number: lastToken)
      watches[descriptor, default: [:]][token] = point
      descriptors[token] = descriptor
      return token
    }

    func remove(_ token: WatchToken) {
      let point: WatchPoint? = lock.withLock {
        guard let descriptor = descriptors.removeValue(forKey: token) else { return nil }
        let point = watches[descriptor]?.removeValue(forKey: token)
        if watches[descriptor]?.isEmpty == true {
          watches[descriptor] = nil
          inotify_rm_watch(instance, descriptor)
        }
        return point
      }
      withExtendedLifetime(point) {}
    }

    /// The limit that was reached, for the error's sake; 0 if it cannot be found out.
    private static var watchLimit: Int {
      do {
        let content = try DurableFile.read(URL(fileURLWithPath: "/proc/sys/fs/inotify/max_user_watches"))
        return Int(String(decoding: content, as: UTF8.self).filter(\.isNumber)) ?? 0
      } catch {
        return 0
      }
    }

    func stall(during body: () throws -> Void) rethrows {
      try lock.withLock(body)
    }

    // MARK: Reading

    /// What both threads do: one reads, the other stands by.
    ///
    /// The one that has read events for a single observer hands the reading over and calls that observer itself, so that
    /// no third thread has to be woken first. While it is busy with that, the other one reads and leaves the calling to the
    /// observers' queues, so a slow observer holds nobody up.
    private func run() {
      withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
        while true {
          standby.add(1, ordering: .relaxed)
          reading.wait()
          standby.subtract(1, ordering: .relaxed)
          read(into: buffer)?.process()
        }
      }
    }

    /// Reads and hands out events, until there are some for a single observer and somebody who goes on reading.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> PathWatch? {
      while true {
        // Blocks until something happens, and takes whatever has happened until then.
        let count = uninterrupted { Self.read(instance, buffer) }
        wakes.add(1, ordering: .relaxed)
        guard count > 0 else {
          // The instance is never closed; should it fail all the same, everybody is to look for themselves.
          overflow()
          sleep(1)
          continue
        }
        let batches = sorted(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if standby.load(ordering: .relaxed) > 0, batches.areForOneIdle {
          // Handed in before the other thread can read what comes next, so that the order stays.
          let watch = batches.handIn()
          reading.signal()
          return watch
        }
        batches.deliver()
      }
    }

    private static func read(_ instance: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
      #if canImport(Glibc)
        Glibc.read(instance, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        Musl.read(instance, buffer.baseAddress, buffer.count)
      #elseif canImport(Android)
        Android.read(instance, buffer.baseAddress, buffer.count)
      #endif
    }

    /// Finds out whom events are for.
    private func sorted(_ buffer: UnsafeRawBufferPointer) -> Batches {
      var batches = Batches()
      lock.lock()
      var offset = 0
      let headerSize = MemoryLayout<inotify_event>.size
      while offset + headerSize <= buffer.count {
        // Sound: the kernel writes whole records; names are padded, so the next one need not be aligned.
        let record = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        let name = buffer[(offset + headerSize)..<(offset + headerSize + Int(record.len))]
        offset += headerSize + Int(record.len)
        if record.mask & UInt32(IN_Q_OVERFLOW) != 0 {
          for points in watches.values { for point in points.values { batches.add(.overflow, nil, point) } }
          continue
        }
        guard let points = watches[record.wd] else { continue }
        let kinds = Self.kinds(of: record.mask)
        guard !kinds.isEmpty else { continue }
        let text = name.first.map { $0 == 0 } ?? true ? nil : String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        for point in points.values where point.wants(kinds, text) { batches.add(kinds, text, point) }
        if record.mask & UInt32(IN_IGNORED) != 0 {
          watches[record.wd] = nil
          for token in points.keys { descriptors[token] = nil }
        }
      }
      lock.unlock()
      return batches
    }

    private func overflow() {
      var batches = Batches()
      lock.withLock {
        for points in watches.values { for point in points.values { batches.add(.overflow, nil, point) } }
      }
      batches.deliver()
    }

    private static func kinds(of mask: UInt32) -> WatchKinds {
      var kinds: WatchKinds = []
      if mask & UInt32(IN_CREATE) != 0 { kinds.insert(.created) }
      if mask & UInt32(IN_MOVED_TO) != 0 { kinds.insert(.movedIn) }
      if mask & UInt32(IN_MODIFY) != 0 { kinds.insert(.appended) }
      if mask & UInt32(IN_CLOSE_WRITE) != 0 { kinds.insert(.written) }
      if mask & UInt32(IN_DELETE) != 0 { kinds.insert(.removed) }
      if mask & UInt32(IN_MOVED_FROM) != 0 { kinds.insert(.movedOut) }
      if mask & UInt32(IN_ATTRIB) != 0 { kinds.insert(.attributes) }
      if mask & UInt32(IN_MOVE_SELF) != 0 { kinds.insert(.selfMoved) }
      if mask & UInt32(IN_DELETE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 { kinds.insert(.selfGone) }
      return kinds
    }
  }
#endif
