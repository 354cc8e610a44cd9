import Foundation
import Testing

/// Runs a shell command in a folder, and waits for it to end.
///
/// Does not use Foundation's `Process`, which leaks a little on Linux and so would hide leaks of this package.
func shell(_ command: String, in folder: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let status = system("cd '\(folder.path)' && set -e && { \(command)\n}")
  #expect(status == 0, "\(command)", sourceLocation: sourceLocation)
}
