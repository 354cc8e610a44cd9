import Dispatch
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// Creates a pipe and returns its descriptors.
private func makePipe() -> (input: CInt, output: CInt) {
  var ends: [CInt] = [-1, -1]
  #expect(pipe(&ends) == 0)
  return (ends[0], ends[1])
}

private func readAll(_ descriptor: CInt, _ count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: max(count, 1))
  let result = read(descriptor, &bytes, bytes.count)
  return result > 0 ? Array(bytes[..<result]) : []
}

/// The system's identifier of the calling thread.
private func threadNumber() -> UInt64 {
  #if canImport(Darwin)
    var number: UInt64 = 0
    pthread_threadid_np(nil, &number)
    return number
  #else
    return UInt64(pthread_self())
  #endif
}

@Suite(.patient) struct `A file descriptor source` {
  @Test func `sends the number of bytes in a pipe`() async throws {
    let (input, output) = makePipe()
    defer { close(output) }
    let log = Log<[UInt8]>()
    let source = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true)
    let subscription = source.sink { log.append(readAll(input, $0)) }
    write(output, "abc", 3)
    await log.wait { $0.joined().count == 3 }
    write(output, "defg", 4)
    #expect(Array(await log.wait { $0.joined().count == 7 }.joined()) == Array("abcdefg".utf8))
    subscription.cancel()
  }

  #if os(Linux)
    @Test func `stops with an explanation if another source owns the descriptor`() async {
      await #expect(processExitsWith: .failure) {
        let (input, _) = makePipe()
        let sources = try (0..<2).map { _ in try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true) }
        let subscriptions = sources.map { $0.sink { _ in } }
        try await Task.sleep(for: .seconds(60))
        withExtendedLifetime(subscriptions) {}
      }
    }
  #endif

  @Test func `repeats its event until everything is read`() async throws {
    let (input, output) = makePipe()
    defer { close(output) }
    let log = Log<Int>()
    let subscription = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true).sink { count in
      log.append(count)
      _ = readAll(input, 1)
    }
    write(output, "abc", 3)
    #expect(await log.wait { $0.count == 3 } == [3, 2, 1])
    subscription.cancel()
  }

  @Test func `sleeps without observers, and reports data that arrived before the next one`() async throws {
    let (input, output) = makePipe()
    defer { close(output) }
    let source = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true)
    write(output, "abc", 3)
    let log = Log<Int>()
    for _ in 0..<10 {
      // Nothing reads, so a source that did not sleep would spin from the first round on.
      let first = Log<Int>()
      source.sink { first.append($0) }.cancel()
      let subscription = source.sink { first.append($0) }
      await first.wait { !$0.isEmpty }
      subscription.cancel()
    }
    let subscription = source.sink { count in log.append(readAll(input, count).count) }
    #expect(await log.wait { !$0.isEmpty }.first == 3)
    subscription.cancel()
  }

  @Test func `reports the end of a pipe`() async throws {
    let (input, output) = makePipe()
    let ended = Log<Bool>()
    let source = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true)
    let subscription = source.sink(receiveCompletion: { _ in ended.append(true) }) { [weak source] count in
      if readAll(input, count).isEmpty { source?.cancel() }
    }
    close(output)
    await ended.wait { $0 == [true] }
    subscription.cancel()
  }

  @Test func `reads a regular file to its end, as a program with redirected input does`() async throws {
    let folder = try TemporaryDirectory()
    let file = folder.file("input")
    try Data("abcdef".utf8).write(to: file)
    let input = open(file.path, O_RDONLY)
    let log = Log<[UInt8]>()
    let source = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true)
    let subscription = source.sink { [weak source] count in
      let bytes = readAll(input, min(count, 4))
      if bytes.isEmpty { source?.cancel() }
      log.append(bytes)
    }
    let pieces = await log.wait { $0.last?.isEmpty == true }
    #expect(pieces.map { String(decoding: $0, as: UTF8.self) } == ["abcd", "ef", ""])
    subscription.cancel()
  }

  @Test func `calls an inline subscriber and its follow-up on the thread that waited`() async throws {
    let (input, output) = makePipe()
    defer { close(output) }
    let (received, followed) = (Log<UInt64>(), Log<UInt64>())
    let source = try FileDescriptorSource(inline: input) { followed.append(threadNumber()) }
    let subscription = source.sink { _ in
      _ = readAll(input, 1)
      received.append(threadNumber())
    }
    for round in 1...20 {
      write(output, "x", 1)
      await followed.wait { $0.count == round }
    }
    #expect(received.all == followed.all)
    subscription.cancel()
  }

  @Test func `delivers the next event while the follow-up of an inline delivery still runs`() async throws {
    let (input, output) = makePipe()
    defer { close(output) }
    let received = Log<Int>()
    let isBusy = DispatchSemaphore(value: 0)
    let source = try FileDescriptorSource(inline: input) { if received.all.count == 1 { isBusy.wait() } }
    let subscription = source.sink { _ in received.append(readAll(input, 1).count) }
    write(output, "x", 1)
    await received.wait { $0.count == 1 }
    write(output, "y", 1)
    await received.wait { $0.count == 2 }
    isBusy.signal()
    subscription.cancel()
  }

  @Test func `delivers nothing during a pause, and then reports waiting data`() async throws {
    let (input, output) = makePipe()
    defer { close(output) }
    let log = Log<Int>()
    let source = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true)
    let subscription = source.sink { log.append(readAll(input, $0).count) }
    for round in 1...100 {
      source.pause()
      source.pause()
      write(output, "x", 1)
      source.resume()
      // The pause ends only with the second resumption.
      #expect(log.all.count == round - 1)
      source.resume()
      await log.wait { $0.count == round }
    }
    subscription.cancel()
  }

  @Test func `reports that a pipe can be written to`() async throws {
    var ends: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let (near, far) = (ends[0], ends[1])
    defer { close(far) }
    _ = fcntl(near, F_SETFL, O_NONBLOCK)
    let chunk = [UInt8](repeating: 7, count: 65_536)
    var filled = 0
    while true {
      let count = write(near, chunk, chunk.count)
      if count < 0 { break }
      filled += count
    }
    let log = Log<Int>()
    let once = Log<SignalSubscription>()
    let source = try FileDescriptorSource(fileDescriptor: near, events: .writable, closesDescriptor: true)
    once.append(
      source.sink { count in
        log.append(count)
        source.cancel()
      }
    )
    #expect(log.all.isEmpty)
    while filled > 0 { filled -= readAll(far, min(filled, 65_536)).count }
    await log.wait { $0.count == 1 }
  }

  #if os(Linux)
    @Test func `counts the events of an eventfd and reads the records of an inotify instance`() async throws {
      // The C library has this function, but its Swift module does not expose it.
      let address = try #require(dlsym(nil, "eventfd"))
      let eventfd = unsafeBitCast(address, to: (@convention(c) (UInt32, Int32) -> Int32).self)
      let counter = eventfd(0, O_NONBLOCK)
      let counted = Log<UInt64>()
      let counting = try FileDescriptorSource(fileDescriptor: counter, closesDescriptor: true).sink { _ in
        var value: UInt64 = 0
        if read(counter, &value, 8) == 8 { counted.append(value) }
      }
      for _ in 0..<3 {
        var one: UInt64 = 1
        #expect(write(counter, &one, 8) == 8)
      }
      await counted.wait { $0.reduce(0, +) == 3 }
      counting.cancel()

      let folder = try TemporaryDirectory()
      let inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      #expect(inotify_add_watch(inotify, folder.url.path, UInt32(IN_CLOSE_WRITE)) > 0)
      let records = Log<Int>()
      let watching = try FileDescriptorSource(fileDescriptor: inotify, closesDescriptor: true).sink { count in
        records.append(readAll(inotify, count).count)
      }
      try Data("x".utf8).write(to: folder.file("file"))
      #expect(await records.wait { !$0.isEmpty }.first == 32)
      watching.cancel()
    }

    @Test func `closes its descriptor exactly once, over ten thousand cycles`() async throws {
      var inodes: Set<String> = []
      for index in 0..<10_000 {
        let (input, output) = makePipe()
        if index % 500 == 0 {
          inodes.insert(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(input)"))
        }
        let source = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true)
        if index % 2 == 0 {
          write(output, "x", 1)
          source.sink { _ in _ = readAll(input, 1) }.cancel()
        }
        close(output)
      }
      try await eventually {
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
          // A descriptor that another test closes in between is not counted.
          var name = [CChar](repeating: 0, count: 64)
          let count = readlink("/proc/self/fd/\($0)", &name, name.count)
          return count > 0 ? String(decoding: name[..<count].map(UInt8.init), as: UTF8.self) : nil
        }
        return inodes.isDisjoint(with: open)
      }
    }
  #endif

  @Test func `works when the number of a closed descriptor is reused`() async throws {
    // The next pipe reuses the descriptors of the closed one.
    for _ in 0..<2000 {
      let (input, output) = makePipe()
      let log = Log<Int>()
      let subscription = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true).sink {
        log.append(readAll(input, $0).count)
      }
      write(output, "x", 1)
      await log.wait(20) { $0 == [1] }
      subscription.cancel()
      close(output)
    }
  }

  @Test func `leaves a borrowed descriptor open, and tolerates its owner closing it`() async throws {
    for _ in 0..<500 {
      let (input, output) = makePipe()
      let log = Log<Int>()
      let source = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: false)
      let subscription = source.sink { log.append(readAll(input, $0).count) }
      write(output, "x", 1)
      await log.wait(20) { $0 == [1] }
      subscription.cancel()
      #expect(fcntl(input, F_GETFD) >= 0)
      close(input)
      close(output)
    }
  }

  @Test func `rejects a descriptor that is not open`() {
    for closesDescriptor in [true, false] {
      let error = #expect(throws: FileObserverError.self) {
        try FileDescriptorSource(fileDescriptor: 1_000_000, closesDescriptor: closesDescriptor)
      }
      #expect(error == .system(operation: "wait for", path: "file descriptor 1000000", errno: EBADF))
    }
  }

  @Test func `is released with its last observer`() throws {
    let (input, output) = makePipe()
    defer { close(output) }
    weak var released: FileDescriptorSource?
    var subscription: SignalSubscription?
    do {
      let source = try FileDescriptorSource(fileDescriptor: input, closesDescriptor: true)
      released = source
      subscription = source.sink { _ = readAll(input, $0) }
    }
    #expect(released != nil)
    subscription?.cancel()
    #expect(released == nil)
  }
}
