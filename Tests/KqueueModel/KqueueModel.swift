#if os(Linux) && DEBUG
  package import FileSignals
  import CLibrary
  import Signals

  /// A model of BSD's kqueue for files and directories, which works on the files of this system.
  ///
  /// Descriptors are real, so that their numbers are used again as BSD does. The kernel's inotify reports the changes
  /// of the watched files; the model turns them into the notes that XNU posts for the same system calls:
  ///
  /// - `unlink` posts NOTE_DELETE even if the file has other links. `rename` posts NOTE_DELETE for the file that it
  ///   replaces, and NOTE_RENAME for the one that it moves. A directory posts NOTE_WRITE for a change of its entries,
  ///   and nothing for a write to one of its files.
  /// - `rmdir` posts NOTE_DELETE at once, even if the directory is still open.
  /// - Truncating a file posts NOTE_ATTRIB only.
  /// - The notes of a watch are combined until they are taken, and then start anew, as with EV_CLEAR.
  /// - Closing a descriptor ends its watch, and discards the notes that have not been taken. It also releases every
  ///   POSIX lock that this process has on the file, even if the descriptor was opened for events only.
  package final class KqueueModel: VnodeQueue {
    private let state: Guarded<KqueueState>
    /// A pipe that contains bytes while notes are pending.
    private let bell: (input: CInt, output: CInt)

    private struct Interruption {
      var body: (@Sendable (String) -> Void)?
    }
    private let interruption = Guarded(Interruption())

    package let descriptor: CInt

    package init() throws {
      let inotify = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
      var ends: [CInt] = [-1, -1]
      _ = pipe(&ends)
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      bell = (ends[1], ends[0])
      // The backend owns this one.
      descriptor = fcntl(bell.output, F_DUPFD_CLOEXEC, 0)
      guard inotify >= 0, descriptor >= 0 else { throw FileObserverError(errno, "start", "the model") }
      state = Guarded(KqueueState(inotify: inotify))
      listening = try FileDescriptorSource(fileDescriptor: inotify, closesDescriptor: false)
      let subscription = listening.sink { [weak self] _ in self?.listen() }
      self.subscription.withLock { $0 = subscription }
    }

    private let listening: FileDescriptorSource
    private let subscription = Guarded<SignalSubscription?>(nil)

    deinit {
      CLibrary.close(bell.input)
      CLibrary.close(bell.output)
      state.withLock { $0.end() }
    }

    /// Calls a closure with the path of each file that has been opened and is not watched yet, to make a race certain.
    package func interrupt(with body: (@Sendable (String) -> Void)?) {
      interruption.withLock { $0.body = body }
    }

    /// Withholds all events while a closure runs, so that its changes are reported together.
    ///
    /// The closure may use the observers and change the files that they observe.
    package func hold(during body: () throws -> Void) rethrows {
      state.withLock { $0.isHeld = true }
      defer {
        state.withLock { $0.isHeld = false }
        listen()
      }
      try body()
    }

    /// The number of descriptors that are watched.
    package var watchCount: Int { state.withLock { $0.watchCount } }

    private func listen() {
      let isPending = state.withLock { state in
        state.update()
        return state.isPending
      }
      if isPending { ring() }
    }

    private func ring() {
      var byte: UInt8 = 0
      // A full pipe rings, too.
      _ = write(bell.input, &byte, 1)
    }

    // MARK: System calls

    package func open(_ path: String, isDirectory: Bool) -> CInt {
      let descriptor = CLibrary.open(path, openPath | O_NOFOLLOW | O_CLOEXEC | (isDirectory ? O_DIRECTORY : 0))
      var status = stat()
      // BSD opens no link, unlike O_PATH.
      if descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
        CLibrary.close(descriptor)
        errno = ELOOP
        return -1
      }
      let reason = errno
      if descriptor >= 0 { interruption.withLock { $0.body }?(path) }
      errno = reason
      return descriptor
    }

    package func duplicate(_ descriptor: CInt) -> CInt { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    package func close(_ descriptor: CInt) {
      state.withLock { $0.unwatch(descriptor) }
      releaseLocks(descriptor)
      CLibrary.close(descriptor)
    }

    /// Releases the POSIX locks of this process on a file, which Linux does not do when an O_PATH descriptor is closed.
    private func releaseLocks(_ descriptor: CInt) {
      guard FileStatus(descriptor: descriptor)?.kind == .regular else { return }
      let file = CLibrary.open("/proc/self/fd/\(descriptor)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      if file >= 0 { CLibrary.close(file) }
    }

    package func status(of descriptor: CInt) -> FileStatus? { FileStatus(descriptor: descriptor) }

    package func watch(_ descriptor: CInt, for notes: VnodeNotes, as number: Int) -> Bool {
      let (isWatched, reason, isPending) = state.withLock { state in
        let isWatched = state.watch(descriptor, for: notes, as: number)
        return (isWatched, errno, state.isPending)
      }
      // Watching has read what the kernel reported about other files.
      if isPending { ring() }
      errno = reason
      return isWatched
    }

    package func takeEvents() -> [VnodeEvent]? {
      var bytes = [UInt8](repeating: 0, count: 4096)
      while read(bell.output, &bytes, bytes.count) == bytes.count {}
      let (events, isPending) = state.withLock { state in
        state.update()
        let events = state.take(256)
        return (events, state.isPending)
      }
      if isPending { ring() }
      return events
    }
  }
#endif
