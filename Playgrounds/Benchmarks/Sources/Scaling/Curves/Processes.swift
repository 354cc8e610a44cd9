import AppGroups
import Foundation
import Machine
import Signals

private let sizes = [1, 2, 4, 8, 16, 32, 64]

/// One file of many processes, which change it or observe it.
let processCurves = [
  Curve(
    "updaters", "Update one file in many processes at once, per update", by: "processes", sizes,
    [
      .init("Signals") { try updates($0, by: .updater) },
      .init("bare flock loop") { try updates($0, by: .rawUpdater) },
    ]),
  Curve(
    "readers", "Write a file, until the last process has received the value", by: "processes", sizes,
    [
      .init("Signals") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let file = try sharedFile(in: directory.url)
        return noticing(try Crowd(size, .subscriber, in: directory)) { try file.write(Payload(count: $0)) }
      },
      .init("raw inotify") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let path = directory.file("value.json").path
        try Bare.replace(path, by: Payload.bytes(count: 0))
        return noticing(try Crowd(size, .rawReader, in: directory)) {
          try Bare.replace(path, by: Payload.bytes(count: $0))
        }
      },
    ]),
]

private func updates(_ size: Int, by role: Role) throws -> Work {
  let crowd = try Crowd(size, role, in: TemporaryDirectory(isInMemory: true))
  // All processes together make about as many updates at each size.
  let each = max(4, 256 / size)
  return .single(operations: each * size) { try crowd.work(each) }
}

/// One change at a time.
func noticing(_ crowd: Crowd, _ change: @escaping (Int) throws -> Void) -> Work {
  var number = 0
  return .single {
    number += 1
    return try crowd.notice(number) { try change(number) }
  }
}
