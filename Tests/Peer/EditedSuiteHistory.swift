import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport

/// The history of a suite whose file another program edits without a lock.
///
/// The first worker is that program: it reads the file, changes a member of its own, and replaces the file. Each thread
/// of the others sets a number of its own to larger and larger values.
final class EditedSuiteHistory: HistoryPlace {
  private static let keys = 0..<6

  private let worker: Int
  private let file: URL
  private let editing = NSLock()
  private let numbers: [SuiteValue<Int>]
  private let deliveries: [SignalSubscription]

  init(_ life: HistoryLife) throws {
    let directory = life.directory.appending(path: "place")
    worker = life.worker
    file = directory.appending(path: "Files/s.json")
    if worker == 1 {
      numbers = []
    } else {
      let container = try AppGroupsContainer(directory: directory)
      let suite = try AppGroupsSuite(name: "s.json", container: container, options: .init(durability: .process))
      numbers = Self.keys.map { suite.preference("number\($0)", default: 0) }
    }
    deliveries = numbers.map { $0.sink { _ in } }
  }

  func step(_ thread: HistoryThread) throws {
    guard worker > 1 else { return try editing.withLock { try edit(thread) } }
    switch thread.chance.number(below: 20) {
    case 0: usleep(UInt32(thread.chance.number(below: 60_000)))
    case 1...11:
      let value = thread.fresh()
      let key = (worker - 2) * 2 + value / 1_000_000 % 100
      let updates = thread.chance.once(in: 2)
      try thread.note(.write, key, value) {
        if updates { try numbers[key].update { $0 = value } } else { try numbers[key].write(value) }
        return 0
      }
    default:
      let key = thread.chance.number(below: numbers.count)
      try thread.note(.read, key, 0) { try numbers[key].read() }
    }
  }

  private func edit(_ thread: HistoryThread) throws {
    switch thread.chance.number(below: 40) {
    case 0: usleep(UInt32(thread.chance.number(below: 250_000)))
    case 1...26: usleep(UInt32(thread.chance.number(below: 10_000)))
    default:
      let copies = Self.keys.map { thread.notes.call(.copy, $0, 0) }
      guard let data = try? Data(contentsOf: file) else { return }
      guard var members = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
        throw CommandError(description: "the file is no object")
      }
      for (key, copy) in copies.enumerated() {
        thread.notes.fill(copy, members["number\(key)"] as? Int ?? 0)
        thread.notes.answer(copy)
      }
      let value = thread.fresh()
      members["edited"] = value
      let edited = file.deletingLastPathComponent().appending(path: "s.json.edited")
      try JSONSerialization.data(withJSONObject: members).write(to: edited)
      if thread.chance.once(in: 4) { usleep(UInt32(thread.chance.number(below: 5_000))) }
      try thread.note(.edit, 0, value) {
        guard rename(edited.path, file.path) == 0 else { throw CommandError(description: "the file is not replaced") }
        return 0
      }
    }
  }

  func readAll(_ thread: HistoryThread) throws {
    for key in numbers.indices { try thread.note(.read, key, 0) { try numbers[key].read() } }
  }

  func settle(_ thread: HistoryThread) async throws {
    for (key, number) in numbers.enumerated() {
      let last = try number.read()
      try await number.firstValue("the last value") { $0 == last }
      thread.notes.saw(.current, key, 0, number.value)
    }
  }
}
