public import Foundation
public import SignalsKit

/// A build that a worker is to make.
public struct Build: Codable, Sendable {
  /// The number of the build.
  public var number: Int
  /// The time that it takes, in milliseconds.
  public var effort: Int

  /// Creates a build.
  public init(number: Int, effort: Int) {
    (self.number, self.effort) = (number, effort)
  }
}

/// The result of a build.
public struct Artifact: StoreModel, Equatable {
  /// The table.
  public static let table = TableSpec("artifact", indexes: ["build"])
  /// The number of the artifact, which the database assigns.
  public var id: Int64?
  /// The number of the build.
  public var build: Int
  /// The attempt that made it.
  public var attempt: Int
}

/// The importance of a line of output.
public enum LogLevel: Int, Codable, Sendable {
  case debug, info, error
}

/// The settings of the farm, which can be changed while it runs.
public struct FarmSettings: Codable, Sendable, Equatable {
  /// The number of processes that work.
  public var workers = 2
  /// The number of builds that each of them makes at the same time.
  public var width = 2
  /// The least important lines that are printed.
  public var level = LogLevel.info

  /// Creates the settings of a new farm.
  public init() {}
}

/// The farm without any user interface: the daemon, its workers and the tool open it in the same way.
///
/// Each environment has builds and artifacts of its own. A switch leaves the builds of the old environment in its
/// queue, and the workers continue with those of the new one.
public final class Farm: Sendable {
  /// The directory that is the same for all environments.
  public let home: AppGroupsContainer
  /// The environments, each with builds of its own.
  public let environments: AppContainer
  /// The settings of all environments.
  public let settings: AppGroupsFile<FarmSettings>
  /// The database of the active environment.
  public let database: Database
  /// The builds of the active environment.
  public let builds: WorkQueue<Build>

  /// Opens the farm in a directory, and creates what is missing.
  ///
  /// - Parameter home: The directory.
  /// - Throws: An error that names the file and the remedy.
  public init(home: URL) throws {
    self.home = try AppGroupsContainer(directory: home)
    settings = try AppGroupsFile(name: "farm.json", initialValue: FarmSettings(), container: self.home)
    environments = try AppContainer(home: home.appending(path: "Environments"))
    database = try Database(
      .file(environments.home.appending(path: "farm.sqlite")), schema: Schema(version: 1, models: [Artifact.self]),
      busyTimeout: .seconds(30), scope: environments.scope)
    builds = WorkQueue("builds", in: database, claimLimit: .seconds(30))
  }

  /// Prints a line, if its level is one that the settings ask for at this moment.
  ///
  /// - Parameters:
  ///   - level: The importance of the line.
  ///   - text: The line.
  public func log(_ level: LogLevel, _ text: @autoclosure () -> String) {
    // A read takes nanoseconds, so a line that is not printed costs nothing.
    guard level.rawValue >= settings.value.level.rawValue else { return }
    FileHandle.standardError.write(Data("\(level): \(text())\n".utf8))
  }

  /// Adds builds, all or none.
  ///
  /// - Parameters:
  ///   - count: The number of builds.
  ///   - effort: The time that each takes, in milliseconds.
  /// - Throws: An error of the database.
  public func add(_ count: Int, effort: Int) throws {
    try database.write { transaction in
      for number in 1...count { try builds.add(Build(number: number, effort: effort), in: transaction) }
    }
  }

  /// Makes builds until the task is cancelled.
  ///
  /// - Parameter began: Called when a build begins.
  /// - Throws: An error of the database, or `CancellationError` when the task is cancelled.
  public func work(_ began: @escaping @Sendable (ClaimedJob<Build>) -> Void = { _ in }) async throws {
    try await builds.work(upTo: settings.value.width) { [self] build in
      began(build)
      log(.debug, "build \(build.value.number) begins, attempt \(build.attempt)")
      try await Task.sleep(for: .milliseconds(build.value.effort))
      try await build.finish { transaction in
        try transaction.put(Artifact(build: build.value.number, attempt: build.attempt))
      }
    }
  }
}
