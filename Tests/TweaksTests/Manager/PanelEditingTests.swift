import Signals
import TestSupport
import Testing
import Tweaks

@Suite("Editing in the panel")
struct PanelEditingTests {
  private let manager: TweakManager
  private let panel: TweakPanel
  private let answer = TweakID(feature: "general", variable: "answer_to_the_universe")
  private let secret = TweakID(feature: "general", variable: "encrypted_answer_to_the_universe")
  private let flag = TweakID(feature: "general", variable: "tap_to_change_color_enabled")

  init() throws {
    manager = TweakManager(providers: [EphemeralTweakProvider(), try Fixture().local(Example.json)])
    manager.decryptionClosure = Example.reversed
    panel = TweakPanel(manager: manager)
  }

  private func row(_ id: TweakID) throws -> TweakPanel.Row {
    try #require(panel.sections.value.flatMap(\.rows).first { $0.id == id })
  }

  @Test
  func `a field shows the value, keeps a draft while typing, and sets it when editing ends`() throws {
    var draft = TweakDraft()
    draft.follow(try row(answer), isTyping: false)
    #expect(draft.text == "42")
    draft.text = "7"
    try manager.set(8, feature: answer.feature, variable: answer.variable)
    draft.follow(try row(answer), isTyping: true)
    #expect(draft.text == "7")
    draft.leave(try row(answer), of: panel)
    #expect(try row(answer).text == "7")
    #expect(draft.problem == nil)
  }

  @Test
  func `a field left unchanged sets nothing`() throws {
    var draft = TweakDraft()
    draft.follow(try row(answer), isTyping: false)
    draft.leave(try row(answer), of: panel)
    #expect(try !row(answer).isOverridden)
  }

  @Test
  func `a rejected text stays in the field with the reason, which disappears with the next valid text`()
    throws
  {
    var draft = TweakDraft()
    draft.text = "seven"
    draft.take(try row(answer), of: panel)
    #expect(draft.problem == #""seven" is not an Int. Enter a whole number."#)
    #expect(draft.text == "seven")
    #expect(try row(answer).text == "42")
    draft.text = "7"
    draft.take(try row(answer), of: panel)
    #expect(draft.problem == nil)
  }

  @Test
  func `a reset shows the value without the override, and discards the draft`() throws {
    try panel.edit(answer, text: "7")
    let old = try row(answer)
    var draft = TweakDraft()
    draft.follow(old, isTyping: false)
    draft.text = "8"
    draft.reset(old, of: panel)
    #expect(draft.text == "42")
    draft.leave(try row(answer), of: panel)
    #expect(try row(answer).text == "42")
    #expect(try !row(answer).isOverridden)
  }

  @Test
  func `a secret is set without being shown, and its field is empty afterwards`() throws {
    var draft = TweakDraft()
    draft.follow(try row(secret), isTyping: false)
    #expect(draft.text.isEmpty)
    draft.text = "hunter2"
    draft.take(try row(secret), of: panel)
    #expect(draft.text.isEmpty)
    #expect(try row(secret).text == Tweak.redacted)
    #expect(try manager.value(feature: secret.feature, variable: secret.variable) == "hunter2")
    draft.reset(try row(secret), of: panel)
    #expect(draft.text.isEmpty)
    #expect(try manager.value(feature: secret.feature, variable: secret.variable) == "Definitely not 42")
  }

  @Test
  func `a switch sets a Bool, and is rejected for other types`() throws {
    var draft = TweakDraft()
    draft.turn(try row(flag), on: false, of: panel)
    #expect(try row(flag).isOn == false)
    draft.turn(try row(flag), on: true, of: panel)
    #expect(try row(flag).isOn == true)
    draft.turn(try row(answer), on: true, of: panel)
    #expect(draft.problem == #""true" is not an Int. Enter a whole number."#)
    #expect(try row(answer).isOn == nil)
  }

  @Test
  func `without a writable provider, an edit fails with the reason, and there is nothing to reset`() throws {
    let manager = TweakManager(providers: [try Fixture().local(Example.json)])
    let panel = TweakPanel(manager: manager)
    #expect(throws: TweakError.readOnly(answer)) { try panel.edit(answer, text: "7") }
    var draft = TweakDraft()
    draft.text = "7"
    draft.take(try row(answer), of: panel)
    #expect(draft.problem?.contains("no provider is mutable") == true)
    #expect(panel.sections.value.flatMap(\.rows).allSatisfy { !$0.isOverridden })
    try panel.resetAll()
  }

  @Test
  func `a manager does not retain a panel`() throws {
    weak var gone: TweakPanel?
    do {
      let other = TweakPanel(manager: manager)
      gone = other
      try manager.set(1, feature: "new", variable: "tweak")
      #expect(other.sections.value.flatMap(\.rows).count == 10)
    }
    #expect(gone == nil)
    try manager.set(2, feature: "new", variable: "tweak")
  }
}
