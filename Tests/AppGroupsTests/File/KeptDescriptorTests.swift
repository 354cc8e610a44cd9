import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// The descriptors of a lock stay open for a moment.
// Not for each kernel: over the model of kqueue, each watch has descriptors that these tests would count.
@Suite("Descriptors kept open after a write", .patient)
struct KeptDescriptorTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `a write after the directory was replaced goes to the new one`() throws {
    let file = try fixture.counter()
    try file.write(1)
    let moved = fixture.container.containerURL.appending(path: "Moved")
    try FileManager.default.moveItem(at: fixture.files, to: moved)
    try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: false)
    try file.write(2)
    #expect(try fixture.text(of: file.url) == "2\n")
    #expect(try fixture.text(of: moved.appending(path: "counter.json")) == "1\n")
    #expect(try fixture.contents(of: moved.appending(path: ".shared")) == ["counter.json.lock"])
  }

  @Test
  func `a write after the removal of everything recreates it`() throws {
    let file = try fixture.counter()
    try file.write(1)
    try FileManager.default.removeItem(at: fixture.files)
    try file.write(2)
    #expect(try fixture.counter().value == 2)
  }

  @Test
  func `an update after the removal of the lock shares a new one with others`() async throws {
    let file = try fixture.counter()
    let other = try fixture.counter()
    try await file.write(1)
    try await other.update { $0 += 1 }
    try FileManager.default.removeItem(at: fixture.files.appending(path: ".shared"))
    try await onThreads(4) { index in
      for _ in 0..<50 { try (index % 2 == 0 ? file : other).update { $0 += 1 } }
    }
    #expect(try file.read() == 202)
    #expect(try fixture.contents(of: fixture.files.appending(path: ".shared")) == ["counter.json.lock"])
  }

  @Test
  func `a link in the file's place does not lead a later write out of the container`() throws {
    let file = try fixture.counter()
    try file.write(1)
    let outside = fixture.directory.url.appending(path: "outside.json")
    try Data("7".utf8).write(to: outside)
    try FileManager.default.removeItem(at: file.url)
    try FileManager.default.createSymbolicLink(at: file.url, withDestinationURL: outside)
    #expect(throws: AppGroupsFileError.self) { try file.write(2) }
    #expect(throws: AppGroupsFileError.self) { try file.update { $0 += 1 } }
    #expect(throws: AppGroupsFileError.self) { try file.read() }
    #expect(try fixture.text(of: outside) == "7")
    #expect(try fixture.contents(of: fixture.directory.url) == ["container", "outside.json"])
  }

  @Test
  func `a link within the container may change its target between writes`() throws {
    let file = try fixture.counter()
    for name in ["one.json", "two.json"] {
      try Data("0".utf8).write(to: fixture.url(name))
      try FileManager.default.removeItem(at: file.url)
      try FileManager.default.createSymbolicLink(at: file.url, withDestinationURL: fixture.url(name))
      try file.update { $0 = 5 }
      #expect(try fixture.text(of: fixture.url(name)) == "5\n")
    }
  }

  @Test
  func `an update during a replacement of the directory does not restore the old value`() async throws {
    let file = try fixture.counter()
    let next = fixture.container.containerURL.appending(path: "Next")
    try FileManager.default.createDirectory(at: next, withIntermediateDirectories: false)
    try Data("2".utf8).write(to: next.appending(path: "counter.json"))
    let isSeen = DispatchSemaphore(value: 0)
    let subscription = file.sink { if $0 == 2 { isSeen.signal() } }
    let moved = fixture.container.containerURL.appending(path: "Moved")
    try await onThread {
      try file.update { value in
        try FileManager.default.moveItem(at: fixture.files, to: moved)
        try FileManager.default.moveItem(at: next, to: fixture.files)
        #expect(isSeen.wait(timeout: .now() + 240) == .success)
        value = 1
      }
    }
    #expect(file.value == 2)
    #expect(file.status.value == .current)
    #expect(try fixture.text(of: moved.appending(path: "counter.json")) == "1\n")
    try await file.update { $0 += 1 }
    #expect(try fixture.text(of: file.url) == "3\n")
    subscription.cancel()
  }

  #if os(Linux)
    @Test
    func `every descriptor is closed soon`() async throws {
      let file = try fixture.counter()
      try await file.write(1)
      try await untilNothingIsOpen()
      try await file.write(2)
      #expect(try file.read() == 2)
    }

    @Test
    func `every descriptor is closed with the last reference`() throws {
      // A file object is unsuitable: it may still be reading its own write on another thread, and be released only
      // there.
      do {
        let location = FileLocation(fixture.container.containerURL.appending(path: "counter.json"))
        // On a busy machine, an unused descriptor may be closed before this check.
        var attempts = 0
        repeat {
          try location.lock().unlock()
          attempts += 1
        } while try openDescriptors().isEmpty && attempts < 100
        #expect(attempts < 100)
        withExtendedLifetime(location) {}
      }
      #expect(try openDescriptors().isEmpty)
    }

    @Test
    func `a hundred files in use need fewer than three hundred descriptors`() throws {
      let files = try (0..<100).map { try fixture.counter("counter\($0).json") }
      for file in files { try file.update { $0 += 1 } }
      #expect(try openDescriptors().count <= 24)
      for file in files { try file.update { $0 += 1 } }
      #expect(try openDescriptors().count <= 24)
      #expect(files.allSatisfy { $0.value == 2 })
    }

    /// The paths of the open descriptors of this process in the fixture's directory.
    private func openDescriptors() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { descriptor in
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return path.hasPrefix(fixture.path) ? path : nil
      }
    }

    private func untilNothingIsOpen() async throws {
      let deadline = ContinuousClock.now + .seconds(60)
      while true {
        let open = try openDescriptors()
        if open.isEmpty { return }
        try #require(ContinuousClock.now < deadline, "Still open: \(open)")
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  #endif
}

private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for index in 0..<count { group.addTask { try await onThread { try body(index) } } }
    try await group.waitForAll()
  }
}
