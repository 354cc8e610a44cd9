import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Tweaks

/// Feature flags that several processes set.
///
/// - `tweaks DIR`: use the flags of the suite in the container DIR from now on
/// - `tweak-defaults SUITE`: use the flags of the user defaults SUITE from now on
/// - `tweak-memory`: use the flags of a provider in memory from now on
/// - `tweak-provide FEATURE VARIABLE N`: set a flag to a number in the provider in memory
/// - `tweak-wrap FEATURE VARIABLE`: report each number of a property wrapper for a flag from now on, as `tweak N`
/// - `tweak-set FEATURE VARIABLE N`: set a flag to a number
/// - `tweak-observe FEATURE VARIABLE`: report each number of a flag from now on, as `tweak N`
/// - `tweak-flip SEED N`: N times, set one of ten flags to the next of this process's own numbers
/// - `tweak-history`: the last number of each flag, and whether the numbers of each process arrived in order
/// - `tweak-order FLAG`: the numbers of a flag in the order of arrival since the previous call
final class TweakCommands: CommandFamily {
  private let console: Console
  private var manager: TweakManager?
  private let memory = EphemeralTweakProvider()
  private var subscriptions: Set<SignalSubscription> = []
  private let isOrdered = MutableProperty(true)
  private let seen = MutableProperty<[String: [Int]]>([:])

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "tweaks":
      let container = try AppGroupsContainer(directory: URL(filePath: command.argument(), directoryHint: .isDirectory))
      let suite = try AppGroupsSuite(name: "tweaks.json", container: container, options: .init(durability: .process))
      let manager = TweakManager(providers: [SuiteTweakProvider(suite: suite)])
      self.manager = manager
      watchOrder(of: manager)
    case "tweak-defaults":
      guard let defaults = UserDefaults(suiteName: try command.argument()) else { return nil }
      manager = TweakManager(providers: [UserDefaultsTweakProvider(userDefaults: defaults)])
    case "tweak-memory": manager = TweakManager(providers: [memory])
    case "tweak-provide":
      let arguments = try command.arguments(3)
      try memory.set(.int(command.number(arguments[2])), feature: arguments[0], variable: arguments[1])
    case "tweak-wrap":
      let arguments = try command.arguments(2)
      let flag = TweakProperty<Int>(feature: arguments[0], variable: arguments[1], tweakManager: try opened())
      flag.projectedValue.sink { [console] in console.write("event tweak \($0)") }.store(in: &subscriptions)
    case "tweak-set":
      let arguments = try command.arguments(3)
      try opened().set(.int(command.number(arguments[2])), feature: arguments[0], variable: arguments[1])
    case "tweak-observe":
      let arguments = try command.arguments(2)
      try opened().signal(feature: arguments[0], variable: arguments[1], as: Int.self)
        .sink { [console] in console.write("event tweak \($0 ?? -1)") }
        .store(in: &subscriptions)
    case "tweak-flip":
      let arguments = try command.arguments(2)
      let seed = try command.number(arguments[0])
      let manager = try opened()
      for number in 1...(try command.number(arguments[1])) {
        let variable = "flag\((number &* 7 &+ seed &* 3 &+ number / 10) % 10)"
        try manager.set(.int(seed * 1_000_000 + number), feature: "torture", variable: variable)
      }
    case "tweak-history":
      let tweaks = try opened().snapshot().tweaks.values.sorted { $0.id < $1.id }
      return tweaks.map { "\($0.variable)=\($0.value)" }.joined(separator: ",")
        + (isOrdered.value ? " ordered" : " broken")
    case "tweak-order":
      let flag = try command.argument()
      let numbers = seen.modify { seen in
        defer { seen[flag] = nil }
        return seen[flag] ?? []
      }
      return numbers.map(String.init).joined(separator: ",")
    default: return nil
    }
    return ""
  }

  /// Each process counts up, so its numbers in one flag may only grow.
  private func watchOrder(of manager: TweakManager) {
    let last = MutableProperty<[String: Int]>([:])
    manager.changes.sink { [isOrdered, seen] change in
      guard let number = change.new.flatMap({ Int(tweakValue: $0) }) else { return }
      seen.modify { $0[change.id.variable, default: []].append(number) }
      let key = "\(change.id) \(number / 1_000_000)"
      let isNewer = last.modify { last in
        defer { last[key] = number }
        return last[key].map { $0 < number } ?? true
      }
      if !isNewer { isOrdered.value = false }
    }
    .store(in: &subscriptions)
  }

  private func opened() throws -> TweakManager {
    guard let manager else { throw CommandError(description: "no flags are open") }
    return manager
  }
}
