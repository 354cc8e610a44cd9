import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite struct `Hazards of watches` {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test func `a name of any length fits into the buffer`() async throws {
    let log = Log<String>()
    let subscription = try DirectoryObserver(folder.url).sink { log.append($0.url.lastPathComponent) }
    let names = (1...255).map { String(repeating: "n", count: $0) }
    for name in names { try Data().write(to: folder.file(name)) }
    await log.wait { Set($0).isSuperset(of: names) }
    subscription.cancel()
  }

  /// Another observer may have read the directory in between; without the event, it would keep the entry forever.
  @Test func `an entry that comes and goes during a pause is reported as deleted`() async throws {
    let file = folder.file("value")
    let (entries, values) = (Log<FileEvent>(), Log<FileEvent.Kind>())
    let subscriptions = [
      try DirectoryObserver(folder.url).sink { entries.append($0) },
      try FileObserver(file).sink { values.append($0.kind) },
    ]
    for round in 0..<20 {
      try WatchHub.shared.stall {
        try Data().write(to: file)
        try FileManager.default.removeItem(at: file)
      }
      let events = await entries.wait { $0.filter { $0 == FileEvent(kind: .deleted, url: file) }.count > round }
      let kinds = await values.wait { $0.filter { $0 == .deleted }.count > round }
      // Events read before the pause are delivered one by one.
      #expect(events.last?.kind == .deleted && kinds.last == .deleted)
    }
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `an observer below a directory does not narrow the events of one inside it`() async throws {
    // The system has one watch per directory, and the last request could narrow the events of all observers.
    let inner = try folder.makeFolder("inner")
    let (outerLog, innerLog) = (Log<FileEvent.Kind>(), Log<FileEvent.Kind>())
    let outer = try FileObserver(folder.file("value")).sink { outerLog.append($0.kind) }
    var within: SignalSubscription? = try FileObserver(inner.appending(path: "value")).sink { innerLog.append($0.kind) }
    try Data("1".utf8).write(to: folder.file("value"))
    await outerLog.wait { !$0.isEmpty }
    try Data("1".utf8).write(to: inner.appending(path: "value"))
    await innerLog.wait { !$0.isEmpty }
    // Nor does an observer that leaves.
    withExtendedLifetime(within) {}
    within = nil
    let count = outerLog.all.count
    try shell("rm value", in: folder.url)
    await outerLog.wait { $0.count > count && $0.last == .deleted }
    outer.cancel()
  }

  @Test func `two observers of one directory are both notified, and one continues when the other leaves`() async throws
  {
    let logs = [Log<FileEvent.Kind>(), Log<FileEvent.Kind>()]
    var subscriptions = try logs.map { log in try FileObserver(folder.file("value")).sink { log.append($0.kind) } }
    try store("1", folder.file("value"))
    for log in logs { await log.wait { $0.contains(.created) } }
    subscriptions.removeFirst()
    for round in 2...20 {
      let count = logs[1].all.count
      try store("\(round)", folder.file("value"))
      await logs[1].wait { $0.count > count }
    }
    subscriptions.removeAll()
  }

  @Test func `a write in the shared folder wakes no observer of the directory`() async throws {
    let log = Log<String>()
    let subscription = try DirectoryObserver(folder.url).sink { log.append($0.url.lastPathComponent) }
    for round in 0..<50 {
      try store("\(round)", folder.file("value"))
    }
    try Data().write(to: folder.file("end"))
    await log.wait { $0.contains("end") }
    #expect(Set(log.all) == ["value", "end"])
    subscription.cancel()
  }

  @Test func `a directory removed during the start of a watch is watched or reported as missing`() async throws {
    for round in 0..<50 {
      let directory = try folder.makeFolder("directory\(round)")
      let remover = Thread { try? FileManager.default.removeItem(at: directory) }
      remover.start()
      let result = Result { () throws(FileObserverError) in try FileObserver(directory.appending(path: "value")) }
      if case .failure(let error) = result {
        #expect(error == .notFound(directory) || error == .notFound(URL(fileURLWithPath: directory.path)))
      }
      try await eventually { !FileManager.default.fileExists(atPath: directory.path) }
    }
  }
}
