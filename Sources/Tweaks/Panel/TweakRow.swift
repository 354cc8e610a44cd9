#if canImport(SwiftUI)
  import Signals
  import SwiftUI

  /// A tweak in a list: its value, what it does, who says so, and what was wrong with what was typed.
  struct TweakRow: View {
    let panel: TweakPanel
    let row: TweakPanel.Row

    /// What is being typed.
    @State private var text = ""
    @State private var problem: String?
    @FocusState private var isTyping: Bool

    var body: some View {
      VStack(alignment: .leading) {
        if let isOn = row.isOn {
          Toggle(row.title, isOn: Binding(get: { isOn }, set: turn))
        } else {
          LabeledContent(row.title) { field }
        }
        if let desc = row.desc { Text(desc).font(.caption) }
        if let problem { Text(problem).font(.caption).foregroundStyle(.red) }
        HStack {
          Text(row.source).font(.caption).foregroundStyle(.secondary)
          if row.isOverridden {
            Button("Reset", action: reset).font(.caption).buttonStyle(.plain)
          }
        }
      }
    }

    /// Where the value is typed, on the usual keyboard, which has a sign and a point for numbers.
    @ViewBuilder private var field: some View {
      if row.isSecret {
        SecureField(row.text, text: $text).focused($isTyping).onSubmit(take)
      } else {
        TextField(row.title, text: $text)
          .focused($isTyping)
          .onSubmit(take)
          .onChange(of: row.text, initial: true) { if !isTyping { text = row.text } }
          .onChange(of: isTyping) { if !isTyping, text != row.text { take() } }
      }
    }

    private func take() {
      attempt { () throws(TweakPanel.EditError) in try panel.edit(row.id, text: text) }
      if row.isSecret { text = "" }
    }

    private func turn(on isOn: Bool) {
      attempt { () throws(TweakPanel.EditError) in try panel.edit(row.id, isOn: isOn) }
    }

    private func reset() {
      attempt { () throws(TweakPanel.EditError) in try panel.reset(row.id) }
      // What was being typed is not to be taken when that ends; the view has the old row still.
      let now = panel.sections.value.lazy.flatMap(\.rows).first { $0.id == row.id }
      text = row.isSecret ? "" : now?.text ?? row.text
    }

    private func attempt(_ action: () throws(TweakPanel.EditError) -> Void) {
      do throws(TweakPanel.EditError) {
        try action()
        problem = nil
      } catch {
        problem = error.description
      }
    }
  }
#endif
