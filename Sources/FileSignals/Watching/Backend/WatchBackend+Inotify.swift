#if os(Linux) || os(Android)
  import CLibrary
  import Dispatch
  import Foundation
  import Signals
  import Synchronization

  func startWatchBackend() throws(FileObserverError) -> any WatchBackend {
    try InotifyBackend()
  }

  /// A backend that watches directories with one inotify instance, for which a ``FileDescriptorSource`` waits.
  ///
  /// The thread that has read events for a single observer also calls that observer, so that no other thread has to be
  /// woken first. During that call another thread reads, and leaves the calls to the observers' queues. A slow observer
  /// therefore delays no other.
  final class InotifyBackend: WatchBackend {
    /// The events that are requested for a directory's entries, which are the same for all observers.
    ///
    /// IN_MODIFY is not included: closing after writing reports the whole content, not a part of it. Observers that
    /// read parts request it separately.
    private static let entriesMask = UInt32(
      IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
    )
    private static let itselfMask = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

    /// The flags.
    ///
    /// With IN_EXCL_UNLINK, an entry that has been removed is not reported any more, even if a process still writes it.
    private static let flags = UInt32(IN_ONLYDIR | IN_MASK_ADD | IN_EXCL_UNLINK)

    private struct Table {
      var watches: [CInt: WatchPoints] = [:]
      var descriptors: [WatchToken: CInt] = [:]
      var lastToken = 0

      /// Adds an overflow event for every observer.
      func addOverflow(to batches: inout Batches) {
        for points in watches.values {
          // Once for each observer, not for each directory of a tree.
          for point in points.all where point.inner == nil { batches.add(.overflow, nil, point) }
        }
      }
    }

    /// The call of an observer on the thread that has read its events, for at most one observer at a time.
    private final class Call: Sendable {
      private enum State {
        case free
        case due(Batches)
        case running
      }

      private let state = Guarded(State.free)

      /// Plans the call, for the moment at which another thread waits for events.
      ///
      /// - Returns: `false` if there is another call, or if more than one observer has to be called.
      func plan(_ batches: Batches) -> Bool {
        state.withLock { state in
          guard batches.areForOneIdle, case .free = state else { return false }
          state = .due(batches)
          return true
        }
      }

      /// Makes the planned call, which takes as long as the observer likes.
      func make() {
        let batches = state.withLock { state -> Batches? in
          guard case .due(let batches) = state else { return nil }
          state = .running
          return batches
        }
        guard let batches else { return }
        batches.process()
        state.withLock { $0 = .free }
      }
    }

    /// The rest of the thread that reads.
    private final class Rest: Sendable {
      private let isResting = Atomic(false)
      private let ends = DispatchSemaphore(value: 0)

      /// Rests unless a condition is no longer met, which may change until ``end()`` is called.
      func wait(for duration: Duration, while isNeeded: () -> Bool) {
        isResting.store(true, ordering: .sequentiallyConsistent)
        if isNeeded() { _ = ends.wait(timeout: .now() + duration.inSeconds) }
        isResting.store(false, ordering: .relaxed)
      }

      /// Ends the rest early.
      ///
      /// In the worst case, the next rest ends at once.
      func end() {
        if isResting.exchange(false, ordering: .sequentiallyConsistent) { ends.signal() }
      }
    }

    private let queue: InotifyQueue
    private let resting = Rest()
    private let source: FileDescriptorSource
    private let subscription = Guarded<SignalSubscription?>(nil)
    private let table = Guarded(Table())
    private let call = Call()
    private let wakes = Atomic<Int>(0)

    var wakeCount: Int { wakes.load(ordering: .relaxed) }

    init() throws(FileObserverError) {
      queue = try InotifyQueue()
      do throws(FileObserverError) {
        source = try FileDescriptorSource(inline: queue.instance) { [call] in call.make() }
      } catch {
        close(queue.instance)
        throw error
      }
      let reading = source.sink { [weak self] _ in self?.read() }
      subscription.withLock { $0 = reading }
    }

    // MARK: Watching

    func add(_ point: WatchPoint, opened: CInt?) throws(FileObserverError) -> WatchToken {
      let mask =
        switch point.place.depth {
        case .itself: Self.itselfMask
        case .removals: Self.itselfMask | UInt32(IN_DELETE)
        case .entries: Self.entriesMask
        case .contents: Self.entriesMask | UInt32(IN_MODIFY)
        }
      let path = opened.map { "/proc/self/fd/\($0)" } ?? point.place.path
      let flags = opened == nil ? Self.flags | UInt32(IN_DONT_FOLLOW) : Self.flags
      return try table.withLock { table throws(FileObserverError) in
        // The lock ensures that the first event finds the point in the table. It also prevents another thread from
        // removing the watch, which all points of a directory share, between these lines.
        let descriptor = inotify_add_watch(queue.instance, path, mask | flags)
        guard descriptor >= 0 else {
          if errno == ENOSPC { throw .watchLimitReached(limit: Self.watchLimit) }
          throw FileObserverError(errno, "watch", point.place.path)
        }
        table.lastToken += 1
        let token = WatchToken(number: table.lastToken)
        table.watches[descriptor, default: WatchPoints()].add(point, token)
        table.descriptors[token] = descriptor
        return token
      }
    }

    func remove(_ token: WatchToken) {
      table.replace { table -> WatchPoint? in
        guard let descriptor = table.descriptors.removeValue(forKey: token) else { return nil }
        let point = table.watches[descriptor]?.remove(token)
        if table.watches[descriptor]?.isEmpty == true {
          table.watches[descriptor] = nil
          inotify_rm_watch(queue.instance, numericCast(descriptor))
        }
        return point
      }
    }

    /// The limit that was reached, for the error: the system's or the container's, or 0 if it is unknown.
    private static var watchLimit: Int {
      ["/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches"].compactMap { path in
        FileManager.default.contents(atPath: path).flatMap { content in
          Int(String(decoding: content, as: UTF8.self).filter(\.isNumber))
        }
      }.min() ?? 0
    }

    func stall(during body: () throws -> Void) rethrows {
      try table.withLock { _ in try body() }
    }

    // MARK: Reading

    /// Reads the available events on the thread that waited.
    private func read() {
      var batches = readOn()
      // Waking up for each event of a storm would only keep the processor from the writers and from the observers.
      while let rest = batches.rest(othersWait) {
        resting.wait(for: rest) { batches.stillRest }
        var next = readOn()
        next.review(batches)
        batches = next
      }
      if !call.plan(batches) { batches.schedule() }
    }

    func endRest() { resting.end() }

    private func readOn() -> Batches {
      queue.read { content in
        if content?.isEmpty == false { wakes.add(1, ordering: .relaxed) }
        return handIn(content)
      }
    }

    /// Returns a Boolean value that indicates whether an observer of the process is not among those with events.
    private func othersWait(besides batches: Batches) -> Bool {
      table.withLock { !$0.watches.values.allSatisfy { $0.all.allSatisfy(batches.include) } }
    }

    /// Passes the events to all observers, in order, while no other thread reads.
    private func handIn(_ content: UnsafeRawBufferPointer?) -> Batches {
      var batches: Batches
      if let content {
        batches = sorted(content)
      } else {
        // The instance is never closed. If reading fails all the same, every observer must check its files.
        batches = overflow()
        sleep(1)
      }
      batches.handIn()
      return batches
    }

    func muffle() {
      source.pause()
    }

    func drain() -> Batches { queue.read(handIn) }

    func unmuffle() {
      source.resume()
    }

    /// Determines the observers of each event.
    private func sorted(_ buffer: UnsafeRawBufferPointer) -> Batches {
      table.withLock { table in
        var batches = Batches()
        var offset = 0
        let headerSize = MemoryLayout<inotify_event>.size
        while offset + headerSize <= buffer.count {
          // Sound: the kernel writes whole records. Names are padded, so the next record may be unaligned.
          let record = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = buffer[(offset + headerSize)..<(offset + headerSize + Int(record.len))]
          offset += headerSize + Int(record.len)
          if record.mask & UInt32(IN_Q_OVERFLOW) != 0 {
            table.addOverflow(to: &batches)
            continue
          }
          guard let points = table.watches[record.wd] else { continue }
          let kinds = Self.kinds(of: record.mask)
          guard !kinds.isEmpty else { continue }
          let bytes = name.prefix { $0 != 0 }
          points.forEach(wanting: kinds, bytes) { batches.add(kinds, $1, $0) }
          if record.mask & UInt32(IN_IGNORED) != 0 {
            table.watches[record.wd] = nil
            for token in points.tokens { table.descriptors[token] = nil }
          }
        }
        return batches
      }
    }

    private func overflow() -> Batches {
      table.withLock { table in
        var batches = Batches()
        table.addOverflow(to: &batches)
        return batches
      }
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
