import ArgumentParser
import Foundation
import Inspector
import Panel

/// Serves the panel.
struct PanelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "panel", abstract: "Serves the panel for a browser on this machine, until it is interrupted.")

  @Argument(help: "The directory that the apps share.", completion: .directory) var directory: String
  @Flag(help: "Allow changes.") var write = false
  @Option(help: "The port; by default the port of the last time, or a free one.") var port: UInt16 = 0

  func run() async throws {
    try await Failure.reporting {
      let inspector = try Inspector(directory: URL(filePath: directory), isWritable: write)
      let server = try PanelServer(inspector, port: port)
      try await server.run { url in
        let mode = write ? "" : "The panel is read-only; start it with --write to make changes.\n"
        FileHandle.standardOutput.write(Data("Open \(url.absoluteString)\n\(mode)".utf8))
      }
    }
  }
}
