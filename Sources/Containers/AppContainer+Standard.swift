import AppGroups
import Foundation
import Signals

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension AppContainer {
  /// The environments of this app's own directory.
  ///
  /// On Apple's platforms the directory is the app's sandbox. The folders that the system owns stay in place, and a
  /// switch moves their contents. Elsewhere, and in an app without a sandbox, it is a directory with the program's name
  /// among the user's data: in `Application Support`, `$XDG_DATA_HOME` or `~/.local/share`. The first access opens it,
  /// and it stays open.
  ///
  /// The standard user defaults and the shared cookies are switched with the files, see ``switchDefaults(_:)`` and
  /// ``switchCookies(of:named:)``. So access it when the app starts, before any code reads them. To leave them alone,
  /// call ``openStandard(switchesSettings:)`` first.
  ///
  /// To choose the directory, in a test or a tool for example, use ``init(home:defaultName:)``.
  ///
  /// - Throws: ``AppContainerError`` if there is no such directory, if it cannot hold environments, or if the settings
  ///   cannot be read and written.
  public static var standard: AppContainer {
    get throws(AppContainerError) {
      if let app = opened.withLock({ $0 }) { return app }
      return try openStandard()
    }
  }

  /// Opens the ``standard`` container, unless it is open already.
  ///
  /// - Parameter switchesSettings: A Boolean value that determines whether the standard user defaults and the shared
  ///   cookies are switched with the files. Settings that are switched already stay so.
  /// - Returns: The container, which stays open.
  /// - Throws: ``AppContainerError`` as ``standard``.
  @discardableResult
  public static func openStandard(switchesSettings: Bool = true) throws(AppContainerError) -> AppContainer {
    // Another object of the same root shares everything with the first one.
    let app = try AppContainer(standardLayout(), settings: [])
    if switchesSettings {
      try app.switchDefaults()
      try app.switchCookies(of: .shared)
    }
    return opened.withLock { first in
      if let first { return first }
      first = app
      return app
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
    return try group(at: home) { () throws(AppGroupsError) in try AppGroupsContainer(directory: home) }.containerURL
  }

  /// Opens a group's directory, and translates the error.
  static func group(
    at place: URL, _ open: () throws(AppGroupsError) -> AppGroupsContainer
  ) throws(AppContainerError) -> AppGroupsContainer {
    do {
      return try open()
    } catch {
      guard case .unusableDirectory(let url, let reason) = error else {
        throw .unusableRoot(place, reason: error.description)
      }
      throw .unusableRoot(url, reason: reason)
    }
  }
}
