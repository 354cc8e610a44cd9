import Foundation
import Testing

/// Runs a command of another program's in a folder, and waits for it to end.
func shell(_ command: String, in folder: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-ec", command]
  process.currentDirectoryURL = folder
  try process.run()
  process.waitUntilExit()
  #expect(process.terminationStatus == 0, "\(command)", sourceLocation: sourceLocation)
}
