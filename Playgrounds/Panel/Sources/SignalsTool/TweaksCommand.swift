import ArgumentParser
import Foundation
import Inspector

/// Shows and overrides flags.
struct TweaksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tweaks", abstract: "Lists, traces, overrides and encrypts feature flags.",
    subcommands: [List.self, Get.self, Set.self, Reset.self, Encrypt.self, Decrypt.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the flags with their values.")
    @OptionGroup var place: Place

    func run() async throws {
      try await Failure.reporting {
        let tweaks = try place.open().value.resources(.tweak)
        if place.json { return try Place.printJSON(tweaks) }
        var table = Table("FLAG", "VALUE", "TYPE", "SOURCE", "OVERRIDDEN")
        for resource in tweaks {
          let tweak = resource.details
          table.add(
            resource.name, tweak["secret"] == true ? "hidden" : resource.value?.description ?? "—", tweak.text("type"),
            tweak.text("source"), tweak["overridden"] == true ? "yes" : "")
        }
        table.print()
      }
    }
  }

  struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows the answers of all providers for a flag.")
    @Argument(help: "The flag, such as shop/limit.") var flag: String
    @OptionGroup var place: Place

    func run() async throws {
      try await Failure.reporting {
        let resource = try Place.resource(flag, in: place.open().value, [.tweak])
        if place.json { return try Place.printJSON(resource) }
        for answer in resource.details["trace"]?.array ?? [] {
          let mark = answer["winner"] == true ? "→" : " "
          print("\(mark) \(answer.text("provider")): \(answer["text"]?.string ?? "none")")
        }
      }
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Overrides a flag with a value of its type.")
    @Argument(help: "The flag, such as shop/limit.") var flag: String
    @Argument(help: "The value.") var value: String
    @Flag(help: "Print what would be done, and change nothing.") var dryRun = false
    @OptionGroup var place: Place

    func run() async throws {
      try await Failure.reporting {
        let inspector = try place.open(writing: true)
        let id = try Place.resource(flag, in: inspector.value, [.tweak]).id
        try await change(.setTweak(id, to: value), inspector, dryRun: dryRun, json: place.json)
      }
    }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Removes the override of a flag, or of all flags.")
    @Argument(help: "The flag, such as shop/limit.") var flag: String?
    @Flag(help: "Remove all overrides.") var all = false
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Print what would be done, and change nothing.") var dryRun = false
    @OptionGroup var place: Place

    func validate() throws {
      if (flag == nil) != all { throw ValidationError("Give a flag, or --all.") }
    }

    func run() async throws {
      try await Failure.reporting {
        let inspector = try place.open(writing: true)
        if all, !dryRun { try Confirmation.ask("Remove the overrides of all flags?", isGiven: yes) }
        let id = try flag.map { try Place.resource($0, in: inspector.value, [.tweak]).id }
        try await change(id.map { .resetTweak($0) } ?? .resetAllTweaks, inspector, dryRun: dryRun, json: place.json)
      }
    }
  }
}
