import Foundation
import PackagePlugin

/// A plugin that generates an accessor from the files `*.tweaks.json` of a target when it is built after a change.
@main
struct TweakAccessors: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let module = target as? any SourceModuleTarget else { return [] }
    return try Self.commands(
      target: target.name, files: module.sourceFiles.map(\.url), tool: context.tool(named: Self.tool).url,
      folder: context.pluginWorkDirectoryURL
    )
  }

  fileprivate static let tool = "TweakAccessorGenerator"

  fileprivate static func commands(target: String, files: [URL], tool: URL, folder: URL) -> [Command] {
    let inputs = files.filter { $0.lastPathComponent.hasSuffix(".tweaks.json") }.sorted { $0.path < $1.path }
    guard !inputs.isEmpty else {
      Diagnostics.error("The target \(target) uses the plugin TweakAccessors, but has no *.tweaks.json file")
      return []
    }
    let configuration = files.first { $0.lastPathComponent == "TweakAccessors.json" }
    let name = configuration.flatMap(accessorName) ?? "GeneratedTweakAccessor"
    return [
      .buildCommand(
        displayName: "Generating \(name) for \(target)",
        executable: tool,
        arguments: inputs.flatMap { ["-l", $0.path] } + (configuration.map { ["-c", $0.path] } ?? [])
          + ["-o", folder.path],
        inputFiles: inputs + (configuration.map { [$0] } ?? []),
        outputFiles: ["\(name).swift", "\(name)+Constants.swift"].map { folder.appending(path: $0) }
      )
    ]
  }

  /// Returns the name of the generated files.
  ///
  /// The tool reports other problems of the configuration.
  private static func accessorName(_ file: URL) -> String? {
    struct Configuration: Decodable {
      var accessorName: String?
    }
    guard let contents = FileManager.default.contents(atPath: file.path) else { return nil }
    do {
      return try JSONDecoder().decode(Configuration.self, from: contents).accessorName
    } catch {
      return nil
    }
  }
}

#if canImport(XcodeProjectPlugin)
  import XcodeProjectPlugin

  extension TweakAccessors: XcodeBuildToolPlugin {
    func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
      try Self.commands(
        target: target.displayName, files: target.inputFiles.map(\.url), tool: context.tool(named: Self.tool).url,
        folder: context.pluginWorkDirectoryURL
      )
    }
  }
#endif
