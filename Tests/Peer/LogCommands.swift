import AppGroups
import Containers
import Dispatch
import Foundation
import Signals

/// Logs: append to them, and follow them.
///
/// - `log DIR NAME`: use this log from now on; its events are texts
/// - `log-in DIR NAME`: use the log in the scope of the root DIR
/// - `append-tracked N PREFIX`: append `PREFIX 1` and so on, and report for each `appended TEXT UUID` with the
///   environment that was active before and after, or `appended TEXT any` if another one became active in between
/// - `append TEXT`: append an event, and return its producer and sequence
/// - `append-stamps N`: append the present time, in nanoseconds of the monotonic clock, N times, a millisecond apart
/// - `append-loop BATCH BYTES`: append numbered texts of BYTES bytes, BATCH at a time, until `stop-appending`
/// - `append-many N TEXT`: append `TEXT 1`, `TEXT 2` and so on, and return the duration in nanoseconds
/// - `read-log`: read all events without a consumer, and return the number of events and the number of errors
/// - `follow-log CONSUMER`: from the consumer's position on, report each event as
///   `entry NANOSECONDS PRODUCER SEQUENCE TEXT`
/// - `follow-new`: the same from now on, without a position
/// - `consume CONSUMER LAST`: handle events from the consumer's position on, until one with the text LAST, and return
///   all texts, separated by commas
/// - `follow-into CONSUMER PATH`: write each event as a line of a file, as an effect that outlives the process
/// - `follow-until CONSUMER N`: handle each producer's first N events, and never finish the next one
/// - `chain-log INDEX COUNT LAST`: append `CHAIN NUMBER` for each received event with the previous number, up to LAST,
///   if it is the turn of this process, the one with this index of so many
/// - `fork-and-append TEXT`: append an event in a child that this process forks, and wait for it
/// - `trim-log`: remove the events that all consumers have handled
/// - `unfollow`: end all these subscriptions
final class LogCommands: CommandFamily {
  private let console: Console
  private var log: AppGroupsLog<String>?
  private var app: AppContainer?
  private var loop: Loop?
  private var subscriptions: Set<SignalSubscription> = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "log":
      let arguments = try command.arguments(2)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[0], directoryHint: .isDirectory))
      log = try AppGroupsLog(name: arguments[1], container: container, limits: LogLimits(segmentSize: 65_536))
    case "log-in":
      let arguments = try command.arguments(2)
      let app = try openEnvironments(of: URL(filePath: arguments[0], directoryHint: .isDirectory))
      self.app = app
      log = try AppGroupsLog(name: arguments[1], scope: app.scope, limits: LogLimits(segmentSize: 65_536))
    case "append-tracked":
      let arguments = try command.arguments(2)
      guard let app else { throw CommandError(description: "no log in a scope is open") }
      let log = try opened()
      for number in 1...(try command.number(arguments[0])) {
        let text = "\(arguments[1]) \(number)"
        let before = (app.scope.switchCount.value, app.active.value.id)
        try log.append(text)
        let isSteady = before == (app.scope.switchCount.value, app.active.value.id)
        console.report("appended \(text) \(isSteady ? before.1.uuidString : "any")")
      }
    case "append":
      let id = try opened().append(command.argument())
      return "\(id.producer) \(id.sequence)"
    case "trim-log": try opened().trim()
    case "fork-and-append": try forkAndAppend(command.argument())
    case "append-stamps":
      let log = try opened()
      for _ in 0..<(try command.number(command.argument())) {
        try log.append("\(DispatchTime.now().uptimeNanoseconds)")
        usleep(1000)
      }
    case "append-many":
      let arguments = try command.arguments(2)
      let log = try opened()
      let start = DispatchTime.now().uptimeNanoseconds
      for number in 1...(try command.number(arguments[0])) { try log.append("\(arguments[1]) \(number)") }
      return "\(DispatchTime.now().uptimeNanoseconds - start)"
    case "append-loop":
      let arguments = try command.arguments(2)
      let (batch, log) = (try command.number(arguments[0]), try opened())
      let text = String(repeating: "x", count: try command.number(arguments[1]))
      loop = Loop { round in
        try log.append(contentsOf: (0..<batch).map { "\((round - 1) * batch + $0 + 1) \(text)" })
      }
    case "stop-appending":
      guard let loop else { throw CommandError(description: "nothing is running") }
      self.loop = nil
      return "\(try loop.stop())"
    case "read-log":
      let entries = Array(try opened().entries())
      let count = entries.count { if case .success = $0 { true } else { false } }
      return "\(count) \(entries.count - count)"
    case "chain-log":
      let arguments = try command.arguments(3)
      let numbers = try arguments.map { try command.number($0) }
      let log = try opened()
      try log.newEvents().sink { [console] entry in
        let words = entry.event.split(separator: " ").compactMap { Int($0) }
        guard words.count == 2, words[1] < numbers[2], (words[0] + words[1]) % numbers[1] == numbers[0] else { return }
        do { try log.append("\(words[0]) \(words[1] + 1)") } catch { console.report("failure \(error)") }
      }.store(in: &subscriptions)
    case "follow-log": try follow(opened().events(for: command.argument()))
    case "follow-new": try follow(opened().newEvents())
    case "consume":
      let arguments = try command.arguments(2)
      return try consume(opened().events(for: arguments[0]), upTo: arguments[1])
    case "follow-into":
      let arguments = try command.arguments(2)
      let file = FileHandle(fileDescriptor: open(arguments[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600))
      let events = try opened().events(for: arguments[0])
      events.sink { entry in
        file.write(Data("\(entry.producer) \(entry.sequence) \(entry.event)\n".utf8))
      }.store(in: &subscriptions)
    case "follow-until":
      let arguments = try command.arguments(2)
      let last = try command.number(arguments[1])
      try opened().events(for: arguments[0]).sink { entry in
        while entry.sequence > last { pause() }
      }.store(in: &subscriptions)
    case "unfollow": subscriptions = []
    default: return nil
    }
    return ""
  }

  /// Swift hides `fork` because a child can rely on little, but programs exist that call it.
  private func forkAndAppend(_ text: String) throws {
    let log = try opened()
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { throw CommandError(description: "there is no fork") }
    // Sound: this is the C function's type.
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    let child = fork()
    guard child >= 0 else { throw CommandError(description: "could not fork") }
    if child == 0 {
      do {
        try log.append(text)
        _exit(0)
      } catch {
        _exit(1)
      }
    }
    var status: CInt = 0
    guard waitpid(child, &status, 0) == child, status == 0 else {
      throw CommandError(description: "the child ended with \(status)")
    }
  }

  private func consume(_ events: LogEvents<String>, upTo last: String) -> String {
    let texts = MutableProperty<[String]>([])
    let done = DispatchSemaphore(value: 0)
    let subscription = events.sink { entry in
      texts.modify { $0.append(entry.event) }
      if entry.event == last { done.signal() }
    }
    done.wait()
    withExtendedLifetime(subscription) {
      // A position that cannot be saved now is saved by the next attempt.
      _ = try? wait { try await events.saveProgress() }
    }
    return texts.value.joined(separator: ",")
  }

  private func follow(_ events: LogEvents<String>) throws {
    let console = console
    events.failures.sink { console.report("failure \($0)") }.store(in: &subscriptions)
    events.sink { entry in
      console.report("entry \(DispatchTime.now().uptimeNanoseconds) \(entry.producer) \(entry.sequence) \(entry.event)")
    }.store(in: &subscriptions)
  }

  private func opened() throws -> AppGroupsLog<String> {
    guard let log else { throw CommandError(description: "no log is open") }
    return log
  }
}
