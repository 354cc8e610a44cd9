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
          guard case .tweak(let tweak) = resource.details else { continue }
          table.add(
            resource.name, tweak.secret ? "hidden" : resource.value?.description ?? "—", tweak.type, tweak.source,
            tweak.overridden ? "yes" : "")
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
        guard case .tweak(let tweak) = resource.details else { return }
        for answer in tweak.trace {
          print("\(answer.winner ? "→" : " ") \(answer.provider): \(answer.text ?? "none")")
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
        var request = InspectorRequest(.setTweak, try Place.resource(flag, in: inspector.value, [.tweak]).id)
        request.text = value
        try await change(request, inspector, dryRun: dryRun, json: place.json)
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
        let request = InspectorRequest(all ? .resetAllTweaks : .resetTweak, id)
        try await change(request, inspector, dryRun: dryRun, json: place.json)
      }
    }
  }
}
