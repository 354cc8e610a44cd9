#if os(Linux) || os(Android)
  import CLibrary
  import Signals

  /// The kernel's queue of events, which one thread at a time reads.
  final class InotifyQueue: Sendable {
    let instance: CInt
    private let buffer: Guarded<Buffer>

    private struct Buffer: ~Copyable {
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

      deinit {
        bytes.deallocate()
      }
    }

    /// Opens the queue, which is never closed, because the backend to which it belongs lives as long as the process.
    init() throws(FileObserverError) {
      instance = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
      guard instance >= 0 else { throw FileObserverError(errno, "start", "inotify") }
      buffer = Guarded(Buffer())
    }

    /// Reads the available events and sorts them while no other thread reads.
    ///
    /// - Parameter sort: A closure that receives the bytes. They are empty if there are no events, and `nil` if the
    ///   system call fails.
    /// - Returns: The result of `sort`.
    func read<Result: Sendable>(_ sort: (UnsafeRawBufferPointer?) -> Result) -> Result {
      buffer.withLock { buffer in
        let count = readSome(buffer.bytes, from: instance)
        if count >= 0 { return sort(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])) }
        return sort(errno == EAGAIN ? UnsafeRawBufferPointer(rebasing: buffer.bytes[..<0]) : nil)
      }
    }
  }
#endif
