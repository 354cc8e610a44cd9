#if canImport(SwiftUI)
  import Foundation
  import Signals
  import SwiftUI

  /// The page of an environment in a list.
  struct EnvironmentPage: View {
    let panel: EnvironmentPanel
    let id: UUID
    @State private var draft = EnvironmentDraft()
    @State private var problem: String?

    /// The action that waits for a confirmation.
    @State private var asked: EnvironmentPanel.Action?

    /// The archive that waits for its place.
    @State private var archive: URL?

    var body: some View {
      List {
        if let problem { Text(problem).foregroundStyle(.red) }
        if let row = panel.row(id) {
          fields(of: row)
          facts(of: row)
          actions(on: row)
        } else {
          Text("The environment was deleted.")
        }
      }
      .navigationTitle(panel.row(id)?.environment.name ?? "")
    }

    private func fields(of row: EnvironmentPanel.Row) -> some View {
      Section("Name and Description") {
        TextField("Name", text: $draft.name)
          .onChange(of: row.environment, initial: true) { draft.follow(row.environment) }
        TextField("Description", text: $draft.description)
        if draft.isChanged {
          Button("Save", action: save)
          Button("Discard Changes") { draft.show(row.environment) }
        }
      }
    }

    private func save() {
      let draft = draft
      $problem.explaining { self.draft.show(try await panel.save(draft, of: id), storedFrom: draft) }
    }

    private func facts(of row: EnvironmentPanel.Row) -> some View {
      Section(row.isActive ? "The Active Environment" : "Environment") {
        if let problem = row.environment.problem { Text(problem).font(.caption).foregroundStyle(.red) }
        ForEach(row.facts { $0.formatted() }, id: \.label) { fact in
          LabeledContent(fact.label) { Text(fact.text).foregroundStyle(.secondary) }
        }
      }
    }

    private func actions(on row: EnvironmentPanel.Row) -> some View {
      Section("Actions") {
        ForEach(row.actions, id: \.self) { action in
          Button(action.rawValue, role: action.isDestructive ? .destructive : nil) {
            if row.question(before: action) == nil {
              $problem.explaining { try await panel.perform(action, on: id) }
            } else {
              asked = action
            }
          }
          .confirmationDialog(
            row.question(before: action) ?? "",
            isPresented: $asked[is: action], titleVisibility: .visible
          ) {
            Button(action.rawValue, role: .destructive) {
              $problem.explaining { try await panel.perform(action, on: id) }
            }
          }
        }
        #if os(macOS) || os(iOS) || os(visionOS)
          Button("Export…") { $problem.explaining { archive = try await panel.export(id) } }
            .fileMover(isPresented: $archive.isPresent, file: archive) { result in
              if case .failure(let error) = result { problem = "\(error)" }
            }
            // A person may also cancel, and then the archive stays where it was made.
            .onChange(of: archive) { old, _ in if let old { panel.discard(old) } }
        #endif
      }
    }
  }

  extension Optional {
    /// A Boolean value that indicates whether there is a value; `false` removes it.
    fileprivate var isPresent: Bool {
      get { self != nil }
      set { if !newValue { self = nil } }
    }
  }

  extension Optional where Wrapped: Equatable {
    /// A Boolean value that indicates whether this is the value; `false` removes it, and no other one.
    fileprivate subscript(is value: Wrapped) -> Bool {
      get { self == value }
      set {
        if newValue { self = value } else if self == value { self = nil }
      }
    }
  }
#endif
