#if canImport(SwiftUI)
  import Foundation
  import Signals
  public import SwiftUI
  #if os(macOS) || os(iOS) || os(visionOS)
    import UniformTypeIdentifiers
  #endif

  /// A list in which people create, import and reset the environments of an app, with a page for each of them.
  ///
  /// On the page of an environment, people change its name and description, see its identifier, dates and number of
  /// activations, and activate, clone, clean, delete and export it. What removes files is confirmed first.
  ///
  /// The list follows ``AppContainer/environments`` and ``AppContainer/active``, also when another process changes them.
  /// Changes run on another thread, because they may wait for other processes. Put the list into a `NavigationStack`,
  /// which shows its title and its pages.
  ///
  /// <!-- not compiled -->
  ///
  /// ```swift
  /// NavigationStack { EnvironmentList(container: container) }
  /// ```
  ///
  /// In UIKit and AppKit, host the stack:
  ///
  /// <!-- not compiled -->
  ///
  /// ```swift
  /// UIHostingController(rootView: NavigationStack { EnvironmentList(container: container) })
  /// NSHostingController(rootView: NavigationStack { EnvironmentList(container: container) })
  /// ```
  public struct EnvironmentList: View {
    private let panel: EnvironmentPanel
    private let title: String
    @State private var name = ""
    @State private var problem: String?
    @State private var isResetting = false
    @State private var isImporting = false

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - container: The container whose environments to show.
    ///   - title: The title of the list.
    public init(container: AppContainer, title: String = "Environments") {
      panel = EnvironmentPanel(container: container)
      self.title = title
    }

    /// The environments, a field for the name of a new one, and the changes of all.
    public var body: some View {
      List {
        if let problem { Text(problem).foregroundStyle(.red) }
        ForEach(panel.rows, id: \.id) { row in
          NavigationLink {
            EnvironmentPage(panel: panel, id: row.id)
          } label: {
            label(of: row)
          }
        }
        Section("New Environment") {
          TextField("Name", text: $name).onSubmit(create)
          #if os(macOS) || os(iOS) || os(visionOS)
            Button("Import…") { isImporting = true }
              .fileImporter(isPresented: $isImporting, allowedContentTypes: [.data], onCompletion: importArchive)
          #endif
        }
        Section("All Environments") {
          Button("Reset…", role: .destructive) { isResetting = true }
            .confirmationDialog(
              EnvironmentPanel.resetQuestion, isPresented: $isResetting, titleVisibility: .visible
            ) {
              Button("Reset", role: .destructive) { $problem.explaining { try await panel.reset() } }
            }
        }
      }
      .navigationTitle(title)
    }

    private func label(of row: EnvironmentPanel.Row) -> some View {
      VStack(alignment: .leading) {
        LabeledContent(row.environment.name) {
          if row.isActive { Text("Active").foregroundStyle(.secondary) }
        }
        if let description = row.environment.description { Text(description).font(.caption) }
        if let problem = row.environment.problem { Text(problem).font(.caption).foregroundStyle(.red) }
      }
    }

    private func create() {
      let name = name
      self.name = ""
      $problem.explaining {
        do {
          try await panel.create(named: name)
        } catch {
          // The person can try again, unless they have typed another name.
          if self.name.isEmpty { self.name = name }
          throw error
        }
      }
    }

    #if os(macOS) || os(iOS) || os(visionOS)
      private func importArchive(_ choice: Result<URL, any Error>) {
        $problem.explaining { try await panel.importEnvironment(from: choice.get()) }
      }
    #endif
  }

  extension Binding<String?> {
    /// Makes a change, and stores the reason if it is refused.
    @MainActor
    func explaining(_ change: @escaping @MainActor () async throws -> Void) {
      Task { @MainActor in
        do {
          try await change()
          wrappedValue = nil
        } catch {
          wrappedValue = "\(error)"
        }
      }
    }
  }
#endif
