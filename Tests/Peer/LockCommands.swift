import FileSignals
import Foundation

/// Holds the lock of a file, as an update of this process would.
///
/// - `hold PATH`: take the lock, and answer once it is held
/// - `release`: let it go
/// - `child`: start a process that lives for a minute, as another library would, and tell its number
final class LockCommands: CommandFamily {
  private var file: ExclusiveFile?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "hold": file = try ExclusiveFile(locking: URL(filePath: command.argument()))
    case "release": file = nil
    case "child": return try "\(startChild())"
    default: return nil
    }
    return ""
  }

  /// Not with Foundation's `Process`, which closes what the child should not inherit.
  private func startChild() throws -> pid_t {
    var process: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sleep"), strdup("60"), nil]
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    defer { for word in words { free(word) } }
    let result = posix_spawn(&process, "/bin/sleep", nil, nil, &words, &environment)
    guard result == 0 else { throw CommandError(description: String(cString: strerror(result))) }
    return process
  }
}
