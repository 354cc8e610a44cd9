#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The process itself.
///
/// - `ping`: nothing but an answer
/// - `pid`: its number
/// - `user ID`: become another user, for good, which only root may
/// - `exit CODE`: end
final class ProcessCommands: CommandFamily {
  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "ping": return ""
    case "pid": return "\(getpid())"
    case "user":
      let user = try uid_t(command.number(command.argument()))
      guard setgid(user) == 0, setuid(user) == 0 else { throw CommandError(description: String(cString: strerror(errno))) }
      return ""
    case "exit": exit(Int32(try command.number(command.argument())))
    default: return nil
    }
  }
}
