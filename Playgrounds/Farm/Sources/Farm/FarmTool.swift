import ArgumentParser
import FarmKit
import Foundation
import SignalsKit

/// The farm: a daemon with workers, and commands that work on the same files.
@main
struct FarmTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "farm", abstract: "Shares builds between workers.",
    discussion: "Exit codes: 0 done, 1 failed, 64 usage, 75 try again later.",
    subcommands: [Serve.self, Work.self, Add.self, Status.self, Switch.self, Configure.self])
}

/// The place of the farm.
struct Place: ParsableArguments {
  @Option(help: "The directory of the farm.") var home = "farm"

  /// Opens the farm, and runs a closure with it.
  func run(_ body: (Farm) async throws -> Void) async throws {
    do {
      try await body(Farm(home: URL(filePath: home, directoryHint: .isDirectory)))
    } catch {
      FileHandle.standardError.write(Data("error: \(error.localizedDescription)\n".utf8))
      throw ExitCode(Self.code(for: error))
    }
  }

  /// A script can tell a busy farm, for which it tries again, from a failure.
  private static func code(for error: any Error) -> Int32 {
    switch error {
    case DatabaseError.busy, DatabaseError.suspended, AppContainerError.suspended: 75
    default: 1
    }
  }
}

struct Work: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Makes builds until it is asked to end.")
  @OptionGroup var place: Place
  @Flag(help: "Print each build that begins, with the time.") var verbose = false

  func run() async throws {
    try await place.run { farm in
      let work = Task {
        try await farm.work { [verbose] build in
          guard verbose else { return }
          let line = "began \(build.value.number) \(build.attempt) \(Date().timeIntervalSince1970)\n"
          FileHandle.standardOutput.write(Data(line.utf8))
        }
      }
      // The builds that have not ended by then go back to the queue.
      let end = try ProcessSignals([.terminate, .interrupt]).sink { _ in work.cancel() }
      defer { end.cancel() }
      do { try await work.value } catch is CancellationError {}
    }
  }
}

struct Add: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Adds builds.")
  @OptionGroup var place: Place
  @Argument(help: "The number of builds.") var count: Int
  @Option(help: "The time that each takes, in milliseconds.") var effort = 100

  func run() async throws {
    try await place.run { try $0.add(count, effort: effort) }
  }
}

struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Shows the number of builds in each state.")
  @OptionGroup var place: Place
  @Flag(help: "Continue with each change, until no build is left.") var follow = false

  func run() async throws {
    try await place.run { farm in
      for await counts in farm.builds.counts.values {
        print("\(farm.environments.active.value.name): \(counts)")
        if !follow || counts.unfinished == 0 { break }
      }
    }
  }
}

struct Switch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Activates an environment, which is created if necessary.")
  @OptionGroup var place: Place
  @Argument(help: "The name of the environment.") var name: String

  func run() async throws {
    try await place.run { farm in
      try farm.environments.activate(farm.environments.createIfMissing(name: name))
    }
  }
}

struct Configure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Changes the settings of a running farm.")
  @OptionGroup var place: Place
  @Option(help: "The number of processes that work.") var workers: Int?
  @Option(help: "The number of builds that each makes at the same time, from its next start.") var width: Int?
  @Flag(help: "Print each build that begins.") var debug = false

  func run() async throws {
    try await place.run { farm in
      try farm.settings.update { settings in
        if let workers { settings.workers = workers }
        if let width { settings.width = width }
        settings.level = debug ? .debug : .info
      }
    }
  }
}
