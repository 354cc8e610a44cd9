import AppGroups
import CLibrary
import Foundation
import Signals

/// Presences of processes.
///
/// - `presence DIR NAME`: use the presence NAME of the container DIR from now on
/// - `announce VALUE`: announce a value, and return its identifier; `announce-update VALUE`: change the last one
/// - `withdraw`: withdraw the last one; `withdraw-release`: release its token instead
/// - `present`: the known present values
/// - `presence-observe`: report the values from now on, as `present VALUE,VALUE`
/// - `loop-announce`: announce, change and withdraw as fast as possible, until killed
/// - `spawn-sleeper`: start a program that does nothing and outlives this one, and return its identifier
final class PresenceCommands: CommandFamily {
  private let console: Console
  private var presence: AppGroupsPresence<String>?
  private var tokens: [PresenceToken<String>] = []
  private var subscriptions: Set<SignalSubscription> = []
  private var loop: Loop?

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "presence":
      let arguments = try command.arguments(2)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[0], directoryHint: .isDirectory))
      presence = try AppGroupsPresence(name: arguments[1], container: container)
    case "announce":
      tokens.append(try opened().announce(command.argument()))
      return tokens.last?.id.uuidString
    case "announce-update": try tokens.last?.write(command.argument())
    case "withdraw": tokens.popLast()?.withdraw()
    case "withdraw-release": tokens.removeLast()
    case "present": return try Self.words(opened().value)
    case "presence-observe":
      try opened().sink { [console] in console.report("present " + Self.words($0)) }.store(in: &subscriptions)
    case "loop-announce":
      let presence = try opened()
      loop = Loop { round in
        let token = try presence.announce("\(round)")
        try token.write("\(round)!")
        if round % 2 == 0 { token.withdraw() }
      }
    case "spawn-sleeper": return "\(try Self.spawnSleeper())"
    default: return nil
    }
    return ""
  }

  private func opened() throws -> AppGroupsPresence<String> {
    guard let presence else { throw CommandError(description: "no presence is open") }
    return presence
  }

  private static func words(_ present: [PresentProcess<String>]) -> String {
    present.map(\.value).joined(separator: ",")
  }

  private static func spawnSleeper() throws -> pid_t {
    // Closes no descriptors, to reveal inherited ones.
    var process = pid_t()
    var arguments: [UnsafeMutablePointer<CChar>?] = ["/bin/sleep", "600"].map { (text: String) in strdup(text) }
    arguments.append(nil)
    defer { arguments.forEach { free($0) } }
    // Except the tests' own socket, whose end signals the end of this process.
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: CInt in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    let failure = posix_spawn(&process, "/bin/sleep", &actions, nil, arguments, [nil])
    guard failure == 0 else { throw CommandError(description: String(cString: strerror(failure))) }
    return process
  }
}
