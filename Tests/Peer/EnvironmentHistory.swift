import AppGroups
import Containers
import FileSignals
import Foundation
import Signals
import TestSupport

/// The history of environments: switches, and a file, or a value in a suite, that each of them has.
///
/// The value names its environment, which only updates keep. So each observation belongs to one environment.
final class EnvironmentHistory: HistoryPlace {
  /// The value.
  private struct Mark: Codable, Hashable, Sendable {
    var environment = 99
    var value = 0
  }

  private static let count = 4

  private let app: AppContainer
  private let file: any BlockingSharedValue<Mark>
  private let ids: [UUID]
  private let delivery: SignalSubscription
  private let created = Guarded<[(id: UUID, number: Int)]>([])

  init(_ life: HistoryLife, isSuite: Bool) throws {
    let app = try AppContainer(home: life.directory.appending(path: "place/home", directoryHint: .isDirectory))
    self.app = app
    ids = try (0..<Self.count).map { number in
      number == 0 ? AppContainer.Environment.defaultID : try app.createIfMissing(name: "\(number)").id
    }
    if isSuite {
      let suite = try AppGroupsSuite(name: "marks.json", scope: app.scope, options: .init(durability: .process))
      file = suite.preference("mark", default: Mark())
    } else {
      file = try AppGroupsFile(name: "mark.json", initialValue: Mark(), scope: app.scope)
    }
    let delivered = try life.thread(99, capacity: 1_000_000).notes
    delivery = file.sink { delivered.saw(.sight, $0.environment, 0, $0.value) }
  }

  /// Marks the file of each environment.
  func prepare() throws {
    for number in ids.indices.reversed() {
      try app.activate(id: ids[number])
      try file.write(Mark(environment: number))
    }
  }

  func step(_ thread: HistoryThread) throws {
    let notes = thread.notes
    switch thread.chance.number(below: 40) {
    case 0...5:
      try activate(thread.chance.number(below: ids.count), thread)
    case 6...26:
      let value = thread.fresh()
      let note = notes.call(.update, -1, value)
      let old = try file.update(overwriting: false) { mark in
        defer { mark.value = value }
        return mark
      }
      notes.fill(note, old.value, key: old.environment)
      notes.answer(note)
    case 27...37:
      try read(thread)
    case 38:
      let mark = file.value
      notes.saw(.sight, mark.environment, 0, mark.value)
    default: try createOrDelete(thread)
    }
  }

  private func activate(_ number: Int, _ thread: HistoryThread) throws {
    try thread.note(.activation, 0, number) {
      try app.activate(id: ids[number])
      return 0
    }
  }

  private func read(_ thread: HistoryThread) throws {
    let note = thread.notes.call(.read, -1, 0)
    let mark = try file.read()
    thread.notes.fill(note, mark.value, key: mark.environment)
    thread.notes.answer(note)
  }

  /// Creates an environment that is never active, or deletes one.
  private func createOrDelete(_ thread: HistoryThread) throws {
    let oldest = created.withLock { $0.count > 2 ? $0.removeFirst() : nil }
    if let oldest {
      try thread.note(.deletion, oldest.number, 0) {
        try app.delete(id: oldest.id)
        return 0
      }
    } else {
      let number = thread.fresh()
      try thread.note(.creation, number, 0) {
        let id = try app.create(name: "created \(number)").id
        created.withLock { $0.append((id, number)) }
        return 0
      }
    }
  }

  func readAll(_ thread: HistoryThread) throws {
    for environment in app.environments.value {
      guard let number = Int(environment.name.dropFirst("created ".count)), number > 0 else { continue }
      thread.notes.saw(.presence, number, 0)
    }
    for number in ids.indices {
      try activate(number, thread)
      try read(thread)
    }
  }

  func settle(_ thread: HistoryThread) async throws {
    let last = try await file.read()
    try await file.firstValue("the last value") { $0 == last }
    thread.notes.saw(.current, last.environment, 0, file.value.value)
  }
}
