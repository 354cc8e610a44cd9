import Dispatch
import FileSignals
import Foundation
import Machine
import Signals

#if canImport(Glibc)
  import Glibc
#endif

private let sizes = [1, 10, 100, 1_000, 10_000, 100_000]

/// A foreign change of one file, while many are observed.
let fileCurves = [
  Curve("files", "Notice that one of many watched files is replaced", by: "watched files", sizes, fileLines)
]

private var fileLines: [Curve.Line] {
  var lines = [Curve.Line("Signals") { try observedFiles($0) }]
  #if os(Linux)
    lines.append(.init("raw inotify") { try watchedDirectories($0) })
  #endif
  return lines
}

/// Makes files, ten in each directory.
private func files(_ count: Int, in directory: TemporaryDirectory) throws -> [URL] {
  try (0..<count).map { number in
    let folder = directory.file("\(number / 10)")
    if number % 10 == 0 { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }
    let file = folder.appending(path: "\(number).json")
    try Bare.replace(file.path, by: Payload.bytes(count: 0))
    return file
  }
}

private func observedFiles(_ count: Int) throws -> Work {
  let directory = try TemporaryDirectory(isInMemory: true)
  let files = try files(count, in: directory)
  let arrival = Arrival()
  var kept: [(FileObserver, SignalSubscription)] = []
  for file in files {
    let observer = try FileObserver(file)
    guard case .active = observer.health.value else { throw NotWatched(count: count) }
    kept.append((observer, observer.sink { if $0.kind == .replaced { arrival.noteNext() } }))
  }
  return replacing(files[count / 2], in: directory, seenBy: arrival, keeping: kept)
}

/// One replacement at a time.
private func replacing(
  _ file: URL, in directory: TemporaryDirectory, seenBy arrival: Arrival, keeping kept: some Any
) -> Work {
  var number = 0
  return .single {
    number += 1
    let start = DispatchTime.now().uptimeNanoseconds
    try Bare.replace(file.path, by: Payload.bytes(count: number))
    let time = try arrival.wait(for: number)
    withExtendedLifetime((directory, kept)) {}
    return Int(time - start)
  }
}

#if os(Linux)
  private func watchedDirectories(_ count: Int) throws -> Work {
    let directory = try TemporaryDirectory(isInMemory: true)
    let files = try files(count, in: directory)
    let arrival = Arrival()
    let watch = Watch()
    guard watch.descriptor >= 0 else { throw SystemError(call: "inotify_init1") }
    for number in stride(from: 0, to: count, by: 10) {
      let folder = files[number].deletingLastPathComponent().path
      guard inotify_add_watch(watch.descriptor, folder, UInt32(IN_MOVED_TO)) >= 0 else {
        throw SystemError(call: "inotify_add_watch")
      }
    }
    let descriptor = watch.descriptor
    Thread.detachNewThread {
      var events = [UInt8](repeating: 0, count: 4_096)
      // The program ends, and the thread with it, when the curve has been measured.
      while events.withUnsafeMutableBytes({ read(descriptor, $0.baseAddress, $0.count) }) > 0 { arrival.noteNext() }
    }
    return replacing(files[count / 2], in: directory, seenBy: arrival, keeping: watch)
  }

  private struct Watch {
    let descriptor = inotify_init1(CInt(IN_CLOEXEC))
  }
#endif

private struct NotWatched: Error, CustomStringConvertible {
  let count: Int

  var description: String { "the system cannot watch \(count) files; raise fs.inotify.max_user_watches" }
}
