import Benchmark
import Catalog
import Configuration
import Foundation
import Machine
import Signals
import SystemPackage
import Tweaks

/// Reading flags through three providers of which the last one has them, files of 10,000 flags, and changes among as
/// many.
func registerFlags() {
  registerFlagReads()
  registerFlagFiles()
  registerFlagChanges()
}

private let configuration = "swift-configuration"

// MARK: Reading

private func registerFlagReads() {
  measure("flagName", ours) {
    let manager = threeProviders()
    let tally = Tally()
    return { count in
      for _ in 0..<count { tally.add(manager.value(feature: "shopWindow", variable: "limitOfItems", default: 5)) }
    }
  }
  measure("flagName", configuration) {
    let reader = ConfigReader(providers: [
      InMemoryProvider(values: ["other.key": 1]),
      EnvironmentVariablesProvider(environmentVariables: ["SOME_OTHER": "1"]),
      InMemoryProvider(values: ["shopWindow.limitOfItems": 10]),
    ])
    let key: ConfigKey = "shopWindow.limitOfItems"
    let tally = Tally()
    return { count in for _ in 0..<count { tally.add(reader.int(forKey: key, default: 5)) } }
  }
  measure("flagText", ours) {
    let manager = threeProviders()
    let tally = Tally()
    return { count in
      for _ in 0..<count {
        tally.add(manager.value(feature: "shopWindow", variable: "title", default: "").utf8.count)
      }
    }
  }
  measure("flagKey", ours) {
    let manager = threeProviders()
    let key = TweakKey("shopWindow", "limitOfItems", default: 5)
    let tally = Tally()
    return { count in for _ in 0..<count { tally.add(manager[key]) } }
  }
  measure("flagStructure", ours) {
    let manager = threeProviders()
    let key = TweakKey("shopWindow", "layout", default: Layout())
    let tally = Tally()
    return { count in for _ in 0..<count { tally.add(manager[key].columns) } }
  }
  measure("flagWrapper", ours) {
    let settings = Settings(threeProviders())
    let tally = Tally()
    return { count in for _ in 0..<count { tally.add(settings.limit) } }
  }
}

private struct Layout: TweakStructure {
  var columns = 2
  var rows = 3
}

private struct Settings {
  @TweakProperty var limit: Int

  init(_ manager: TweakManager) {
    _limit = TweakProperty(
      wrappedValue: 5, feature: "shopWindow", variable: "limitOfItems", tweakManager: manager
    )
  }
}

private func threeProviders() -> TweakManager {
  let title = ["A text that is", "on the heap"].joined(separator: " ")
  return TweakManager(providers: [
    EphemeralTweakProvider(["other": ["key": 1]]),
    EnvironmentTweakProvider(environment: ["TWEAK_SOME__OTHER": "1"]),
    EphemeralTweakProvider(
      ["shopWindow": ["limitOfItems": 10, "title": .string(title), "layout": #"{"columns":4,"rows":5}"#]],
      name: "Defaults"),
  ])
}

// MARK: Files

private let flagCount = 10_000

/// Of some features, each with a hundred variables, the text of a file; one of the flags can be another one.
private func text(features: Int = flagCount / 100, changing number: Int? = nil) -> Data {
  let features = (0..<features).map { feature in
    let variables = (0..<100).map { variable in
      let value = feature * 100 + variable
      let words = #""Title": "Flag \#(value)", "Description": "What the flag does", "Group": "Group \#(feature)""#
      return #"    "variable\#(variable)": { \#(words), "Value": \#(value == number ? -1 : value) }"#
    }
    return "  \"feature\(feature)\": {\n\(variables.joined(separator: ",\n"))\n  }"
  }
  return Data("{\n\(features.joined(separator: ",\n"))\n}\n".utf8)
}

private func registerFlagFiles() {
  measureTimed("flagLoad", ours) { try loading(text()) }
  measureTimed("flagLoad1000", ours) { try loading(text(features: 10)) }
  measureTimed("flagLoad1000", configuration) {
    let directory = try TemporaryDirectory(isInMemory: true)
    let url = directory.file("flags.json")
    try text(features: 10).write(to: url)
    return { _, stopwatch in
      stopwatch.startMeasurement()
      let provider = try await FileProvider<JSONSnapshot>(filePath: FilePath(url.path))
      stopwatch.stopMeasurement()
      withExtendedLifetime((directory, provider)) {}
    }
  }
  measureTimed("flagReload", ours) {
    let directory = try TemporaryDirectory(isInMemory: true)
    let url = directory.file("flags.json")
    let texts = [text(), text(changing: flagCount / 2)]
    try texts[0].write(to: url)
    let manager = TweakManager(providers: [try FileTweakProvider(url: url)])
    let done = DispatchSemaphore(value: 0)
    let subscriptions = observers(of: manager) { number in if number == flagCount / 2 { done.signal() } }
    done.wait()
    var turn = 0
    return { _, stopwatch in
      turn += 1
      let new = directory.file("new.json")
      try texts[turn % 2].write(to: new)
      stopwatch.startMeasurement()
      rename(new.path, url.path)
      wait(for: done)
      stopwatch.stopMeasurement()
      withExtendedLifetime((directory, subscriptions)) {}
    }
  }
}

private func loading(_ text: Data) throws -> TimedWorkload {
  let directory = try TemporaryDirectory(isInMemory: true)
  let url = directory.file("flags.json")
  try text.write(to: url)
  return { _, stopwatch in
    stopwatch.startMeasurement()
    let provider = try FileTweakProvider(url: url, isLive: false)
    stopwatch.stopMeasurement()
    withExtendedLifetime((directory, provider)) {}
  }
}

/// Waits on the thread that measures.
private func wait(for done: DispatchSemaphore) {
  done.wait()
}

private func observers(of manager: TweakManager, _ body: @escaping @Sendable (Int) -> Void) -> [SignalSubscription] {
  (0..<flagCount).map { number in
    manager.signal(feature: "feature\(number / 100)", variable: "variable\(number % 100)", as: Int.self)
      .sink { _ in body(number) }
  }
}

// MARK: Changes

private func registerFlagChanges() {
  for (contender, isAlone) in [(ours, false), ("\(ours), alone", true)] {
    measure("flagChange", contender) {
      let manager = TweakManager(providers: [EphemeralTweakProvider()])
      let tally = Tally()
      let others = isAlone ? [] : observers(of: manager) { _ in tally.add(-1) }
      let key = TweakKey("feature50", "variable0", default: 0)
      let subscription = manager.signal(for: key).sink { tally.add($0) }
      return { count in
        for value in 0..<count { set(value, for: key, in: manager) }
        withExtendedLifetime((others, subscription)) {}
      }
    }
  }
}

private func set(_ value: Int, for key: TweakKey<Int>, in manager: TweakManager) {
  do { try manager.set(value, for: key) } catch { preconditionFailure("\(error)") }
}
