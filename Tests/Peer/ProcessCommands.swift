import CLibrary
import Foundation

/// Properties and limits of the process itself.
///
/// - `ping`: nothing but an answer
/// - `pid`: its identifier
/// - `user ID`: become another user permanently, which only root may do
/// - `threads`: the number of threads; Linux only
/// - `limit BYTES`: limit the size of files; 0 for no own limit
/// - `exit CODE`: end
final class ProcessCommands: CommandFamily {
  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "ping": return ""
    case "pid": return "\(getpid())"
    case "user":
      let user = try uid_t(command.number(command.argument()))
      guard setgid(user) == 0, setuid(user) == 0 else {
        throw CommandError(description: String(cString: strerror(errno)))
      }
      return ""
    case "threads": return try "\(FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count)"
    case "limit":
      let bytes = try command.number(command.argument())
      try setSizeLimit(bytes)
      return ""
    case "exit": exit(Int32(try command.number(command.argument())))
    default: return nil
    }
  }

  private func setSizeLimit(_ bytes: Int) throws {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = bytes == 0 ? limit.rlim_max : rlim_t(bytes)
    guard setrlimit(resource, &limit) == 0 else { throw CommandError(description: String(cString: strerror(errno))) }
  }
}
