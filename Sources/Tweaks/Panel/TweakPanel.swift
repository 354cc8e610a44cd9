public import Signals

/// A model of a panel that shows and changes tweaks, independent of any user interface.
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
/// Show the ``sections``. They follow the manager and the ``search``.
public final class TweakPanel: Sendable {
  /// The tweaks of one group, in the order of their titles.
  public struct Section: Sendable, Hashable {
    /// The name of the group.
    public let group: String

    /// The tweaks.
    public let rows: [Row]
  }

  /// A tweak as the panel shows it.
  public struct Row: Sendable, Hashable {
    /// The name.
    public let id: TweakID

    /// The title.
    public let title: String

    /// The description of the tweak's effect.
    public let details: String?

    /// The kind of the value.
    ///
    /// Editing does not change it.
    public let kind: TweakKind

    /// The value to show or edit; redacted if the tweak is secret.
    public let text: String

    /// The value if it is a Bool and not secret, otherwise `nil`.
    public let isOn: Bool?

    /// The provider of the value.
    public let source: String

    /// A Boolean value that indicates whether the first mutable provider has its own value.
    public let isOverridden: Bool

    /// A Boolean value that indicates whether the value must not be shown.
    public let isSecret: Bool
  }

  /// The group of tweaks that name no group.
  package static let otherGroup = "Other"

  /// The manager of the tweaks.
  package let manager: TweakManager

  /// The text to find in titles, names and descriptions, regardless of case.
  ///
  /// If it is empty, all tweaks are shown.
  public let search = MutableProperty("")

  /// The groups to show, in order, each with its tweaks.
  ///
  /// They follow the manager as long as the panel lives.
  public let sections: Property<[Section]>

  private let following: SignalSubscription

  /// Creates a model of a panel.
  ///
  /// - Parameter manager: The manager, whose providers list the tweaks to show.
  public init(manager: TweakManager) {
    self.manager = manager
    let rows = MutableProperty<[Tweak: Bool]>([:])
    // An update may change no value, such as an override that is equal to the value that it hides.
    following = manager.updateEmitter.sink { [weak manager] _ in
      if let manager { rows.modify { $0 = Self.rows(of: manager) } }
    }
    // This follows the subscription, so that no change is missed in between.
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

  // MARK: Editing

  /// Sets the value of a tweak from a string, without changing its kind.
  ///
  /// - Parameters:
  ///   - id: The tweak.
  ///   - text: The text. An integer is also accepted for a Double.
  /// - Throws: ``TweakError``; then the value is unchanged.
  public func edit(_ id: TweakID, text: String) throws(TweakError) {
    let tweak = try tweak(id)
    let kind = tweak.value.kind
    let value = tweak.isStructured ? TweakJSON(text)?.tweakValue : kind.value(of: text)
    guard let value else { throw .invalidText(tweak.isSecret ? Tweak.redacted : text, kind: kind) }
    try manager.apply([TweakEdit(id, value)])
  }

  /// Sets a Bool tweak to `true` or `false`.
  ///
  /// - Parameters:
  ///   - id: The tweak.
  ///   - isOn: The new value.
  /// - Throws: ``TweakError``, also if the tweak is not a Bool.
  package func edit(_ id: TweakID, isOn: Bool) throws(TweakError) {
    try edit(id, text: isOn ? "true" : "false")
  }

  /// Removes the override of a tweak.
  ///
  /// - Parameter id: The tweak.
  /// - Throws: ``TweakError``.
  public func reset(_ id: TweakID) throws(TweakError) {
    try manager.apply([TweakEdit(id, nil)])
  }

  /// Removes all overrides.
  ///
  /// - Throws: ``TweakError``.
  public func resetAll() throws(TweakError) {
    try manager.apply(manager.overriddenIDs.sorted().map { TweakEdit($0, nil) })
  }

  /// Returns the answers of all providers for a tweak.
  ///
  /// - Parameter id: The tweak.
  /// - Returns: The answers, and the one that decides.
  package func trace(_ id: TweakID) -> TweakTrace {
    manager.trace(feature: id.feature, variable: id.variable)
  }

  private func tweak(_ id: TweakID) throws(TweakError) -> Tweak {
    guard let tweak = manager.snapshot().tweaks[id] else { throw .notFound(id) }
    return tweak
  }
}

/// The text that a person types into a row of a ``TweakPanel``, and the reason why the last one was refused.
///
/// ``TweakList`` keeps one for each of its rows.
package struct TweakDraft: Sendable, Hashable {
  /// The text in the field.
  package var text = ""

  /// The reason why the last change was refused.
  package private(set) var problem: String?

  /// Makes a draft without text.
  package init() {}

  /// Shows the value of a row, unless a person is typing another one.
  ///
  /// A secret is never shown.
  package mutating func follow(_ row: TweakPanel.Row, isTyping: Bool) {
    if !isTyping { text = row.isSecret ? "" : row.text }
  }

  /// Sets the value to the text when the person leaves the field, unless they changed nothing.
  package mutating func leave(_ row: TweakPanel.Row, of panel: TweakPanel) {
    if text != row.text { take(row, of: panel) }
  }

  /// Sets the value to the text.
  package mutating func take(_ row: TweakPanel.Row, of panel: TweakPanel) {
    let text = text
    attempt { () throws(TweakError) in try panel.edit(row.id, text: text) }
    if row.isSecret { self.text = "" }
  }

  /// Sets a Bool tweak to `true` or `false`.
  package mutating func turn(_ row: TweakPanel.Row, on isOn: Bool, of panel: TweakPanel) {
    attempt { () throws(TweakError) in try panel.edit(row.id, isOn: isOn) }
  }

  /// Removes the override, and shows the value that is effective without it.
  package mutating func reset(_ row: TweakPanel.Row, of panel: TweakPanel) {
    attempt { () throws(TweakError) in try panel.reset(row.id) }
    // The given row is older than the reset, and the text that was being typed must not be set afterwards.
    let now = panel.sections.value.lazy.flatMap(\.rows).first { $0.id == row.id }
    follow(now ?? row, isTyping: false)
  }

  private mutating func attempt(_ action: () throws(TweakError) -> Void) {
    do throws(TweakError) {
      try action()
      problem = nil
    } catch {
      problem = error.description
    }
  }
}
