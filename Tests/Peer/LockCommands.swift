import FileSignals
import Foundation

/// Holds the lock of a file, as an update of this process would.
///
/// - `hold PATH`: take the lock, and answer once it is held
/// - `release`: let it go
final class LockCommands: CommandFamily {
  private var file: ExclusiveFile?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "hold": file = try ExclusiveFile(locking: URL(filePath: command.argument()))
    case "release": file = nil
    default: return nil
    }
    return ""
  }
}
