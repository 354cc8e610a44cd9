import AppGroups
import Foundation
import Signals
import TestSupport

/// The history of a shared file: writes, updates, reads, and values in memory.
final class FileHistory: HistoryPlace {
  private let file: AppGroupsFile<Int>
  private let delivery: SignalSubscription

  init(_ life: HistoryLife) throws {
    let container = try AppGroupsContainer(directory: life.directory.appending(path: "place"))
    file = try AppGroupsFile(name: "n.json", initialValue: 0, container: container)
    let delivered = try life.thread(99, capacity: 1_000_000).notes
    delivery = file.sink { delivered.saw(.value, 0, 0, $0) }
  }

  func step(_ thread: HistoryThread) throws {
    switch thread.chance.number(below: 10) {
    case 0...1:
      let value = thread.fresh()
      try thread.note(.write, 0, value) {
        try file.write(value)
        return 0
      }
    case 2...5:
      let value = thread.fresh()
      try thread.note(.update, 0, value) {
        try file.update { stored in
          defer { stored = value }
          return stored
        }
      }
    case 6...8: try thread.note(.read, 0, 0) { try file.read() }
    default: try thread.note(.value, 0, 0) { file.value }
    }
  }

  func readAll(_ thread: HistoryThread) throws {
    try thread.note(.read, 0, 0) { try file.read() }
  }

  func settle(_ thread: HistoryThread) async throws {
    let last = try file.read()
    try await file.firstValue("the last value") { $0 == last }
    thread.notes.saw(.current, 0, 0, file.value)
  }
}
