public import Foundation
public import Signals

/// The model of a panel in which people see and change tweaks; it knows nothing of any user interface.
///
/// ```swift
/// import Signals
/// import Tweaks
///
/// let manager = TweakManager(providers: [
///   EphemeralTweakProvider(), EphemeralTweakProvider(["shop": ["limit": 10]], name: "Defaults"),
/// ])
/// let panel = TweakPanel(manager: manager)
/// let row = panel.sections.value[0].rows[0]
/// print(row.title, row.text, row.source)  // Prints "shop:limit 10 Defaults"
/// try panel.edit(row.id, text: "20")
/// print(panel.sections.value[0].rows[0].isOverridden)  // Prints "true"
/// ```
///
/// ``sections`` is what to show. It follows the manager and the ``search``.
public final class TweakPanel: Sendable {
  /// Tweaks of one group, in the order of their titles.
  public struct Section: Sendable, Hashable {
    /// The name of the group.
    public let group: String

    /// The tweaks.
    public let rows: [Row]
  }

  /// A tweak as it is shown.
  public struct Row: Sendable, Hashable {
    /// The name.
    public let id: TweakID

    /// What people call it.
    public let title: String

    /// What it does.
    public let details: String?

    /// The kind that the value has, and keeps.
    public let kind: TweakKind

    /// The value, to be shown or edited; nothing of one that is secret.
    public let text: String

    /// Whether it is on, if the value is a Bool.
    public let isOn: Bool?

    /// The provider whose value it is.
    public let source: String

    /// Whether the provider that is written to has a value of its own.
    public let isOverridden: Bool

    /// Whether the value must not be shown.
    public let isSecret: Bool
  }

  /// Why what people typed was not taken.
  public enum EditError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// It is not of the kind that the value has; what is typed for a secret is not repeated.
    case invalidText(String, kind: TweakKind)

    /// There is no such tweak.
    case unknown(TweakID)

    /// It could not be stored.
    case failed(TweakError)

    /// What happened, and what to do.
    public var description: String {
      switch self {
      case .invalidText(let text, .bool): "\(text.debugDescription) is neither true nor false."
      case .invalidText(let text, .int): "\(text.debugDescription) is no whole number."
      case .invalidText(let text, let kind): "\(text.debugDescription) is no \(kind)."
      case .unknown(let id): "There is no tweak \(id)."
      case .failed(let error): error.description
      }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
  }

  /// Where tweaks are put that name no group.
  public static let otherGroup = "Other"

  /// Whose tweaks are shown.
  public let manager: TweakManager

  /// What is looked for, in any case, in titles, names and descriptions; nothing for all tweaks.
  public let search = MutableProperty("")

  /// What to show: groups in order, each with its tweaks; it follows the manager as long as the panel lives.
  public let sections: Property<[Section]>

  private let following: SignalSubscription

  /// Makes the model of a panel.
  ///
  /// - Parameter manager: Whose tweaks are shown: those that its providers know to have.
  public init(manager: TweakManager) {
    self.manager = manager
    let rows = MutableProperty<[Tweak: Bool]>([:])
    // Also what is no change of a value, such as an override that is equal to what it hides.
    following = manager.updates.sink { [weak manager] _ in
      if let manager { rows.modify { $0 = Self.rows(of: manager) } }
    }
    // After the subscription, so that no change falls between.
    rows.modify { $0 = Self.rows(of: manager) }
    sections = .derived(rows, search) { Self.sections(of: $0, matching: $1) }
  }

  private static func rows(of manager: TweakManager) -> [Tweak: Bool] {
    let overrides = manager.overriddenIDs
    return Dictionary(
      uniqueKeysWithValues: manager.snapshot().tweaks.values.map { ($0, overrides.contains($0.id)) }
    )
  }

  private static func sections(of tweaks: [Tweak: Bool], matching search: String) -> [Section] {
    let wanted = search.lowercased()
    var groups: [String: [Row]] = [:]
    for (tweak, isOverridden) in tweaks {
      let texts = [tweak.displayTitle, tweak.feature, tweak.variable, tweak.details ?? ""]
      guard wanted.isEmpty || texts.contains(where: { $0.lowercased().contains(wanted) }) else { continue }
      groups[tweak.group ?? otherGroup, default: []].append(
        Row(
          id: tweak.id, title: tweak.displayTitle, details: tweak.details, kind: tweak.value.kind,
          text: tweak.shownValue, isOn: tweak.isSecret ? nil : tweak.boolValue, source: tweak.source ?? "",
          isOverridden: isOverridden, isSecret: tweak.isSecret
        )
      )
    }
    return groups.keys.sorted().map { group in
      Section(group: group, rows: (groups[group] ?? []).sorted { ($0.title, $0.id) < ($1.title, $1.id) })
    }
  }

  // MARK: What people do

  /// Takes what was typed for a tweak, whose kind stays what it is.
  ///
  /// - Parameters:
  ///   - id: The tweak, wherever it is shown at the moment.
  ///   - text: What was typed. A whole number is taken for a Double, too.
  /// - Throws: ``EditError``; the value is what it was then.
  public func edit(_ id: TweakID, text: String) throws(EditError) {
    let tweak = try tweak(id)
    let kind = tweak.value.kind
    let value: TweakValue? =
      switch kind {
      case .bool: Bool.tweakValue(parsing: text)
      case .int: Int.tweakValue(parsing: text)
      case .double: Double.tweakValue(parsing: text)
      case .string: .string(text)
      }
    guard let value else { throw .invalidText(tweak.isSecret ? Tweak.redacted : text, kind: kind) }
    try apply([TweakEdit(id, value)])
  }

  /// Turns a tweak on or off.
  ///
  /// - Parameters:
  ///   - id: The tweak.
  ///   - isOn: Whether it is to be on.
  /// - Throws: ``EditError``, also if it is none that is on or off.
  public func edit(_ id: TweakID, isOn: Bool) throws(EditError) {
    try edit(id, text: isOn ? "true" : "false")
  }

  /// Removes what was set for a tweak, so that it is what it would be without.
  ///
  /// - Parameter id: The tweak.
  /// - Throws: ``EditError``.
  public func reset(_ id: TweakID) throws(EditError) {
    try apply([TweakEdit(id, nil)])
  }

  /// Removes all that was set.
  ///
  /// - Throws: ``EditError``.
  public func resetAll() throws(EditError) {
    try apply(manager.overriddenIDs.sorted().map { TweakEdit($0, nil) })
  }

  /// What each provider says of a tweak.
  ///
  /// - Parameter id: The tweak.
  /// - Returns: The answers, and which one decides.
  public func trace(_ id: TweakID) -> TweakTrace {
    manager.trace(feature: id.feature, variable: id.variable)
  }

  private func tweak(_ id: TweakID) throws(EditError) -> Tweak {
    guard let tweak = manager.snapshot().tweaks[id] else { throw .unknown(id) }
    return tweak
  }

  private func apply(_ edits: [TweakEdit]) throws(EditError) {
    do throws(TweakError) {
      try manager.apply(edits)
    } catch {
      throw .failed(error)
    }
  }
}

extension TweakManager {
  /// The names of the tweaks that are set in the provider that is written to.
  var overriddenIDs: Set<TweakID> {
    for case let provider as any MutableTweakProvider in providers { return provider.tweakIDs }
    return []
  }
}
