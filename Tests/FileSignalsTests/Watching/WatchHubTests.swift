import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// Each test runs in a separate process without other watches.
@Suite struct `The watch of the process` {
  let folder: TemporaryDirectory

  /// A folder whose parent nothing is removed from, unlike the temporary directory.
  let quietFolder: URL

  init() throws {
    folder = try TemporaryDirectory()
    quietFolder = try folder.makeFolder("quiet")
  }

  @Test func `sleeps while no file changes`() async {
    await #expect(processExitsWith: .success) { [path = quietFolder.path as String] in
      try await stayIdle(path)
    }
  }

  @Test func `wakes once for each update of a file`() async {
    await #expect(processExitsWith: .success) { [path = quietFolder.path as String] in
      try await countWakes(path)
    }
  }

  @Test func `wakes no thread for an observer that rests, while others receive their events`() async {
    await #expect(processExitsWith: .success) { [path = quietFolder.path as String] in
      try await rest(path)
    }
  }

  @Test func `recovers from an overflow of 24,000 events`() async {
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      try await overflow(path)
    }
  }

  @Test func `throws a descriptive error when no descriptor is left, and works again when one is`() async {
    await withoutDescriptors {
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        try await exhaustDescriptors(path)
      }
    }
  }

  @Test func `reports events from a time without descriptors, even without polling`() async {
    await withoutDescriptors {
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        try await changeWithoutDescriptors(path)
      }
    }
  }

  #if os(Linux)
    @Test func `uses one inotify instance for 1,000 observers, and leaves no watch behind`() async {
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        try await countInstances(path)
      }
    }
  #endif
}

private func stayIdle(_ path: String) async throws {
  let file = URL(fileURLWithPath: "\(path)/value")
  let log = Log<FileEvent>()
  let subscriptions = [
    try FileObserver(file).sink { log.append($0) },
    try DirectoryObserver(file.deletingLastPathComponent()).sink { log.append($0) },
  ]
  try await DurableFile.write(Data(), to: file)
  await log.wait { $0.count >= 2 }
  let (wakes, time) = (WatchHub.shared.wakeCount, clock())
  // A measurement, not a wait: half a second without work.
  usleep(500_000)
  #expect(WatchHub.shared.wakeCount == wakes)
  #expect(clock() - time < 20_000, "\(clock() - time) µs of processor time were used")
  #expect(log.all.count >= 2)
  for subscription in subscriptions { subscription.cancel() }
}

private func countWakes(_ path: String) async throws {
  let file = URL(fileURLWithPath: "\(path)/value")
  try await DurableFile.write(Data(), to: file)
  let log = Log<FileEvent>()
  let subscription = try FileObserver(file).sink { log.append($0) }
  for round in 1...200 {
    try await DurableFile.write(Data("\(round)".utf8), to: file, durability: .process)
    await log.wait { $0.count == round }
  }
  #expect(WatchHub.shared.wakeCount == 200)
  #expect(log.all.allSatisfy { $0.kind == .replaced })
  subscription.cancel()
}

private func rest(_ path: String) async throws {
  let folder = URL(fileURLWithPath: path, isDirectory: true)
  let (resting, other) = (Log<FileEvent>(), Log<FileEvent>())
  let observer = try DirectoryObserver(resting: folder)
  let subscriptions = [observer.sink { resting.append($0) }, try DirectoryObserver(folder).sink { other.append($0) }]
  let rest = observer.rest()
  let wakes = WatchHub.resting.wakeCount
  for number in 1...50 {
    try await DurableFile.write(Data(), to: folder.appending(path: "\(number)"), durability: .process)
  }
  await other.wait { $0.count >= 50 }
  #expect(WatchHub.resting.wakeCount == wakes && resting.all.isEmpty)
  rest.cancel()
  await resting.wait { $0.count >= 50 }
  #expect(resting.all.map(\.url.lastPathComponent) == (1...50).map(String.init))

  // Awake again.
  try await DurableFile.write(Data(), to: folder.appending(path: "last"))
  await resting.wait { $0.count >= 51 }
  #expect(WatchHub.resting.wakeCount > wakes)
  for subscription in subscriptions { subscription.cancel() }
}

