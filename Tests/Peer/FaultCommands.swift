import AppGroups
import Dispatch
import FileSignals
import Foundation
import Signals
import Synchronization
import TestSupport

/// A sealed value under stress: follow it, and change it endlessly.
///
/// - `sealed DIR NAME DURABILITY`: open it; DURABILITY is `process` or `storage`
/// - `sealed-key DIR NAME DURABILITY`: open it in a suite, with the key `sealed`
/// - `follow-sealed`: check each value, and report breaches, as well as each `status …`, `failure …` and `health …`
/// - `expect EPOCH COUNT`: report `reached EPOCH COUNT` when the value matches
/// - `lawful 1`, `lawful 0`: set whether values must not go back
/// - `increase AUTHOR SIZE`: increment endlessly, in values of SIZE bytes; reports `done N` after each, and `refused
///   …`
/// - `replace AUTHOR SIZE START`: write numbers after START endlessly, with the same reports
/// - `halt NUMBER`: end that; reports `halted NUMBER N`, where N is the number of changes
/// - `add AUTHOR`: increment once
final class FaultCommands: CommandFamily {
  private let console: Console
  private var file: AppGroupsFile<Sealed>?
  private var value: (any BlockingSharedValue<Sealed>)?
  private var follower: Follower?
  private var subscriptions: Set<SignalSubscription> = []
  private var work: EndlessWork?

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "sealed", "sealed-key":
      let arguments = try command.arguments(3)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[0], directoryHint: .isDirectory))
      let options = SharedFileOptions(durability: arguments[2] == "storage" ? .storage : .process)
      if command.word == "sealed" {
        file = try AppGroupsFile(name: arguments[1], initialValue: Sealed(), container: container, options: options)
        value = file
      } else {
        let suite = try AppGroupsSuite(name: arguments[1], container: container, options: options)
        value = suite.preference("sealed", default: Sealed())
      }
    case "follow-sealed": try follow()
    case "expect":
      let arguments = try command.arguments(2)
      try follower?.expect(epoch: command.number(arguments[0]), count: command.number(arguments[1]))
    case "lawful": try follower?.setLawful(command.argument() == "1")
    case "increase":
      let arguments = try command.arguments(2)
      let (author, size) = try (arguments[0], command.number(arguments[1]))
      work = EndlessWork(console) { [value = try opened()] _ in
        try value.update(overwriting: false) { $0.increment(by: author, size: size) }
      }
    case "replace":
      let arguments = try command.arguments(3)
      let (author, size, start) = try (arguments[0], command.number(arguments[1]), command.number(arguments[2]))
      work = EndlessWork(console) { [value = try opened()] number in
        try value.write(Sealed(tally: [author: start + number], size: size))
      }
    case "halt":
      try work?.halt(number: command.number(command.argument()))
      work = nil
    case "add":
      let author = try command.argument()
      try opened().update(overwriting: false) { $0.increment(by: author) }
    default: return nil
    }
    return ""
  }

  private func opened() throws -> any BlockingSharedValue<Sealed> {
    guard let value else { throw CommandError(description: "no sealed value is open") }
    return value
  }

  private func follow() throws {
    // The first timer of a process permanently takes a few descriptors, which would look like a leak.
    let isWarm = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { isWarm.signal() }
    isWarm.wait()
    guard let file else { throw CommandError(description: "no sealed file is open") }
    let console = console
    let follower = Follower { console.report($0) }
    self.follower = follower
    file.sink { follower.take($0) }.store(in: &subscriptions)
    file.status.sink { console.report("status \($0)") }.store(in: &subscriptions)
    file.failures.sink { console.report("failure \($0)") }.store(in: &subscriptions)
    file.health.sink { console.report("health \($0)") }.store(in: &subscriptions)
  }
}

/// Work repeated on a separate thread until it is stopped, even if it fails.
private final class EndlessWork: Sendable {
  private let haltNumber = Atomic<Int>(-1)

  init(_ console: Console, _ body: @escaping @Sendable (_ number: Int) throws -> Void) {
    Thread { [self] in
      var count = 0
      while haltNumber.load(ordering: .acquiring) < 0 {
        do {
          try body(count + 1)
          count += 1
          console.report("done \(count)")
        } catch {
          console.report("refused \(error)")
          // A failure is likely to repeat at once; the pause limits the number of reports.
          usleep(2_000)
        }
      }
      console.report("halted \(haltNumber.load(ordering: .acquiring)) \(count)")
    }.start()
  }

  func halt(number: Int) {
    haltNumber.store(number, ordering: .releasing)
  }
}
