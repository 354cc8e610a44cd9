import Foundation
import Tweaks

/// The tweaks of all files of a group, resolved in the order suites, then files.
struct ReadTweaks {
  /// A file that provides tweaks.
  struct Source {
    let path: String
    let tweaks: [Tweak]
    let isSuite: Bool
  }

  /// The tweaks whose values must not be shown: tweaks that a file encrypts, or whose names suggest a secret.
  static func secrets(_ sources: [Source], _ redaction: InspectorRedaction) -> Set<TweakID> {
    var secrets: Set<TweakID> = []
    for source in sources {
      let hidden = source.tweaks.filter { tweak in
        tweak.isEncrypted || tweak.isSecret || redaction.hides(tweak.variable) || redaction.hides(tweak.feature)
      }
      secrets.formUnion(hidden.map(\.id))
    }
    return secrets
  }

  /// Returns a resource for each tweak.
  static func resources(
    _ sources: [Source], secrets: Set<TweakID>, isWritable: Bool
  ) -> [InspectedResource] {
    let ordered = sources.filter(\.isSuite) + sources.filter { !$0.isSuite }
    guard !ordered.isEmpty else { return [] }
    let manager = TweakManager(providers: ordered.map { ReadTweakProvider($0.tweaks, name: $0.path) })
    let suite = ordered.first.flatMap { $0.isSuite ? $0 : nil }
    var known: [TweakID: Tweak] = [:]
    for source in ordered.reversed() {
      for tweak in source.tweaks where known[tweak.id] == nil || known[tweak.id]?.title == nil {
        known[tweak.id] = tweak
      }
    }
    return known.keys.sorted().compactMap { id in
      guard let tweak = known[id] else { return nil }
      let isOverridden = suite?.tweaks.contains { $0.id == id } ?? false
      return resource(
        tweak, manager.trace(feature: id.feature, variable: id.variable), isSecret: secrets.contains(id),
        isOverridden: isOverridden, isEditable: isWritable && suite != nil)
    }
  }

  private static func resource(
    _ known: Tweak, _ trace: TweakTrace, isSecret: Bool, isOverridden: Bool, isEditable: Bool
  ) -> InspectedResource {
    var effective: Tweak?
    if case .success(let tweak) = trace.result { effective = tweak }
    let shown = effective ?? known
    let answers = trace.answers.enumerated().map { index, answer in
      let isWinner = index == trace.winner
      return switch answer.result {
      case .success(nil): InspectedTweak.Answer(provider: answer.provider, outcome: .absent, winner: isWinner)
      case .success(let tweak?):
        InspectedTweak.Answer(
          provider: answer.provider, outcome: .value, text: isSecret ? Tweak.redacted : tweak.value.description,
          winner: isWinner)
      case .failure(let error):
        InspectedTweak.Answer(
          provider: answer.provider, outcome: .error, text: error.description, winner: isWinner)
      }
    }
    let id = known.id
    let details = InspectedTweak(
      feature: id.feature, variable: id.variable, title: known.title ?? shown.displayTitle,
      details: known.details ?? shown.details, group: known.group ?? TweakPanel.otherGroup,
      type: shown.value.kind.rawValue.lowercased(), source: shown.source ?? "", secret: isSecret,
      overridden: isOverridden, editable: isEditable, trace: answers)
    var resource = InspectedResource(
      id: "tweak/\(TweakInspection.key(of: id))", name: "\(id.feature)/\(id.variable)", .tweak(details))
    if let value = effective?.value, !isSecret { resource.value = InspectedValue(value) }
    resource.version = ReadFile.version(of: Data("\(isSecret ? "" : "\(shown.value)") \(trace.winner ?? -1)".utf8))
    return resource
  }
}

extension InspectedValue {
  /// Creates the value of a tweak.
  init(_ value: TweakValue) {
    self =
      switch value {
      case .bool(let value): .bool(value)
      case .int(let value): .integer(value)
      case .double(let value): InspectedValue(value)
      case .string(let value): .string(value)
      }
  }
}
