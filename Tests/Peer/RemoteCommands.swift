import CLibrary
import Foundation
import Signals
import Tweaks

/// Flags that a server gives, kept in a cache.
///
/// - `remote-write DIR USER N`: with a file mode mask of 0, fetch the number N for a user, with an attribute
/// - `remote-read DIR USER`: the number of that user in the cache, or `nothing`
/// - `remote-loop DIR`: fetch one large answer after another for the anonymous user, from now on
/// - `remote-share DIR URL USER N`: poll a server every N milliseconds in turn with other processes, and report
///   `value TEXT` and `failure TEXT`; the server is told the user and the process
final class RemoteCommands: CommandFamily {
  private let console: Console
  private var manager: TweakManager?
  private var subscriptions: Set<SignalSubscription> = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "remote-write":
      umask(0)
      let arguments = try command.arguments(3)
      let context = TweakContext(targetingKey: arguments[1], attributes: ["plan": "platinum"])
      let provider = try provider(arguments[0], context: context, numbers: [command.number(arguments[2])])
      try wait { try await provider.refresh() }
    case "remote-read":
      let arguments = try command.arguments(2)
      let context = TweakContext(targetingKey: arguments[1], attributes: ["plan": "platinum"])
      let provider = provider(arguments[0], context: context, numbers: [])
      return try provider.tweak(feature: "f", variable: "v").map { "\($0.value)" } ?? "nothing"
    case "remote-loop":
      let provider = try provider(command.argument(), numbers: 1...1_000_000)
      Task { while true { try await provider.refresh() } }
    case "remote-share": try share(command)
    default: return nil
    }
    return ""
  }

  private func share(_ command: Command) throws {
    let arguments = try command.arguments(4)
    guard let interval = Int(arguments[3]) else { throw CommandError(description: "no number: \(arguments[3])") }
    let directory = URL(filePath: arguments[0], directoryHint: .isDirectory)
    let cache = TweakCache(
      directory: directory.appending(path: "cache"), keyFile: directory.appending(path: "key"), sharesFetches: true)
    let address = "\(arguments[1])?user=\(arguments[2])&process=\(getpid())"
    guard let url = URL(string: address) else { throw CommandError(description: "no address: \(address)") }
    let policy = RemoteTweakPolicy(polling: .milliseconds(interval), pollingJitter: 0, firstDelay: .zero)
    let provider = RemoteTweakProvider(
      context: TweakContext(targetingKey: arguments[2]), cache: cache, policy: policy,
      fetch: HTTPTweakFetcher(url: url).fetch)
    let manager = TweakManager(providers: [provider])
    let key = TweakKey("f", "v", default: "nothing")
    manager.property(for: key).sink { [console] in console.report("value \($0)") }.store(in: &subscriptions)
    provider.failures.sink { [console] in console.report("failure \($0)") }.store(in: &subscriptions)
    self.manager = manager
  }

  private func provider(
    _ directory: String, context: TweakContext = TweakContext(), numbers: some Sequence<Int> & Sendable
  ) -> RemoteTweakProvider {
    let directory = URL(filePath: directory, directoryHint: .isDirectory)
    let cache = TweakCache(
      directory: directory.appending(path: "cache"), keyFile: directory.appending(path: "key"))
    let rest = MutableProperty(Array(numbers.prefix(10_000))[...])
    return RemoteTweakProvider(context: context, cache: cache, policy: .onRequest) { _ in
      let number = rest.modify { $0.popFirst() } ?? 0
      let filler = String(repeating: " ", count: 20_000)
      return .body(Data("{\"f\": {\"v\": {\"Value\": \(number)},\(filler) \"w\": {\"Value\": \(number)}}}".utf8))
    }
  }
}
