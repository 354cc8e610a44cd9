import Benchmark
import Catalog
import Containers
import Foundation
import Machine
import Signals

/// How many files each of the two environments has that are switched.
private let fileCount = 100_000

/// Switching everything that an app stores: by environments, with many files and with none, and by moving each file.
func registerContainers() {
  measureTimed("containerSwitch", ours) { try switching(between: fileCount) }
  measureTimed("containerSwitch", "\(ours), empty") { try switching(between: 0) }
  measureTimed("containerSwitch", "10,000 files one by one") {
    let directory = try TemporaryDirectory(isInMemory: false)
    let (live, first, second) = (directory.file("live"), directory.file("first"), directory.file("second"))
    // The harness has no result for an operation that takes two seconds.
    try fill(live, count: fileCount / 10)
    try fill(second, count: fileCount / 10)
    var (away, next) = (first, second)
    return { _, stopwatch in
      stopwatch.startMeasurement()
      try moveAll(from: live, to: away)
      try moveAll(from: next, to: live)
      stopwatch.stopMeasurement()
      swap(&away, &next)
      withExtendedLifetime(directory) {}
    }
  }
}

private func switching(between count: Int) throws -> TimedWorkload {
  let directory = try TemporaryDirectory(isInMemory: false)
  let app = try AppContainer(home: directory.file("home"))
  let other = try app.create(name: "Other")
  if count > 0 {
    try fill(app.home, count: count)
    try activate(other.id, in: app)
    try fill(app.home, count: count)
  }
  return { _, stopwatch in
    let id = app.active.value.isDefault ? other.id : AppContainer.Environment.defaultID
    stopwatch.startMeasurement()
    try activate(id, in: app)
    stopwatch.stopMeasurement()
    withExtendedLifetime(directory) {}
  }
}

/// Switches on the thread that measures.
private func activate(_ id: UUID, in app: AppContainer) throws {
  try app.activate(id: id)
}

/// Makes so many small files, a hundred in each folder, as a cache has them.
private func fill(_ url: URL, count: Int) throws {
  for folder in 0..<count / 100 {
    let folder = url.appending(path: "Library/Caches/\(folder)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in 0..<100 {
      _ = FileManager.default.createFile(atPath: "\(folder.path)/\(file)", contents: Data("a".utf8))
    }
  }
}

/// Moves each file of a tree by itself, and makes the folders for them.
private func moveAll(from old: URL, to new: URL) throws {
  try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
  for name in try FileManager.default.contentsOfDirectory(atPath: old.path) {
    let (source, destination) = ("\(old.path)/\(name)", "\(new.path)/\(name)")
    if opendir(source).map({ closedir($0) }) != nil {
      try moveAll(from: old.appending(path: name), to: new.appending(path: name))
      rmdir(source)
    } else {
      rename(source, destination)
    }
  }
}
