import Signals

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
