import ArgumentParser
import Foundation

/// The command line of the inspector.
@main
struct SignalsTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signals",
    abstract: "Shows and changes the shared state of apps: values, flags, logs, databases and environments.",
    discussion: """
      The directory is the one that the apps share. Give it with --directory, or set SIGNALS_DIRECTORY.

      Exit codes: 0 done, 1 failed, 2 not found, 3 conflict, 4 read-only or not confirmed, 5 timeout or an app
      that did not answer, 64 usage, 130 interrupted.
      """,
    subcommands: [
      ListCommand.self, GetCommand.self, SetCommand.self, UnsetCommand.self, WatchCommand.self,
      ContainersCommand.self, TweaksCommand.self, LogCommand.self, QueueCommand.self, PanelCommand.self,
    ]
  )
}
