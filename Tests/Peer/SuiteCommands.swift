import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport

/// Suites: values by name.
///
/// - `suite DIR NAME`: use the suite NAME of the container in DIR from now on
/// - `suite-sealed DIR NAME`: the same, sealed with the key `1` of tests
/// - `suite-set KEY TEXT`, `suite-get KEY`, `suite-keys`: change and read it
/// - `suite-synchronize`: bring its file up to date
/// - `suite-fill PREFIX N`: set N keys to their numbers, one at a time
/// - `suite-increment KEY N`: N times through `update`
/// - `suite-turn KEY SIDE N`: N times through a lens of the side `left` or `right` of the dials of a key
/// - `suite-transfer FROM TO N`: N times, move 1 from one number to another in one update
/// - `suite-adopt FILE`: adopt the text `theme` from a file of MMKV; `mmkv FILE` writes one, in which it is `dark`
/// - `suite-observe KEY`: report each text of a key from now on, as `KEY TEXT`
/// - `suite-changes`: report the names that change from now on, as `changes NAME,NAME`
/// - `suite-failures`: report each failure from now on, as `failure …`
/// - `suite-sums FIRST SECOND`: report the sum of two numbers, whenever one changes, as `sum N`
final class SuiteCommands: CommandFamily {
  private let console: Console
  private var opened: AppGroupsSuite?
  private var subscriptions: Set<SignalSubscription> = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "suite":
      let arguments = try command.arguments(2)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[0], directoryHint: .isDirectory))
      opened = try AppGroupsSuite(name: arguments[1], container: container, options: .init(durability: .process))
    case "suite-sealed":
      let arguments = try command.arguments(2)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[0], directoryHint: .isDirectory))
      let seal = FileSeal("1", key: "key 1", seal: TestCipher.seal, open: TestCipher.open)
      opened = try AppGroupsSuite(
        name: arguments[1], container: container, seal: seal, options: .init(durability: .process))
    case "suite-set":
      let arguments = try command.arguments(2)
      try suite().set(arguments[1], forKey: arguments[0])
    case "suite-get":
      return try suite().value(forKey: command.argument(), as: String.self) ?? "nothing"
    case "suite-keys":
      return try "\(suite().keys.count)"
    case "suite-synchronize": try suite().synchronize()
    case "suite-fill":
      let arguments = try command.arguments(2)
      let suite = try suite()
      for number in 0..<(try command.number(arguments[1])) { try suite.set(number, forKey: arguments[0] + "\(number)") }
    case "suite-increment":
      let arguments = try command.arguments(2)
      let counter = try suite().preference(arguments[0], default: 0)
      for _ in 0..<(try command.number(arguments[1])) { try counter.update { $0 += 1 } }
    case "suite-turn":
      let arguments = try command.arguments(3)
      let dials = try suite().preference(arguments[0], default: Dials())
      let dial = arguments[1] == "left" ? dials.lens(\.pair).lens(\.left) : dials.lens(\.pair).lens(\.right)
      for _ in 0..<(try command.number(arguments[2])) { try dial.update { $0 += 1 } }
    case "suite-transfer":
      let arguments = try command.arguments(3)
      try transfer(arguments[0], arguments[1], times: command.number(arguments[2]))
    case "suite-adopt":
      let file = try URL(filePath: command.argument())
      return try suite().adopt(fromMMKV: file, keys: ["theme": String.self]).adopted.joined()
    case "mmkv": try writeMMKV(command.argument())
    case "suite-observe", "suite-changes", "suite-failures", "suite-sums": try observe(command)
    default: return nil
    }
    return ""
  }

  private func transfer(_ first: String, _ second: String, times: Int) throws {
    for _ in 0..<times {
      try suite().update { contents in
        try contents.set((contents.value(forKey: first, as: Int.self) ?? 0) - 1, forKey: first)
        try contents.set((contents.value(forKey: second, as: Int.self) ?? 0) + 1, forKey: second)
      }
    }
  }

  /// Writes a file of MMKV and the one with its checksum.
  private func writeMMKV(_ path: String) throws {
    let records = Data([128, 128, 128, 1, 5] + "theme".utf8 + [5, 4] + "dark".utf8)
    try (Data(count: 4) + records + Data(count: 4076)).write(to: URL(filePath: path))
    let header = Data([207, 53, 173, 175, 4]) + Data(count: 23) + Data([16]) + Data(count: 4067)
    try header.write(to: URL(filePath: path + ".crc"))
  }

  private func observe(_ command: Command) throws {
    let console = console
    let suite = try suite()
    switch command.word {
    case "suite-observe":
      let key = try command.argument()
      suite.signal(forKey: key, as: String.self).sink { console.report("\(key) \($0 ?? "nothing")") }
        .store(in: &subscriptions)
    case "suite-failures":
      suite.failures.sink { console.report("failure \($0)") }.store(in: &subscriptions)
    case "suite-sums":
      let arguments = try command.arguments(2)
      let numbers = arguments.map { suite.preference($0, default: 0) }
      Property.derived(numbers.map(\.property)) { $0.reduce(0, +) }.sink { console.report("sum \($0)") }
        .store(in: &subscriptions)
    default:
      suite.changes.sink { console.report("changes \($0.keys.sorted().joined(separator: ","))") }
        .store(in: &subscriptions)
    }
  }

  private func suite() throws -> AppGroupsSuite {
    guard let opened else { throw CommandError(description: "no suite is open") }
    return opened
  }
}
