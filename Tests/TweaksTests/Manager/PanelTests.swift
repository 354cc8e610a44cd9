import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("The panel")
struct PanelTests {
  private let manager: TweakManager
  private let panel: TweakPanel

  init() throws {
    let local = try Fixture().local(Example.json)
    manager = TweakManager(providers: [EphemeralTweakProvider(), local])
    manager.decryptionClosure = Example.reversed
    panel = TweakPanel(manager: manager)
  }

  private func row(_ feature: String, _ variable: String) -> TweakPanel.Row? {
    panel.sections.value.flatMap(\.rows).first { $0.id == TweakID(feature: feature, variable: variable) }
  }

  @Test
  func `groups and titles are sorted, and tweaks without a group are listed under Other`() throws {
    #expect(panel.sections.value.map(\.group) == ["General", "UI"])
    #expect(panel.sections.value.map(\.rows.count) == [4, 5])
    #expect(panel.sections.value[1].rows.map(\.title).first == "Display Green View")
    try manager.set(1, feature: "new", variable: "tweak")
    #expect(panel.sections.value.map(\.group) == ["General", "Other", "UI"])
    #expect(row("new", "tweak")?.title == "new:tweak")
  }

  @Test
  func `of two files, the first one's value and title are shown`() throws {
    let first = try Fixture().local(
      #"{"general": {"answer_to_the_universe": {"Title": "A", "Description": "D", "Group": "G", "Value": 43}}}"#
    )
    manager.insert(first)
    #expect(row("general", "answer_to_the_universe")?.title == "A")
    #expect(row("general", "answer_to_the_universe")?.text == "43")
  }

  @Test
  func `a search matches titles, names and descriptions in any case, and edits change the right tweak`() throws {
    panel.search.value = "ULTIMATE"
    #expect(panel.sections.value.map(\.rows.count) == [1])
    panel.search.value = "tap_to"
    let found = try #require(panel.sections.value.first?.rows.first)
    #expect(found.isOn == true)
    try panel.edit(found.id, isOn: false)
    #expect(manager.value(feature: "general", variable: "tap_to_change_color_enabled", default: true) == false)
    panel.search.value = "no such thing"
    #expect(panel.sections.value.isEmpty)
    panel.search.value = ""
    #expect(panel.sections.value.count == 2)
  }

  @Test
  func `a row shows the value of every provider, without secrets, and marks the deciding one`() throws {
    let answer = TweakID(feature: "general", variable: "answer_to_the_universe")
    let providers = manager.providers.map(\.name)
    func lines(_ id: TweakID) -> [String] {
      panel.trace(id).lines.map { "\($0.decides ? "→ " : "")\($0.provider): \($0.text)" }
    }
    #expect(lines(answer) == ["\(providers[0]): none", "→ \(providers[1]): 42"])
    try panel.edit(answer, text: "43")
    #expect(lines(answer) == ["→ \(providers[0]): 43", "\(providers[1]): 42"])
    try panel.reset(answer)
    #expect(lines(answer) == ["\(providers[0]): none", "→ \(providers[1]): 42"])
    let secret = TweakID(feature: "general", variable: "encrypted_answer_to_the_universe")
    #expect(!lines(secret).joined().contains("Definitely") && lines(secret).joined().contains("→"))
    #expect(!lines(secret).joined().contains("Definite"))
  }

  @Test
  func `an edit never changes the type of a value`() throws {
    let text = TweakID(feature: "ui_customization", variable: "label_text")
    let number = TweakID(feature: "general", variable: "answer_to_the_universe")
    let alpha = TweakID(feature: "ui_customization", variable: "red_view_alpha_component")
    for typed in ["42", "1.", "007", "true", ""] {
      try panel.edit(text, text: typed)
      #expect(try manager.requiredTweak(feature: text.feature, variable: text.variable).value == .string(typed))
    }
    try panel.edit(number, text: "-7")
    #expect(manager.value(feature: number.feature, variable: number.variable, default: 0) == -7)
    for typed in ["1.5", "abc", "", "99999999999999999999"] {
      #expect(throws: TweakError.invalidText(typed, kind: .int)) { try panel.edit(number, text: typed) }
    }
    try panel.edit(alpha, text: "-0.5")
    #expect(try manager.requiredTweak(feature: alpha.feature, variable: alpha.variable).value == -0.5)
    try panel.edit(alpha, text: "2")
    #expect(try manager.requiredTweak(feature: alpha.feature, variable: alpha.variable).value == 2.0)
    #expect(throws: TweakError.invalidText("nan", kind: .double)) { try panel.edit(alpha, text: "nan") }
    #expect(throws: TweakError.notFound(TweakID(feature: "x", variable: "y"))) {
      try panel.edit(TweakID(feature: "x", variable: "y"), text: "1")
    }
  }

  @Test
  func `an override is marked even if it is equal, and can be reset alone or with all others`() throws {
    let id = TweakID(feature: "general", variable: "answer_to_the_universe")
    #expect(row(id.feature, id.variable)?.isOverridden == false)
    try panel.edit(id, text: "42")
    #expect(row(id.feature, id.variable)?.isOverridden == true)
    #expect(row(id.feature, id.variable)?.source == "EphemeralTweakProvider")
    try panel.edit(TweakID(feature: "ui_customization", variable: "label_text"), text: "x")
    try panel.reset(id)
    #expect(row(id.feature, id.variable)?.isOverridden == false)
    #expect(row("ui_customization", "label_text")?.isOverridden == true)
    try panel.resetAll()
    #expect(row("ui_customization", "label_text")?.text == "Test value")
    #expect(panel.trace(id).answers.count == 2)
  }

  @Test
  func `tweaks whose joined names are equal have separate rows, and rows follow changes`() throws {
    try manager.set(1, feature: "a-b", variable: "c")
    try manager.set(2, feature: "a", variable: "b-c")
    #expect(row("a-b", "c")?.text == "1")
    #expect(row("a", "b-c")?.text == "2")
    let seen = panel.sections.recorded()
    try manager.set(3, feature: "a", variable: "b-c")
    #expect(seen.elements.count == 2)
    #expect(row("a", "b-c")?.text == "3")
  }

  @Test
  func `a secret is redacted`() {
    let secret = row("general", "encrypted_answer_to_the_universe")
    #expect(secret?.isSecret == true)
    #expect(secret?.text == "<redacted>")
  }
}
