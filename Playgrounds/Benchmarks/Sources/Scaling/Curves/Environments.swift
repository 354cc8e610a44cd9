import Containers
import Foundation
import Machine

private let sizes = [10, 30, 100, 300, 1_000]

/// Environments, of which an app has many.
let containerCurves = [
  Curve(
    "switching", "Switch to another environment", by: "environments", sizes,
    [
      .init("Signals") { size in
        let (directory, app, ids) = try environments(size)
        var turn = 0
        return .single {
          turn += 1
          let id = ids[turn % 2]
          let time = try nanoseconds { try app.activate(id: id) }
          withExtendedLifetime(directory) {}
          return time
        }
      },
      .init("two renames and a record") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        for number in 0..<size { try makeFolder(directory.file("\(number)")) }
        let (live, first, second) = (directory.file("live"), directory.file("away"), directory.file("1"))
        try makeFolder(live)
        let record = directory.file("active.json").path
        var (away, next) = (first.path, second.path)
        return .repeated { count in
          for number in 0..<count {
            guard rename(live.path, away) == 0, rename(next, live.path) == 0 else { throw SystemError(call: "rename") }
            try Bare.replace(record, by: Payload.bytes(count: number))
            swap(&away, &next)
          }
          withExtendedLifetime(directory) {}
        }
      },
    ]),
  Curve(
    "creating", "Create an environment", by: "environments", sizes,
    [
      .init("Signals") { size in
        let (directory, app, _) = try environments(size)
        return .single {
          var made: AppContainer.Environment?
          let time = try nanoseconds { made = try app.create(name: "Another") }
          if let made { try app.delete(made) }
          withExtendedLifetime(directory) {}
          return time
        }
      },
      .init("a folder and a record") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        for number in 0..<size { try makeFolder(directory.file("\(number)")) }
        let (made, record) = (directory.file("another").path, directory.file("another/record.json").path)
        return .single {
          let time = try nanoseconds {
            guard mkdir(made, 0o700) == 0 else { throw SystemError(call: "mkdir") }
            try Bare.replace(record, by: Payload.bytes(count: 0))
          }
          guard unlink(record) == 0, rmdir(made) == 0 else { throw SystemError(call: "rmdir") }
          withExtendedLifetime(directory) {}
          return time
        }
      },
    ]),
]

private func environments(_ size: Int) throws -> (TemporaryDirectory, AppContainer, [UUID]) {
  let directory = try TemporaryDirectory(isInMemory: true)
  let app = try AppContainer(home: directory.file("home"))
  let ids = try (1..<size).map { try app.create(name: "Environment \($0)").id }
  return (directory, app, [AppContainer.Environment.defaultID, ids[0]])
}

private func makeFolder(_ url: URL) throws {
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
}
