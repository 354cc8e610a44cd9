import AppGroups
import FileSignals
import Foundation

/// The directory of a session, and the file with which processes announce changes of the archive.
struct SessionPlace {
  let root: URL
  let bell: AppGroupsFile<Int>
  /// The environments of the scope, or `nil` without a scope.
  let environments: SessionEnvironments?

  /// Opens a directory, and creates it if it is missing.
  init(root: URL, _ configuration: ContextConfiguration) throws(ContextError) {
    // The check needs a path inside the directory, because the directory itself may be the root of an `AppContainer`.
    for url in [root.appending(path: "Files", directoryHint: .isDirectory)] + Self.places(configuration) {
      let switched = try translating(SwitchedRoots.root(switching: url.resolvingSymlinksInPath())) {
        (error: DurableFileError) in
        ContextError.archive(path: url.path, operation: "inspect", reason: "\(error)")
      }
      if let switched { throw .switchedDirectory(path: url.path, root: switched.path) }
    }
    do {
      let container = try AppGroupsContainer(directory: root)
      self.root = container.containerURL
      bell = try AppGroupsFile(name: "revision.json", initialValue: 0, container: container)
      environments = nil
    } catch {
      throw .archive(path: root.path, operation: "open the directory of", reason: "\(error)")
    }
  }

  /// Opens a directory in each environment of a scope, and creates it in the active one.
  init(_ scope: Scope, _ directory: String, _ configuration: ContextConfiguration) throws(ContextError) {
    let top = scope.root.resolvingSymlinksInPath()
    for url in Self.places(configuration) {
      let path = url.resolvingSymlinksInPath().standardizedFileURL.path
      if !path.isPath(below: top.standardizedFileURL.path) { throw .outsideScope(place: url.path, root: top.path) }
    }
    if let secrets = configuration.secrets, !(secrets is FileSecretStore) {
      throw .outsideScope(place: "\(type(of: secrets))", root: top.path)
    }
    root = top.appending(path: directory, directoryHint: .isDirectory)
    do {
      bell = try AppGroupsFile(name: "\(directory).revision.json", initialValue: 0, scope: scope)
      let environments = SessionEnvironments(scope, directory: root)
      try environments.steadily(in: 0) {}
      self.environments = environments
    } catch {
      throw .archive(path: root.path, operation: "open the directory of", reason: "\(error)")
    }
  }

  /// Returns the places that a configuration names.
  private static func places(_ configuration: ContextConfiguration) -> [URL] {
    var places: [URL] = []
    if case .file(let url) = configuration.archiveLocation { places.append(url) }
    if let url = configuration.cacheDirectory { places.append(url) }
    if let secrets = configuration.secrets as? FileSecretStore { places.append(secrets.directory) }
    return places
  }
}
