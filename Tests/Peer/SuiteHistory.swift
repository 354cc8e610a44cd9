import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport

/// The history of a suite: numbers that are written and updated one at a time, and lists that are changed together.
final class SuiteHistory: HistoryPlace {
  private static let lists = (0..<16).map { SuiteKey<[Int]>("list\($0)", default: []) }

  private let suite: AppGroupsSuite
  private let numbers: [SuiteValue<Int>]
  private let deliveries: [SignalSubscription]

  init(_ life: HistoryLife) throws {
    let container = try AppGroupsContainer(directory: life.directory.appending(path: "place"))
    let suite = try AppGroupsSuite(name: "s.json", container: container, options: .init(durability: .process))
    self.suite = suite
    numbers = (0..<4).map { suite.preference("number\($0)", default: 0) }
    deliveries = try numbers.enumerated().map { key, number in
      let delivered = try life.thread(90 + key, capacity: 1_000_000).notes
      return number.sink { delivered.saw(.value, key, 0, $0) }
    }
  }

  func step(_ thread: HistoryThread) throws {
    let key = thread.chance.number(below: numbers.count)
    switch thread.chance.number(below: 12) {
    case 0...1:
      let value = thread.fresh()
      try thread.note(.write, key, value) {
        try numbers[key].write(value)
        return 0
      }
    case 2...5:
      let value = thread.fresh()
      try thread.note(.update, key, value) {
        try numbers[key].update { stored in
          defer { stored = value }
          return stored
        }
      }
    case 6...8: try thread.note(.read, key, 0) { try numbers[key].read() }
    case 9: try thread.note(.value, key, 0) { numbers[key].value }
    case 10:
      try thread.transaction(lists: Self.lists.count) { steps in
        try suite.update { contents in
          for step in steps {
            var list = try contents.value(for: Self.lists[step.list])
            step.note(list)
            if step.value != 0 { list.append(step.value) }
            try contents.set(list, for: Self.lists[step.list])
          }
          return 0
        }
      }
    default:
      try thread.transaction(lists: Self.lists.count, appends: false) { steps in
        let contents = try suite.read()
        for step in steps { step.note(try contents.value(for: Self.lists[step.list])) }
        return 0
      }
    }
  }

  func readAll(_ thread: HistoryThread) throws {
    for key in numbers.indices { try thread.note(.read, key, 0) { try numbers[key].read() } }
    let contents = try suite.read()
    for list in Self.lists.indices {
      let values = try contents.value(for: Self.lists[list])
      for value in values { thread.notes.saw(.element, list, value) }
    }
  }

  func settle(_ thread: HistoryThread) async throws {
    for (key, number) in numbers.enumerated() {
      let last = try number.read()
      try await number.firstValue("the last value") { $0 == last }
      thread.notes.saw(.current, key, 0, number.value)
    }
  }
}
