public import Foundation
public import SignalsKit
public import TokenClient

/// The app without any user interface: it opens everything once, and knows where each thing lies.
///
/// A daemon, a tool that runs once and a test create it in the same way. Each process has its own object, and all
/// objects of one home show the same values, because the values are files.
///
/// ```
/// home/                      this machine      presence
/// └── Environments/          one environment   settings, flags, event log, history
///     └── Session/           one user          notes and draft, in a database of each user
/// ```
///
/// Keep the object as long as the process works with notes. Its properties stay live without it, but the server of
/// tokens is held by this object alone.
public final class NotesApp: Sendable {
  /// The directory of this machine, which no switch touches.
  public let home: AppGroupsContainer
  /// The environments, in a directory of their own, so that a switch leaves the rest of the home alone.
  public let environments: AppContainer
  /// The sessions, one for each environment, with the databases of the users.
  public let sessions: StandardAppContext<Account>
  /// The settings of the active environment.
  public let settings: AppGroupsFile<Settings>
  /// The events of the active environment, which no consumer misses.
  public let log: AppGroupsLog<NoteEvent>
  /// The history of the active environment, which a consumer of the log writes.
  public let history: Database
  /// The flags of the active environment; see ``flags``.
  public let tweaks: TweakManager
  /// The flags as properties, generated from `Notes.tweaks.json`.
  public let flags: NotesFlags
  /// The processes that are present, whatever environment is active.
  public let presence: AppGroupsPresence<String>
  /// The client of the server, which sessions hold weakly.
  public let client: TokenClient

  /// Opens everything below a directory, and creates what is missing.
  ///
  /// - Parameters:
  ///   - home: The directory.
  ///   - server: The address of the server that issues tokens. It is not asked yet.
  ///   - time: The time by which tokens expire. A test passes the time of a test clock.
  /// - Throws: An error of the package that names the file and the remedy.
  public init(home: URL, server: URL, time: SessionTime = .system) throws {
    self.home = try AppGroupsContainer(directory: home)
    // A process that a debugger has stopped delays the others no longer than this.
    self.home.lockTimeout = .seconds(10)
    environments = try AppContainer(
      home: home.appending(path: "Environments"), defaultName: AppContainer.names[0])
    environments.requiresUniqueNames = true
    try environments.createAll()

    // Everything with this scope follows a switch, and all of it in one change.
    let scope = environments.scope
    sessions = try StandardAppContext(scope: scope, storeVersions: .notes, time: time)
    settings = try AppGroupsFile(
      name: "settings.json", initialValue: Settings(), scope: scope, format: Settings.format)
    log = try AppGroupsLog(name: "notes", scope: scope)
    history = try Database(
      .file(environments.home.appending(path: "history.sqlite")), schema: Activity.schema, scope: scope)
    tweaks = try TweakManager(providers: [
      // The first provider that has a flag decides: overrides, then the environment of the process, then the file.
      SuiteTweakProvider(suite: AppGroupsSuite(name: "flags.json", scope: scope)),
      EnvironmentTweakProvider(prefix: "NOTES_FLAG_"),
      FileTweakProvider(url: Bundle.module.bundleURL.appending(path: "Notes.tweaks.json"), isLive: false),
    ])
    flags = NotesFlags(with: tweaks)

    // No scope: a process is present in all environments.
    presence = try AppGroupsPresence(name: "processes", container: self.home)
    client = TokenClient(server: server)
  }

  /// Restores the session of the active environment.
  ///
  /// Call it once, before anything that needs a user. It does not wait for the server: a restored token is trusted
  /// until it expires.
  ///
  /// - Throws: An error of the archive of sessions.
  public func restoreSession() async throws {
    try await sessions.setup(authDelegate: client)
  }
}
