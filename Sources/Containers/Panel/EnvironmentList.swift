#if canImport(SwiftUI)
  import FileSignals
  import Signals
  public import SwiftUI

  /// A list in which people create, activate, clone, clean and delete the environments of an app.
  ///
  /// It follows ``AppContainer/environments`` and ``AppContainer/active``, also when another process changes them. Calls
  /// run on another thread, because they may wait for other processes. To give the list a title, put it into a
  /// `NavigationStack`.
  ///
  /// <!-- not compiled -->
  ///
  /// ```swift
  /// NavigationStack {
  ///   EnvironmentList(container: container).navigationTitle("Environments")
  /// }
  /// ```
  public struct EnvironmentList: View {
    private let container: AppContainer
    @State private var name = ""
    @State private var problem: String?

    /// Creates a list.
    ///
    /// - Parameter container: The container whose environments to show.
    public init(container: AppContainer) {
      self.container = container
    }

    /// The environments, and a field for the name of a new one.
    public var body: some View {
      List {
        if let problem { Text(problem).foregroundStyle(.red) }
        ForEach(container.environments.value, id: \.id) { environment in row(environment) }
        Section("New Environment") {
          TextField("Name", text: $name).onSubmit(create)
        }
      }
    }

    private func row(_ environment: AppContainer.Environment) -> some View {
      let id = environment.id
      let isActive = id == container.active.value.id
      return VStack(alignment: .leading) {
        LabeledContent(environment.name) {
          if isActive { Text("Active").foregroundStyle(.secondary) }
        }
        if let description = environment.description { Text(description).font(.caption) }
        if let problem = environment.problem { Text(problem).font(.caption).foregroundStyle(.red) }
        HStack {
          if !isActive {
            Button("Activate") { perform { try $0.activate(id: id) } }
          }
          Button("Clone") { perform { _ = try $0.clone(id: id) } }
          Button("Clean") { perform { try $0.clean(id: id) } }
          if !isActive, id != AppContainer.Environment.defaultID {
            Button("Delete") { perform { try $0.delete(id: id) } }
          }
        }
        .font(.caption)
        .buttonStyle(.plain)
      }
    }

    private func create() {
      let name = name
      guard !name.isEmpty else { return }
      self.name = ""
      perform { _ = try $0.create(name: name) }
    }

    /// Makes a change on a thread that may block, and shows the reason if it is refused.
    private func perform(_ change: @escaping @Sendable (AppContainer) throws -> Void) {
      Task { @MainActor in
        do {
          try await BlockingCalls.run(for: container.engine.layout.stateURL) { [container] in try change(container) }
          problem = nil
        } catch {
          problem = "\(error)"
        }
      }
    }
  }
#endif
