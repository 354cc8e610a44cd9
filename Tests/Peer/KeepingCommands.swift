import AppGroups
import Contexts
import Dispatch
import FileSignals
import Foundation
import Signals
import Stores

/// Texts in all places that keep them, for tests of what a power failure leaves.
///
/// DURABILITY is `process` or `storage`, FORMAT is `text` or `json`.
///
/// - `keep-file FORMAT DURABILITY DIR NAME`: open a shared text; `keep-update TEXT`: change it
/// - `kept-file`: the text and its status
/// - `keep-suite DURABILITY DIR NAME`: open a suite; `keep-key KEY TEXT`: set a key; `keep-nothing`: remove all keys
/// - `kept-keys`: the keys with their texts, separated by commas, and the status
/// - `keep-log DURABILITY DIR NAME`: open a log, with segments of 64 KiB; `keep-event TEXT`: append an event;
///   `keep-events N TEXT`: append `TEXT 1`, `TEXT 2` and so on
/// - `kept-events`: the events and `damaged` for errors, separated by commas
/// - `keep-cursor CONSUMER LAST`: handle events until one with the text LAST, and return all, separated by commas
/// - `keep-database DURABILITY PATH`: open a database; `keep-row TEXT`: insert a row
/// - `kept-rows`: the texts of all rows, separated by commas
/// - `keep-secret DIR KEY TEXT`, `kept-secret DIR KEY`: store and read a secret
final class KeepingCommands: CommandFamily {
  private var file: AppGroupsFile<String>?
  private var suite: AppGroupsSuite?
  private var log: AppGroupsLog<String>?
  private var database: Database?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "keep-file":
      let arguments = try command.arguments(4)
      file = try AppGroupsFile(
        name: arguments[3], initialValue: "initial", container: Self.container(arguments[2]),
        format: arguments[0] == "text" ? .text : .json, options: .init(durability: Self.durability(arguments[1])))
    case "keep-update":
      let text = try command.argument()
      try file?.update { $0 = text }
    case "kept-file": return file.map { "\($0.value) \($0.status.value)" }
    case "keep-suite":
      let arguments = try command.arguments(3)
      suite = try AppGroupsSuite(
        name: arguments[2], container: Self.container(arguments[1]),
        options: .init(durability: Self.durability(arguments[0])))
    case "keep-key":
      let arguments = try command.arguments(2)
      try suite?.set(arguments[1], forKey: arguments[0])
    case "keep-nothing": try suite?.removeAll()
    case "kept-keys":
      guard let suite else { return nil }
      let texts = try suite.keys.map { key in try "\(key)=\(suite.value(forKey: key, as: String.self) ?? "nothing")" }
      return "\(texts.joined(separator: ",")) \(suite.status.value)"
    case "keep-database":
      let arguments = try command.arguments(2)
      let database = try Database(.file(URL(filePath: arguments[1])), durability: Self.durability(arguments[0]))
      try database.write { try $0.execute("CREATE TABLE IF NOT EXISTS row (text TEXT NOT NULL)") }
      self.database = database
    case "keep-row":
      let text = try command.argument()
      try database?.write { try $0.execute("INSERT INTO row (text) VALUES (?)", text) }
    case "kept-rows":
      guard let database else { return nil }
      let texts = try database.read { try $0.value("SELECT coalesce(group_concat(text), '') FROM row") }
      guard case .text(let texts) = texts else { return "" }
      return texts
    case "keep-secret":
      let arguments = try command.arguments(3)
      try Self.secrets(arguments[0]).write(Data(arguments[2].utf8), forKey: arguments[1])
    case "kept-secret":
      let arguments = try command.arguments(2)
      return try Self.secrets(arguments[0]).read(forKey: arguments[1]).map { String(decoding: $0, as: UTF8.self) }
        ?? "nothing"
    default: return try performLog(command)
    }
    return ""
  }

  private func performLog(_ command: Command) throws -> String? {
    switch command.word {
    case "keep-log":
      let arguments = try command.arguments(3)
      log = try AppGroupsLog(
        name: arguments[2], container: Self.container(arguments[1]), durability: Self.durability(arguments[0]),
        limits: LogLimits(segmentSize: 65_536))
    case "keep-event": try log?.append(command.argument())
    case "keep-events":
      let arguments = try command.arguments(2)
      for number in 1...(try command.number(arguments[0])) { try log?.append("\(arguments[1]) \(number)") }
    case "kept-events":
      let entries = log.map { Array($0.entries()) } ?? []
      return entries.map { entry in
        switch entry {
        case .success(let entry): entry.event
        case .failure: "damaged"
        }
      }.joined(separator: ",")
    case "keep-cursor":
      let arguments = try command.arguments(2)
      guard let log else { return nil }
      return try Self.consume(log.events(for: arguments[0]), upTo: arguments[1])
    default: return nil
    }
    return ""
  }

  private static func consume(_ events: LogEvents<String>, upTo last: String) -> String {
    let texts = MutableProperty<[String]>([])
    let subscription = MutableProperty<SignalSubscription?>(nil)
    let (isStored, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let failures = events.failures.sink { _ in texts.modify { $0.append("damaged") } }
    subscription.value = events.sink { entry in
      texts.modify { $0.append(entry.event) }
      guard entry.event == last else { return }
      // Later events stay unhandled.
      isStored.wait()
      subscription.value = nil
      isDone.signal()
    }
    isStored.signal()
    isDone.wait()
    withExtendedLifetime(failures) {}
    return texts.value.joined(separator: ",")
  }

  private static func container(_ directory: String) throws -> AppGroupsContainer {
    try AppGroupsContainer(directory: URL(filePath: directory, directoryHint: .isDirectory))
  }

  private static func secrets(_ directory: String) -> FileSecretStore {
    FileSecretStore(directory: URL(filePath: directory, directoryHint: .isDirectory))
  }

  private static func durability(_ word: String) -> Durability {
    word == "storage" ? .storage : .process
  }
}
