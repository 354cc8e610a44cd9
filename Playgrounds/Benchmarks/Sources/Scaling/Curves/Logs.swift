import AppGroups
import Foundation
import Machine

private let sizes = [1, 2, 4, 8, 16, 32, 64]

/// One log of many producers, and of many consumers.
let logCurves = [
  Curve(
    "producers", "Append to a log in many processes at once, per event", by: "processes", sizes,
    [
      .init("Signals") { try appends($0, by: .logProducer) },
      .init("raw write") { try appends($0, by: .rawLogProducer) },
    ]),
  Curve(
    "consumers", "Append an event, until the last process has received it", by: "processes", sizes,
    [
      .init("Signals") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let log = try sharedLog(in: directory.url)
        return noticing(try Crowd(size, .logSubscriber, in: directory)) { try log.append(Payload(count: $0)) }
      },
      .init("raw inotify") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let file = try AppendedFile(in: directory.url)
        return noticing(try Crowd(size, .rawLogReader, in: directory)) { try file.append(Payload.bytes(count: $0)) }
      },
    ]),
]

private func appends(_ size: Int, by role: Role) throws -> Work {
  let crowd = try Crowd(size, role, in: TemporaryDirectory(isInMemory: true))
  let each = max(64, 4_096 / size)
  return .single(operations: each * size) { try crowd.work(each) }
}
