#if canImport(SwiftUI)
  import SwiftUI

  /// A row of a list: the tweak's title and description, its value and provider, and the reason why a change was
  /// refused.
  ///
  /// The provider is a button that shows the values of all providers.
  struct TweakRow: View {
    let panel: TweakPanel
    let row: TweakPanel.Row
    @State private var draft = TweakDraft()
    @State private var showsProviders = false
    @FocusState private var isTyping: Bool

    var body: some View {
      VStack(alignment: .leading) {
        if let isOn = row.isOn {
          Toggle(row.title, isOn: Binding(get: { isOn }, set: turn))
        } else {
          LabeledContent(row.title) { field }
        }
        if let details = row.details { Text(details).font(.caption) }
        if let problem = draft.problem { Text(problem).font(.caption).foregroundStyle(.red) }
        HStack {
          Button(row.source) { showsProviders = !showsProviders }.foregroundStyle(.secondary)
          if row.isOverridden {
            Button("Reset") { draft.reset(row, of: panel) }
          }
        }
        .font(.caption)
        .buttonStyle(.plain)
        if showsProviders {
          ForEach(panel.trace(row.id).lines, id: \.self) { line in
            LabeledContent((line.decides ? "→ " : "") + line.provider) { Text(line.text) }
              .font(.caption)
              .foregroundStyle(.secondary)
          }
        }
      }
    }

    private func turn(on isOn: Bool) {
      draft.turn(row, on: isOn, of: panel)
    }

    /// The field for the value.
    ///
    /// It uses the standard keyboard, because numbers need a sign and a decimal point.
    @ViewBuilder private var field: some View {
      if row.isSecret {
        SecureField(row.text, text: $draft.text).focused($isTyping).onSubmit { draft.take(row, of: panel) }
      } else {
        TextField(row.title, text: $draft.text)
          .focused($isTyping)
          .onSubmit { draft.take(row, of: panel) }
          .onChange(of: row.text, initial: true) { draft.follow(row, isTyping: isTyping) }
          .onChange(of: isTyping) { if !isTyping { draft.leave(row, of: panel) } }
      }
    }
  }
#endif
