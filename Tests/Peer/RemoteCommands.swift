import CLibrary
import Foundation
import Signals
import Tweaks

/// Flags that a server gives, kept in a cache.
///
/// - `remote-write DIR USER N`: with a file mode mask of 0, fetch the number N for a user, with an attribute
/// - `remote-read DIR USER`: the number of that user in the cache, or `nothing`
/// - `remote-loop DIR`: fetch one large answer after another for the anonymous user, from now on
final class RemoteCommands: CommandFamily {
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
    default: return nil
    }
    return ""
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
