import AppGroups
import FileSignals
import Foundation
import Signals
import TestWorld

/// Everything that a process can open in a container, suspended and resumed.
///
/// - `shared DIR NAME MILLISECONDS`: open everything, and wait at most so long for locks, or 0 for any time
/// - `shared-work SEED`: write at random until `shared-stop`
/// - `shared-step SEED N`: write N times
/// - `shared-stop`: stop writing
/// - `shared-crash N`: kill this process at the Nth step of later suspensions, or at none if N is 0
/// - `shared-suspend`, `shared-resume`: suspend and resume this process
/// - `shared-steps`: the number of steps since `shared-crash`
/// - `shared-report`: the numbers of this process
/// - `shared-present NAMES`: wait until these processes are present, the suspended ones with an asterisk
/// - `shared-converge JSON`: wait until this process has everything, and return the number of duplicates and problems
final class SharedCommands: CommandFamily {
  private var opened: SharedGroup?
  private var counter = StepCounter(0)
  private let threads = DispatchGroup()

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "shared":
      let arguments = try command.arguments(3)
      let limit = try command.number(arguments[2])
      opened = try SharedGroup(
        directory: URL(filePath: arguments[0], directoryHint: .isDirectory), name: arguments[1],
        lockTimeout: limit == 0 ? nil : .milliseconds(limit))
    case "shared-work":
      let (group, seed) = (try group(), UInt64(try command.number(command.argument())))
      for index in 0..<2 {
        DispatchQueue(label: "work").async(group: threads) { group.work(seed: seed + UInt64(index)) }
      }
    case "shared-step":
      let arguments = try command.arguments(2)
      try group().work(seed: UInt64(command.number(arguments[0])), times: command.number(arguments[1]))
    case "shared-stop":
      try group().stop()
      threads.wait()
    case "shared-crash":
      let counter = try StepCounter(command.number(command.argument()))
      self.counter = counter
      Suspensions.shared.onStep { _ in counter.count() }
    case "shared-steps": return "\(counter.steps)"
    case "shared-suspend": try group().container.suspend(within: .seconds(60))
    case "shared-resume": try group().container.resume(within: .seconds(60))
    case "shared-report": return try group().report()
    case "shared-present":
      let (group, names) = (try group(), try command.argument())
      try wait { try await group.wait(forPresent: names) }
    case "shared-converge":
      let group = try group()
      let all = try JSONDecoder().decode(SharedGroup.Tally.self, from: Data(command.argument().utf8))
      let result = MutableProperty("")
      try wait { result.value = try await group.converge(to: all) }
      return result.value
    default: return nil
    }
    return ""
  }

  private func group() throws -> SharedGroup {
    guard let opened else { throw CommandError(description: "no container is open") }
    return opened
  }
}
