import AppGroups
import FileSignals
import Foundation

/// Holds the lock of a file, as an update of this process would.
///
/// - `hold PATH`: take the lock, and answer once it is held
/// - `release`: release it
/// - `lock MODE PATH`: try to acquire the lock of an existing file itself, `exclusive` or `shared`, and answer whether
///   it is held
/// - `unlock`: release that lock
/// - `suspend DIR`, `resume DIR`: suspend and resume this process in a container
/// - `child`: start a process that lives for a minute, as another library would, and return its identifier
final class LockCommands: CommandFamily {
  private var file: ExclusiveFile?
  private var lock: FileLock?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "hold": file = try ExclusiveFile(locking: URL(filePath: command.argument()))
    case "release": file = nil
    case "lock":
      let arguments = try command.arguments(2)
      return "\(try tryLock(URL(filePath: arguments[1]), arguments[0] == "shared" ? .shared : .exclusive))"
    case "unlock": lock?.unlock()
    case "suspend":
      try AppGroupsContainer(directory: URL(filePath: command.argument(), directoryHint: .isDirectory)).suspend()
    case "resume":
      try AppGroupsContainer(directory: URL(filePath: command.argument(), directoryHint: .isDirectory)).resume()
    case "child": return try "\(startChild())"
    default: return nil
    }
    return ""
  }

  private func tryLock(_ url: URL, _ mode: FileLock.Mode) throws -> Bool {
    guard let lock = FileLock(url.path, .existing, of: url) else {
      throw CommandError(description: String(cString: strerror(errno)))
    }
    let isLocked = try lock.tryLock(mode)
    self.lock = consume lock
    return isLocked
  }

  /// Does not use Foundation's `Process`, which closes descriptors that the child should not inherit.
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
