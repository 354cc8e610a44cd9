import Foundation
import Testing

/// Runs a command of another program's in a folder, and waits for it to end.
///
/// Not with Foundation's `Process`, which leaks a little on Linux and so would hide leaks of ours.
func shell(_ command: String, in folder: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let status = system("cd '\(folder.path)' && set -e && { \(command)\n}")
  #expect(status == 0, "\(command)", sourceLocation: sourceLocation)
}
