// Linux needs it only for tests, which run it over a model.
#if canImport(Darwin) || DEBUG
  import Dispatch
  import Foundation
  import Signals
  import Synchronization

  /// A backend that watches directories, and files written in place, with one kqueue, for which a
  /// ``FileDescriptorSource`` waits.
  ///
  /// Files are registered with the kqueue directly, because the registration is then complete when the call returns. A
  /// dispatch source registers some time after it is activated, and earlier events are lost.
  final class KqueueBackend<Queue: VnodeQueue>: WatchBackend {
    /// An open file and the number of its watch.
    private struct Opened {
      let descriptor: CInt
      let number: Int
    }

    /// A point with its open directory, and the observed file, if there is one.
    private struct Watch {
      let point: WatchPoint
      let directory: CInt
      var file: Opened?
    }

    private struct Table {
      var watches: [WatchToken: Watch] = [:]
      /// The watches of observed files by number.
      ///
      /// Numbers are never used again, unlike descriptors. A late event of a file that was replaced is therefore not
      /// mistaken for one of its successor or of the directory.
      var files: [Int: WatchToken] = [:]
      var lastNumber = 0

      mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
      }
    }

    /// The file that has the observed name now, compared with the one that is watched.
    private enum Finding {
      case same
      case missing
      case gone(WatchKinds)
      case replaced
      /// It exists, and the system does not allow it to be watched.
      case unclear(isLimit: Bool)
    }

    private static var entriesNotes: VnodeNotes {
      [.write, .extend, .attributes, .link, .delete, .rename, .revoke]
    }
    private static var itselfNotes: VnodeNotes { [.delete, .rename, .revoke] }

    private let queue: Queue
    private let source: FileDescriptorSource
    private let subscription = Guarded<SignalSubscription?>(nil)
    private let table = Guarded(Table())
    /// Held while events are taken and passed on, so that they stay in order.
    private let reading = Guarded(())
    private let wakes = Atomic<Int>(0)

    var wakeCount: Int { wakes.load(ordering: .relaxed) }

    init(_ queue: Queue) throws(FileObserverError) {
      self.queue = queue
      do throws(FileObserverError) {
        source = try FileDescriptorSource(inline: queue.descriptor) {}
      } catch {
        queue.close(queue.descriptor)
        throw error
      }
      let subscription = source.sink { [weak self] _ in self?.read() }
      self.subscription.withLock { $0 = subscription }
    }

    // MARK: Watching

    func add(_ point: WatchPoint, opened: CInt?) throws(FileObserverError) -> WatchToken {
      let path = point.place.path
      let notes = point.place.depth >= .entries ? Self.entriesNotes : Self.itselfNotes
      return try table.withLock { table throws(FileObserverError) in
        let directory = opened.map(queue.duplicate) ?? queue.open(path, isDirectory: true)
        guard directory >= 0 else { throw FileObserverError(errno, "watch", path) }
        let token = WatchToken(number: table.nextNumber())
        guard queue.watch(directory, for: notes, as: token.number) else {
          let error = FileObserverError(errno, "watch", path)
          queue.close(directory)
          throw error
        }
        table.watches[token] = Watch(point: point, directory: directory)
        // Afterwards, because the directory then reports a file that appears in between.
        if case .unclear(isLimit: true) = find(token, in: &table) {
          table.watches[token] = nil
          queue.close(directory)
          throw .descriptorLimitReached
        }
        return token
      }
    }

    func remove(_ token: WatchToken) {
      let watch = table.withLock { table in
        let watch = table.watches.removeValue(forKey: token)
        if let number = watch?.file?.number { table.files[number] = nil }
        return watch
      }
      // Closing ends the watches. An event that has already been read finds no number.
      if let watch {
        queue.close(watch.directory)
        if let file = watch.file { queue.close(file.descriptor) }
      }
    }

    func stall(during body: () throws -> Void) rethrows {
      try table.withLock { _ in try body() }
    }

    /// Watches the file that has the observed name now, because its directory does not report writes in place.
    private func find(_ token: WatchToken, in table: inout Table) -> Finding {
      guard let watch = table.watches[token], let leaf = watch.point.place.leaf else { return .missing }
      let path = "\(watch.point.place.path)/\(leaf)"
      let now: FileStatus?
      do throws(DurableFileError) {
        now = try FileStatus(path: path, followsLinks: false)
      } catch {
        // Until it can be examined again, the file counts as the one that is known.
        return .unclear(isLimit: false)
      }
      guard let file = watch.file else { return now == nil ? .missing : open(path, token, in: &table) }
      let status = queue.status(of: file.descriptor)
      if let status, status.identity == now?.identity { return .same }
      // The descriptor is open, so no other file can have its identity.
      table.files[file.number] = nil
      table.watches[token]?.file = nil
      queue.close(file.descriptor)
      if now != nil { return open(path, token, in: &table) }
      return .gone(status?.isLinked == true ? .movedOut : .removed)
    }

    private func open(_ path: String, _ token: WatchToken, in table: inout Table) -> Finding {
      let descriptor = queue.open(path, isDirectory: false)
      let number = table.nextNumber()
      guard descriptor >= 0, queue.watch(descriptor, for: Self.entriesNotes, as: number) else {
        let reason = errno
        if descriptor >= 0 { queue.close(descriptor) }
        return .unclear(isLimit: FileObserverError(reason, "watch", path).isLimit)
      }
      table.files[number] = token
      table.watches[token]?.file = Opened(descriptor: descriptor, number: number)
      return .replaced
    }

    // MARK: Reading

    /// Reads the pending events, on the thread that waited.
    private func read() {
      wakes.add(1, ordering: .relaxed)
      drain().schedule()
    }

    func muffle() {
      source.pause()
    }

    func unmuffle() {
      source.resume()
    }

    func drain() -> Batches {
      reading.withLock { _ in
        var all = Batches()
        var isFailing = false
        while true {
          var batches: Batches
          if let events = queue.takeEvents() {
            if events.isEmpty { return all }
            batches = sorted(events)
          } else {
            // The queue is never closed. If reading fails all the same, every observer must check its files.
            batches = overflow()
            sleep(1)
            isFailing = true
          }
          batches.handIn()
          all.append(batches)
          if isFailing { return all }
        }
      }
    }

    private func sorted(_ events: [VnodeEvent]) -> Batches {
      table.withLock { table in
        var batches = Batches()
        for event in events {
          if let token = table.files[event.number], let point = table.watches[token]?.point {
            let finding = find(token, in: &table)
            var kinds = fileKinds(of: event.notes)
            // Another name of the file was removed or changed, or this one was away for a moment.
            if case .same = finding, !kinds.isDisjoint(with: [.movedOut, .removed]) {
              kinds.subtract([.movedOut, .removed])
              kinds.insert(.attributes)
            }
            batches.add(kinds, point.place.leaf, point)
            add(finding, point, to: &batches)
          } else {
            let token = WatchToken(number: event.number)
            guard let point = table.watches[token]?.point else { continue }
            let finding = find(token, in: &table)
            add(directoryKinds(of: event.notes), after: finding, point, to: &batches)
            add(finding, point, to: &batches)
          }
        }
        return batches
      }
    }

    /// Adds the events of a directory, unless they are only about entries that do not matter.
    private func add(_ kinds: WatchKinds, after finding: Finding, _ point: WatchPoint, to batches: inout Batches) {
      let place = point.place
      if kinds == .changed, place.leaf != nil, place.hinges.isEmpty, !place.isTarget {
        switch finding {
        // The file may have been there for a moment, in which the observer or its owner saw or wrote it.
        case .missing: return batches.add(.removed, place.leaf, point)
        case .same, .gone, .replaced: return
        case .unclear: break
        }
      }
      if !kinds.isEmpty { batches.add(kinds, nil, point) }
    }

    /// Adds the event of the observed file that a directory does not report by name.
    private func add(_ finding: Finding, _ point: WatchPoint, to batches: inout Batches) {
      switch finding {
      case .replaced: batches.add(.movedIn, point.place.leaf, point)
      case .gone(let kinds): batches.add(kinds, point.place.leaf, point)
      // The observer watches everything again, and polls if that fails.
      case .unclear(isLimit: true): batches.add(.selfGone, nil, point)
      case .same, .missing, .unclear: break
      }
    }

    private func overflow() -> Batches {
      var batches = Batches()
      for point in table.withLock({ $0.watches.values.map(\.point) }) where point.inner == nil {
        batches.add(.overflow, nil, point)
      }
      return batches
    }

    private func fileKinds(of notes: VnodeNotes) -> WatchKinds {
      var kinds: WatchKinds = []
      if !notes.isDisjoint(with: [.write, .extend]) { kinds.insert(.written) }
      if !notes.isDisjoint(with: [.attributes, .link]) { kinds.insert(.attributes) }
      if notes.contains(.rename) { kinds.insert(.movedOut) }
      if !notes.isDisjoint(with: [.delete, .revoke]) { kinds.insert(.removed) }
      return kinds
    }

    private func directoryKinds(of notes: VnodeNotes) -> WatchKinds {
      var kinds: WatchKinds = []
      if !notes.isDisjoint(with: [.write, .extend, .link]) { kinds.insert(.changed) }
      if notes.contains(.attributes) { kinds.insert(.attributes) }
      if notes.contains(.rename) { kinds.insert(.selfMoved) }
      if !notes.isDisjoint(with: [.delete, .revoke]) { kinds.insert(.selfGone) }
      return kinds
    }
  }
#endif
