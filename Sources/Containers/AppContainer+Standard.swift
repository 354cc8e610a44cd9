import AppGroups
import Foundation
import Signals

extension AppContainer {
  /// The environments of this app's own directory.
  ///
  /// On Apple's platforms the directory is the app's sandbox. The folders that the system owns stay in place, and a
  /// switch moves their contents. Elsewhere, and in an app without a sandbox, it is a directory with the program's name
  /// among the user's data: in `Application Support`, `$XDG_DATA_HOME` or `~/.local/share`. The first access opens it,
  /// and it stays open.
  ///
  /// To choose the directory, in a test or a tool for example, use ``init(home:defaultName:)``.
  ///
  /// - Throws: ``AppContainerError`` if there is no such directory, or if it cannot hold environments.
  public static var standard: AppContainer {
    get throws(AppContainerError) {
      if let app = opened.withLock({ $0 }) { return app }
      let made = try AppContainer(standardLayout(), settings: [])
      return opened.withLock { first in
        first = first ?? made
        return first ?? made
      }
    }
  }

  /// Retains the container that was opened first.
  private static let opened = Guarded<AppContainer?>(nil)

  #if canImport(Darwin)
    static func standardLayout() throws(AppContainerError) -> ContainerLayout {
      let home = URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
      let isSandboxed = home.path.contains("/Containers/")
      guard !isSandboxed else {
        return .sandbox(home.resolvingSymlinksInPath())
      }
      let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
      let root = home.appending(path: "Library/Application Support").appending(path: name, directoryHint: .isDirectory)
      return ContainerLayout(root: try resolved(root))
    }
  #else
    static func standardLayout() throws(AppContainerError) -> ContainerLayout {
      let name = ProcessInfo.processInfo.processName
      guard let data = AppGroupsContainer.dataHome(ProcessInfo.processInfo.environment) else {
        let reason = "neither XDG_DATA_HOME nor HOME is an absolute path"
        throw .unusableRoot(URL(filePath: name, directoryHint: .isDirectory), reason: reason)
      }
      return ContainerLayout(root: try resolved(data.appending(path: name, directoryHint: .isDirectory)))
    }
  #endif

  /// Creates a directory if it is missing.
  ///
  /// - Returns: Its URL, with symbolic links resolved.
  static func resolved(_ home: URL) throws(AppContainerError) -> URL {
    guard home.isFileURL else { throw .unusableRoot(home, reason: "it is not a file URL") }
    do {
      return try AppGroupsContainer(directory: home).containerURL
    } catch {
      guard case .unusableDirectory(let url, let reason) = error else {
        throw .unusableRoot(home, reason: error.description)
      }
      throw .unusableRoot(url, reason: reason)
    }
  }
}
