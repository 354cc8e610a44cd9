import AppGroups
import Dispatch
import Foundation
import Signals

/// Shared values: open, read, write, increment and observe them.
///
/// - `container DIR`: use the container in this directory from now on
/// - `group NAME`: open the container of this group, and return its location
/// - `standard DIR`: make the container in this directory the standard one
/// - `standard-race DIR…`: set all of them at the same time, and return the one that was set
/// - `open NAME`: open a file of the container as a note; `open-counter NAME`: as an integer;
///   `open-standard NAME`: the same, in the standard container
/// - `value NAME`, `read NAME`, `status NAME`: the value in memory, the value on disk, the status
/// - `write NAME TEXT`, `write-counter NAME N`: replace the value; a note's count goes up by one, its text becomes TEXT
/// - `stamp NAME`: write the present time, in nanoseconds of the monotonic clock
/// - `increment NAME N`: N times through `update`
/// - `turn NAME SIDE N`: N times through a lens of the side `left` or `right` of the dials in a file
/// - `observe NAME`: report each value from now on, as `NAME NANOSECONDS VALUE`
/// - `observe-status NAME`: report each status of a note from now on, as `status NAME STATUS`
final class ValueCommands: CommandFamily {
  private let console: Console
  private var container: AppGroupsContainer?
  private var notes: [String: AppGroupsFile<Note>] = [:]
  private var counters: [String: AppGroupsFile<Int>] = [:]
  private var subscriptions: Set<SignalSubscription> = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "container":
      container = try Self.container(command.argument())
    case "group": return try AppGroupsContainer(command.argument()).containerURL.path
    case "standard": try AppGroupsContainer.setStandard(Self.container(command.argument()))
    case "standard-race": return try race(command.argument().split(separator: " ").map { try Self.container("\($0)") })
    case "open":
      let name = try command.argument()
      notes[name] = try AppGroupsFile(name: name, initialValue: Note(count: 0, text: ""), container: opened())
    case "open-counter":
      let name = try command.argument()
      counters[name] = try AppGroupsFile(name: name, initialValue: 0, container: opened())
    case "open-standard":
      let name = try command.argument()
      counters[name] = try AppGroupsFile(name: name, initialValue: 0)
    case "value":
      let name = try command.argument()
      return try counters[name].map { "\($0.value)" } ?? note(name).value.description
    case "read":
      let name = try command.argument()
      return try counters[name].map { try "\($0.read())" } ?? note(name).read().description
    case "status":
      let name = try command.argument()
      return try "\(counters[name]?.status.value ?? note(name).status.value)"
    case "write":
      let arguments = try command.arguments(2)
      let file = try note(arguments[0])
      try file.write(Note(count: file.value.count + 1, text: arguments[1]))
    case "stamp":
      let file = try note(command.argument())
      try file.write(Note(count: file.value.count + 1, text: "\(DispatchTime.now().uptimeNanoseconds)"))
    case "write-counter":
      let arguments = try command.arguments(2)
      try counter(arguments[0]).write(command.number(arguments[1]))
    case "increment":
      let arguments = try command.arguments(2)
      return try increment(arguments[0], times: command.number(arguments[1]))
    case "turn":
      let arguments = try command.arguments(3)
      try turn(arguments[0], arguments[1], times: command.number(arguments[2]))
    case "observe": try observe(command.argument())
    case "observe-status":
      let name = try command.argument()
      let console = console
      try note(name).status.sink { console.report("status \(name) \($0)") }.store(in: &subscriptions)
    default: return nil
    }
    return ""
  }

  private static func container(_ path: String) throws -> AppGroupsContainer {
    try AppGroupsContainer(directory: URL(filePath: path, directoryHint: .isDirectory))
  }

  /// Sets different standard containers from as many threads.
  private func race(_ containers: [AppGroupsContainer]) throws -> String {
    let accepted = MutableProperty<[AppGroupsContainer]>([])
    DispatchQueue.concurrentPerform(iterations: containers.count) { index in
      do {
        try AppGroupsContainer.setStandard(containers[index])
        accepted.modify { $0.append(containers[index]) }
      } catch {}
    }
    guard try accepted.value == [AppGroupsContainer.standard] else {
      throw CommandError(description: "\(accepted.value) were accepted")
    }
    return try AppGroupsContainer.standard.containerURL.path
  }

  private func increment(_ name: String, times: Int) throws -> String {
    let start = DispatchTime.now().uptimeNanoseconds
    if let counter = counters[name] {
      for _ in 0..<times { try counter.update { $0 += 1 } }
    } else {
      let note = try note(name)
      for _ in 0..<times { try note.update { $0.count += 1 } }
    }
    return "\(DispatchTime.now().uptimeNanoseconds - start)"
  }

  private func turn(_ name: String, _ side: String, times: Int) throws {
    let dials = try AppGroupsFile(name: name, initialValue: Dials(), container: opened())
    let dial = side == "left" ? dials.lens(\.pair).lens(\.left) : dials.lens(\.pair).lens(\.right)
    for _ in 0..<times { try dial.update { $0 += 1 } }
  }

  private func observe(_ name: String) throws {
    let console = console
    let report: @Sendable (String) -> Void = {
      console.report("\(name) \(DispatchTime.now().uptimeNanoseconds) \($0)")
    }
    if let counter = counters[name] {
      counter.sink { report("\($0)") }.store(in: &subscriptions)
    } else {
      try note(name).sink { report("\($0)") }.store(in: &subscriptions)
    }
  }

  private func opened() throws -> AppGroupsContainer {
    guard let container else { throw CommandError(description: "no container is open") }
    return container
  }

  private func note(_ name: String) throws -> AppGroupsFile<Note> {
    guard let note = notes[name] else { throw CommandError(description: "no file \(name) is open") }
    return note
  }

  private func counter(_ name: String) throws -> AppGroupsFile<Int> {
    guard let counter = counters[name] else { throw CommandError(description: "no counter \(name) is open") }
    return counter
  }
}