private func overflow(_ path: String) async throws {
  let file = URL(fileURLWithPath: "\(path)/value")
  let other = URL(fileURLWithPath: "\(path)/other")
  try await DurableFile.write(Data("old".utf8), to: file)
  let (log, entries) = (Log<FileEvent.Kind>(), Log<FileEvent>())
  let contents = Log<Data>()
  let subscriptions = [
    try FileObserver(file).sink { event in
      log.append(event.kind)
      if let content = FileManager.default.contents(atPath: path + "/value") { contents.append(content) }
    },
    try DirectoryObserver(URL(fileURLWithPath: path)).sink { entries.append($0) },
  ]
  try WatchHub.shared.stall {
    // Two files in turn, because the system merges equal consecutive events. There are more than the 16,384 that it
    // queues and the 2,048 that the reader may already have.
    for _ in 0..<12_000 {
      for url in [file, other] {
        let descriptor = open(url.path, O_WRONLY | O_CREAT, 0o600)
        #expect(descriptor >= 0)
        close(descriptor)
      }
    }
    try DurableFile.write(Data("new".utf8), to: file)
  }
  await log.wait { $0.contains(.rescan) }
  await entries.wait { $0.contains { $0.kind == .rescan } }
  await contents.wait { $0.last == Data("new".utf8) }
  // Events are delivered again.
  try await DurableFile.write(Data("newer".utf8), to: file)
  await contents.wait { $0.last == Data("newer".utf8) }
  for subscription in subscriptions { subscription.cancel() }
}

private func changeWithoutDescriptors(_ path: String) async throws {
  #expect(mkdir("\(path)/gone", 0o700) == 0)
  let entries = Log<FileEvent>()
  let health = Log<WatchHealth>()
  let observer = try DirectoryObserver(URL(filePath: path), polling: .never)
  let subscriptions = [observer.sink { entries.append($0) }, observer.health.sink { health.append($0) }]
  let taken = takeDescriptors()
  // Needs no descriptor itself.
  #expect(mkdir("\(path)/made", 0o700) == 0)
  #expect(rmdir("\(path)/gone") == 0)
  await health.wait { $0.last == .impaired(.descriptorLimitReached) }
  for descriptor in taken { close(descriptor) }
  await entries.wait { $0.contains { $0.kind == .created && $0.url.lastPathComponent == "made" } }
  await entries.wait { $0.contains { $0.kind == .deleted && $0.url.lastPathComponent == "gone" } }
  await health.wait { $0.last == .active }
  for subscription in subscriptions { subscription.cancel() }
}

private func exhaustDescriptors(_ path: String) async throws {
  let file = URL(fileURLWithPath: "\(path)/value")
  var taken = takeDescriptors()
  #expect(throws: FileObserverError.descriptorLimitReached) { try FileObserver(file, polling: .never) }
  #expect(throws: DurableFileError.self) { try DurableFile.write(Data(), to: file) }
  // A polling observer reports the limit, reports no deletions, and sees everything when descriptors are available
  // again.
  let entries = Log<FileEvent>()
  for descriptor in taken.suffix(8) { close(descriptor) }
  taken.removeLast(8)
  let observer = try DirectoryObserver(URL(filePath: path), recursive: true, polling: .always(every: .milliseconds(5)))
  let polling = observer.sink { entries.append($0) }
  try await eventually {
    // Repeatedly, because a read in progress gives back its descriptors.
    while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { taken.append(descriptor) }
    return observer.health.value == .impaired(.descriptorLimitReached)
  }
  for descriptor in taken { close(descriptor) }
  let log = Log<FileEvent>()
  let subscription = try FileObserver(file).sink { log.append($0) }
  try await DurableFile.write(Data(), to: file)
  await log.wait { $0.count == 1 }
  subscription.cancel()
  await entries.wait { $0.contains { $0.url.lastPathComponent == "value" } }
  #expect(!entries.all.contains { $0.kind == .deleted })
  polling.cancel()
}

#if os(Linux)
  private func countInstances(_ path: String) async throws {
    var subscriptions: [SignalSubscription] = []
    let log = Log<URL>()
    for index in 0..<1000 {
      let file = URL(fileURLWithPath: "\(path)/value\(index)")
      subscriptions.append(try FileObserver(file).sink { log.append($0.url) })
    }
    for index in 0..<1000 {
      try await DurableFile.write(Data(), to: URL(fileURLWithPath: "\(path)/value\(index)"), durability: .process)
    }
    await log.wait { Set($0).count == 1000 }
    #expect(try inotifyInstances().count == 1)
    subscriptions = []
    try await eventually { try watchCount() == 0 }
  }
#endif
