import Foundation

/// Where things are.
enum Project {
  /// The root of the package.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The modules that samples may import; listed, because their objects are linked into each.
  static let modules = [
    "Signals", "FileSignals", "StrictJSON", "AppGroups", "Stores", "Containers", "Contexts", "TweakFormat", "Tweaks",
    "SignalsKit", "SignalsTesting",
  ]

  /// The folder into which this test was built.
  ///
  /// The layout of that folder is the build system's own affair; only this type knows of it.
  static var products: URL {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
      return bundle.bundleURL.deletingLastPathComponent()
    #else
      return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
  }

  /// The compiler's arguments by which a program finds the package's modules.
  static func linkArguments() throws -> [String] {
    let objects = try modules.flatMap { module in
      let folder = products.appending(path: "\(module).build")
      // Not whatever lies there: the build system leaves the objects of files that have been renamed or removed.
      return try files(below: "Sources/\(module)", endingWith: ".swift").map { source in
        folder.appending(path: "\(URL(filePath: source).lastPathComponent).o").path(percentEncoded: false)
      }
    }
    // Where the modules are, and the maps of the C libraries that they stand on.
    let maps = ["CEpoll", "CSQLite"].map { root.appending(path: "Sources/\($0)") }
    let folders = [products.appending(path: "Modules")] + maps
    return folders.flatMap { ["-I", $0.path(percentEncoded: false)] } + objects
  }

  /// The text of a file.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The files below a folder whose names end so, as paths from the root, sorted.
  static func files(below folder: String, endingWith suffix: String) throws -> [String] {
    let url = root.appending(path: folder)
    guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: url.path(percentEncoded: false))
      .filter { $0.hasSuffix(suffix) && !$0.split(separator: "/").contains(".build") }
      .map { "\(folder)/\($0)" }
      .sorted()
  }
}
