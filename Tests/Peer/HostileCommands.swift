import CLibrary
import Foundation

/// A malicious group member that redirects writes of others.
///
/// - `swap-file PATH TARGET`: put a link to TARGET in the place of the file PATH, and then a file, endlessly
/// - `swap-directory PATH TARGET`: put a link to TARGET in the place of the directory PATH, and then the directory
final class HostileCommands: CommandFamily {
  func perform(_ command: Command) throws -> String? {
    guard command.word == "swap-file" || command.word == "swap-directory" else { return nil }
    let arguments = try command.arguments(2)
    let (path, target, isFile) = (arguments[0], arguments[1], command.word == "swap-file")
    Thread {
      let link = "\(path)~link"
      var round = 0
      while true {
        round += 1
        let kept = "\(path)~\(isFile ? 0 : round)"
        symlink(target, link)
        if isFile {
          rename(link, path)
          _ = FileManager.default.createFile(atPath: kept, contents: Data("1\n".utf8))
          rename(kept, path)
        } else {
          // If another process recreates the directory in between, the new one is swapped from then on.
          rename(path, kept)
          rename(link, path)
          unlink(path)
          rename(kept, path)
        }
      }
    }.start()
    return ""
  }
}
