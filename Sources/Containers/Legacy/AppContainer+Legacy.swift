import Foundation

extension AppContainer {
  /// Takes over the environments of the library AppContainer, if the root has any.
  ///
  /// Call it at each launch, directly after opening the container and before any switch. Without such environments, it
  /// takes one access to the file system.
  ///
  /// - **Files.** Every file is kept. The files of the active environment stay where they are. If a path is taken, the
  ///   other file is put into `.containers/aside`.
  /// - **Records.** Identifiers, names, descriptions, dates and counts are kept. So are the preferences of environments
  ///   in an app's sandbox.
  /// - **Interruptions.** If the process ends during the call, the next call continues.
  /// - **Live values.** Open them afterwards, because the active environment may get more files.
  ///
  /// - Returns: A Boolean value that indicates whether there were any.
  /// - Throws: ``AppContainerError/unreadableState(_:reason:)`` if the active environment is unknown,
  ///   ``AppContainerError/blocked(_:reason:)`` if environments have been switched already, or another
  ///   ``AppContainerError``. No file is lost.
  @discardableResult
  public func adoptLegacyContainers() throws(AppContainerError) -> Bool {
    try engine.exclusively("adoptLegacyContainers") { try $0.adoptLegacyContainers() }
  }
}
