#if !canImport(Darwin)
  import CLibrary
  import Dispatch
  import FileSignals
  import Foundation
  import Signals

  extension SeparateDescriptors {
    /// A Boolean value that indicates whether the work may lock databases as another process would.
    var canLock: Bool { thread != nil }

    /// A Boolean value that indicates whether ``open(_:in:)`` opens copies, which no other program changes.
    var opensCopies: Bool { false }

    /// Runs a closure on a thread with its own table of descriptors, which ends before this method returns.
    ///
    /// If the system refuses such a table, the closure runs on this thread, and files are refused that this process has
    /// locked.
    ///
    /// - Parameters:
    ///   - staging: Not needed on this system.
    ///   - body: Opens and closes files.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    static func run<Result>(
      staging: URL?, _ body: @escaping (SeparateDescriptors) throws(AppContainerError) -> Result
    ) throws(AppContainerError) -> Result {
      let thread = SeparateThread()
      var result: Swift.Result<Result, AppContainerError>?
      // Sound: the variable is written by the other thread, and read after that thread has ended.
      withUnsafeMutablePointer(to: &result) { place in
        nonisolated(unsafe) let place = place
        thread.run {
          place.pointee = .init { () throws(AppContainerError) in try body(SeparateDescriptors(thread: thread)) }
        }
      }
      if let result { return try result.get() }
      return try body(SeparateDescriptors(thread: nil))
    }

    /// Runs a closure on the thread that called ``run(staging:_:)``.
    func onCaller<Result>(_ body: @escaping () -> Result) -> Result {
      guard let thread else { return body() }
      var result: Result?
      // Sound: the other thread writes the variable before it wakes this one.
      return withUnsafeMutablePointer(to: &result) { place in
        nonisolated(unsafe) let place = place
        thread.ask { place.pointee = body() }
        guard let result = place.pointee.take() else {
          stop(because: "A closure did not run on the thread that copies")
        }
        return result
      }
    }

    /// Opens a regular file for reading.
    func open(_ name: EntryPath, in folder: Folder) throws(AppContainerError) -> Descriptor {
      let process = getpid()
      if thread == nil,
        let status = FileStatus.ifReadable(path: name.cString, relativeTo: folder.number, followsLinks: false),
        SystemLocks.held(status.identity, where: { $0.kind == "posix" && $0.process == process }) != nil
      {
        throw .heldOpen(reason: "this process has locked \(folder.place(of: name).path), which a copy would unlock")
      }
      return try folder.open(name)
    }
  }

  /// A thread with its own table of descriptors, and the thread that waits for it.
  final class SeparateThread: @unchecked Sendable {
    // Sound: the semaphores order all accesses to the closures. At any time, one of the two threads waits for the other.
    private let asked = DispatchSemaphore(value: 0)
    private let answered = DispatchSemaphore(value: 0)
    private var work: (() -> Void)?
    private var question: (() -> Void)?

    /// Runs a closure on such a thread and waits for its end, or does nothing if the system refuses one.
    func run(_ work: @escaping () -> Void) {
      self.work = work
      defer { self.work = nil }
      #if canImport(Musl)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
      defer { attributes.deallocate() }
      pthread_attr_init(attributes)
      defer { pthread_attr_destroy(attributes) }
      // Trees may be deep, and some C libraries give a thread little memory.
      pthread_attr_setstacksize(attributes, 8 << 20)
      let context = Unmanaged.passUnretained(self).toOpaque()
      // Sound: `run` keeps the object until the thread has ended.
      let failure = pthread_create(
        &thread, attributes,
        { context in
          guard let context else { return nil }
          Unmanaged<SeparateThread>.fromOpaque(context).takeUnretainedValue().perform()
          return nil
        }, context)
      guard failure == 0 else { return }
      while true {
        asked.wait()
        guard let question = question.take() else { break }
        question()
        answered.signal()
      }
      pthread_join(thread, nil)
      withExtendedLifetime(self) {}
    }

    /// Runs a closure on the waiting thread, and waits for it.
    func ask(_ question: @escaping () -> Void) {
      self.question = question
      asked.signal()
      answered.wait()
    }

    private func perform() {
      if Self.separate() { work?() }
      asked.signal()
    }

    /// Gives the calling thread its own table of descriptors, in which only the standard streams are open.
    private static func separate() -> Bool {
      let (first, unsharing) = (CUnsignedInt(3), CInt(2))
      // The table is copied without the descriptors that are to be closed, so no lock of another kind is held longer.
      if let closeRange, closeRange(first, .max, unsharing) == 0 { return true }
      let separateFiles = CInt(0x400)
      guard let unshare, unshare(separateFiles) == 0 else { return false }
      let limit = sysconf(CInt(_SC_OPEN_MAX))
      for number in 3..<CInt(clamping: max(4, min(limit, 1 << 20))) { close(number) }
      return true
    }

    /// The function in the C library, whose headers do not expose it to Swift.
    private static let closeRange = systemFunction(
      "close_range", as: (@convention(c) (CUnsignedInt, CUnsignedInt, CInt) -> CInt).self)

    /// The function in the C library, whose headers do not expose it to Swift.
    private static let unshare = systemFunction("unshare", as: (@convention(c) (CInt) -> CInt).self)
  }
#endif
