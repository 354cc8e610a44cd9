import ArgumentParser
import Foundation
import Inspector
import Panel
import Signals

/// Shows and maintains logs.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Shows events of a log, trims it, or removes a consumer.",
    subcommands: [Tail.self, Trim.self, RemoveConsumer.self])

  struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the last events.")
    @Argument(help: "The log.") var name: String
    @Option(name: [.customShort("n"), .long], help: "The number of events to begin with.") var limit = 10
    @Flag(name: .shortAndLong, help: "Continue with new events until interrupted.") var follow = false
    @OptionGroup var place: Place

    func run() async throws {
      try await Failure.reporting {
        let inspector = try place.open()
        let id = try Place.resource(name, in: inspector.value, [.log]).id
        var updates = inspector.updates.values.makeAsyncIterator()
        var seen: Swift.Set<String> = []
        let first = try await inspector.events(of: id, limit: limit)
        for event in first { try write(event) }
        seen.formUnion(first.map(\.id))
        guard follow else { return }
        while let update = await updates.next() {
          let added = update.changes.filter { $0.resource == id && $0.operation == .append }.reduce(0) { $0 + $1.count }
          if added == 0 { continue }
          let events = try await inspector.events(of: id, limit: min(1000, added + 100))
          for event in events where !seen.contains(event.id) { try write(event) }
          if added > 1000 { FileHandle.standardError.write(Data("skipped \(added - 1000) events\n".utf8)) }
          seen = Swift.Set(events.map(\.id))
        }
      }
    }

    private func write(_ event: InspectedEvent) throws {
      let line: String
      if place.json {
        line = String(decoding: try PanelJSON.encode(event), as: UTF8.self)
      } else {
        let time = event.at.formatted(.iso8601.time(includingFractionalSeconds: true))
        let value = event.value.map { "\($0)" } ?? "\(event.bytes) bytes"
        line = "\(time)  \(event.process ?? String(event.producer.prefix(8)))  \(event.sequence)  \(value)"
      }
      FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
  }

  struct Trim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Removes the events that all consumers have handled.")
    @Argument(help: "The log.") var name: String
    @Flag(help: "Print what would be done, and change nothing.") var dryRun = false
    @OptionGroup var place: Place

    func run() async throws {
      try await Failure.reporting {
        let inspector = try place.open(writing: true)
        let id = try Place.resource(name, in: inspector.value, [.log]).id
        try await change(.trimLog(id), inspector, dryRun: dryRun, json: place.json)
      }
    }
  }

  struct RemoveConsumer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove-consumer", abstract: "Removes a consumer that will not come back.")
    @Argument(help: "The log.") var name: String
    @Argument(help: "The consumer.") var consumer: String
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Print what would be done, and change nothing.") var dryRun = false
    @OptionGroup var place: Place

    func run() async throws {
      try await Failure.reporting {
        let inspector = try place.open(writing: true)
        let id = try Place.resource(name, in: inspector.value, [.log]).id
        if !dryRun { try Confirmation.ask("Remove the consumer \(consumer) of \(name)?", isGiven: yes) }
        try await change(.removeConsumer(consumer, of: id), inspector, dryRun: dryRun, json: place.json)
      }
    }
  }
}
