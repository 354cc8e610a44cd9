import Foundation

/// The locations of the project's files.
enum Project {
  /// The root of the package.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The modules that samples may import, listed because their objects are linked into each sample.
  static let modules = [
    "Signals", "FileSignals", "StrictJSON", "AppGroups", "Stores", "Containers", "Contexts", "TweakFormat",
    "Requests", "Tweaks", "Cluster", "Inspector", "SignalsKit", "SignalsTesting",
  ]

  /// The folder in which this test was built.
  ///
  /// The build system defines the layout of that folder, and only this type knows it.
  static var products: URL {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
      return bundle.bundleURL.deletingLastPathComponent()
    #else
      return URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    #endif
  }

  /// The object files of the package's modules.
  static func objects() throws -> [String] {
    try modules.flatMap { module in
      let folder = products.appending(path: "\(module).build")
      // Not everything in the folder: the build system leaves the objects of renamed or removed files.
      return try files(below: "Sources/\(module)", endingWith: ".swift").map { source in
        folder.appending(path: "\(URL(filePath: source).lastPathComponent).o").path(percentEncoded: false)
      }
    }
  }

  /// The compiler arguments for the modules, and for the module maps of the C libraries on which they depend.
  static var moduleArguments: [String] {
    let maps = ["CLinux", "CSQLite"].map { root.appending(path: "Sources/\($0)") }
    let folders = [products.appending(path: "Modules")] + maps
    return folders.flatMap { ["-I", $0.path(percentEncoded: false)] }
  }

  /// The text of a file.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The files below a folder with a suffix, as sorted paths relative to the root.
  static func files(below folder: String, endingWith suffix: String) throws -> [String] {
    let url = root.appending(path: folder)
    guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: url.path(percentEncoded: false))
      .filter { $0.hasSuffix(suffix) && !$0.split(separator: "/").contains(".build") }
      .map { "\(folder)/\($0)" }
      .sorted()
  }
}
