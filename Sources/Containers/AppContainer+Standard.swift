import AppGroups
import Foundation
import Signals

extension AppContainer {
  /// The environments of this app's own directory.
  ///
  /// On Apple's platforms that is the app's sandbox, in which folders that the system holds on to stay where they are
  /// and their contents are switched; an app without one, and a program on other systems, has a directory of its own
  /// name among the user's data: `$XDG_DATA_HOME` or `~/.local/share`. It is opened the first time, and stays open.
  ///
  /// Tests, tools and whoever wants another directory use ``init(home:)``.
  ///
  /// - Throws: ``AppContainerError`` if there is no such directory, or if it cannot hold environments.
  public static var standard: AppContainer {
    get throws(AppContainerError) {
      if let app = opened.app { return app }
      return opened.keep(try AppContainer(standardLayout(), settings: []))
    }
  }

  private static let opened = StandardContainer()

  #if canImport(Darwin)
    static func standardLayout() throws(AppContainerError) -> ContainerLayout {
      let home = URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
      let isSandboxed = home.path.contains("/Containers/")
      guard !isSandboxed else {
        return ContainerLayout(
          root: home.resolvingSymlinksInPath(),
          hidden: SwitchedRoots.recordDirectories[1],
          fixed: ["Documents", "Library", "Library/Application Support", "Library/Caches"],
          // Preferences belong to a service of the system, and are switched as settings.
          permanent: SwitchedRoots.permanentNamesInSandbox
        )
      }
      let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
      let root = home.appending(path: "Library/Application Support").appending(path: name, directoryHint: .isDirectory)
      return ContainerLayout(root: try resolved(root))
    }
  #else
    static func standardLayout() throws(AppContainerError) -> ContainerLayout {
      let name = ProcessInfo.processInfo.processName
      guard let data = AppGroupsContainer.dataHome(ProcessInfo.processInfo.environment) else {
        let reason = "neither XDG_DATA_HOME nor HOME names an absolute path"
        throw .unusableRoot(URL(filePath: name, directoryHint: .isDirectory), reason: reason)
      }
      return ContainerLayout(root: try resolved(data.appending(path: name, directoryHint: .isDirectory)))
    }
  #endif

  /// Makes a directory if need be.
  ///
  /// - Returns: Its place, with symbolic links resolved.
  static func resolved(_ home: URL) throws(AppContainerError) -> URL {
    guard home.isFileURL else { throw .unusableRoot(home, reason: "it is no place in a file system") }
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

/// Keeps the one that was opened first.
private final class StandardContainer: Sendable {
  private let kept = Guarded<AppContainer?>(nil)

  var app: AppContainer? { kept.withLock { $0 } }

  func keep(_ app: AppContainer) -> AppContainer {
    kept.withLock { kept in
      if let kept { return kept }
      kept = app
      return app
    }
  }
}
