import Containers
import Foundation
import Signals

/// A directory that the command `signals` shares with this process.
final class ToolWorld {
  /// The result of a run of the command.
  struct Run {
    let status: Int32
    let output: String
    let errors: String
  }

  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  let app: AppContainer

  init() throws {
    app = try AppContainer(home: folder.appending(path: "home"))
  }

  deinit { do { try FileManager.default.removeItem(at: folder) } catch {} }

  /// The names of the environments, in order.
  var names: [String] { app.environments.value.map(\.name) }

  /// The names of the live files, none if there is not even a folder for them.
  var files: [String] {
    get throws {
      let folder = app.home.appending(path: "Documents").path
      guard FileManager.default.fileExists(atPath: folder) else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }
  }

  /// Writes a live file.
  func write(_ name: String) throws {
    let documents = app.home.appending(path: "Documents")
    try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
    try Data(name.utf8).write(to: documents.appending(path: name))
  }

  /// Runs `signals containers` without a terminal.
  func containers(_ arguments: String...) throws -> Run {
    try Self.signals(["containers"] + arguments + ["--directory", app.home.path])
  }

  /// Runs `signals` without a terminal.
  static func signals(_ arguments: [String]) throws -> Run {
    let process = Process()
    process.executableURL = products.appending(path: "signals")
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    // Its messages are short, so neither pipe is ever full.
    let texts = try [output, errors].map {
      String(decoding: try $0.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
    process.waitUntilExit()
    return Run(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }

  private static var products: URL {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
      return bundle.bundleURL.deletingLastPathComponent()
    #else
      return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
  }
}
