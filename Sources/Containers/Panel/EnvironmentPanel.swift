import AppGroups
import FileSignals
package import Foundation
import Signals

/// The model of an ``EnvironmentList``: its rows, the facts and actions of a page, and the changes.
///
/// Changes run on a thread that may block, because they may wait for other processes.
package struct EnvironmentPanel: Sendable {
  /// A change of one environment.
  package enum Action: String, Sendable, CaseIterable {
    case activate = "Activate"
    case clone = "Clone"
    case clean = "Clean"
    case delete = "Delete"

    /// A Boolean value that indicates whether the action removes files.
    package var isDestructive: Bool { self == .clean || self == .delete }
  }

  /// An environment as the list and its page show it.
  package struct Row: Sendable, Hashable {
    package let environment: AppContainer.Environment
    package let isActive: Bool

    package var id: UUID { environment.id }

    /// The possible actions, in order.
    package var actions: [Action] {
      Action.allCases.filter { action in
        switch action {
        case .activate: !isActive
        case .delete: !environment.isDefault
        case .clone, .clean: true
        }
      }
    }

    /// The properties that people cannot change, in order.
    ///
    /// - Parameter text: A closure that returns the text of a date.
    /// - Returns: The properties.
    package func facts(_ text: (Date) -> String) -> [Fact] {
      [
        Fact(label: "Identifier", text: id.uuidString),
        Fact(label: "Created", text: text(environment.createdAt)),
        Fact(label: "Last Activated", text: environment.lastActivatedAt.map(text) ?? "Never"),
        Fact(label: "Activations", text: String(environment.activationCount)),
      ]
    }

    /// The question before an action that removes files.
    package func question(before action: Action) -> String? {
      switch action {
      case .clean: "Remove all files of the environment \(environment.name)?"
      case .delete: "Delete the environment \(environment.name) and its files?"
      case .activate, .clone: nil
      }
    }
  }

  /// A property of an environment with its label.
  package struct Fact: Sendable, Hashable {
    package let label: String
    package let text: String
  }

  /// The question before all environments but the default one are deleted.
  package static let resetQuestion = "Delete all environments but the default one, and their files?"

  private let container: AppContainer

  package init(container: AppContainer) {
    self.container = container
  }

  /// The environments in the order of their creation.
  package var rows: [Row] {
    let active = container.active.value.id
    return container.environments.value.map { Row(environment: $0, isActive: $0.id == active) }
  }

  /// Returns the row of an environment, or `nil` if it was deleted.
  package func row(_ id: UUID) -> Row? { rows.first { $0.id == id } }

  // MARK: Changes

  /// Creates an environment, unless the name is empty.
  package func create(named name: String) async throws {
    if !name.isEmpty { try await perform { _ = try $0.create(name: name) } }
  }

  /// Performs an action.
  package func perform(_ action: Action, on id: UUID) async throws {
    try await perform { container in
      switch action {
      case .activate: try container.activate(id: id)
      case .clone: try container.clone(id: id)
      case .clean: try container.clean(id: id)
      case .delete: try container.delete(id: id)
      }
    }
  }

  /// Stores a name and a description.
  ///
  /// - Returns: The environment with both.
  package func save(_ draft: EnvironmentDraft, of id: UUID) async throws -> AppContainer.Environment {
    let description = draft.description.isEmpty ? nil : draft.description
    return try await perform { try $0.update(id: id, name: draft.name, description: description) }
  }

  /// Activates the default environment, and deletes all others.
  package func reset() async throws { try await perform { try $0.reset() } }

  /// Writes an archive with the name of the environment into a folder of its own, from which it can be moved.
  ///
  /// - Parameters:
  ///   - id: The environment.
  ///   - folder: The folder in which the archive has its folder.
  /// - Returns: The archive.
  /// - Throws: `AppContainerError`; then the folder is unchanged.
  package func export(_ id: UUID, in folder: URL = FileManager.default.temporaryDirectory) async throws -> URL {
    guard let row = row(id) else { throw AppContainerError.notFound(id: id) }
    let own = folder.appending(path: UUID.random().uuidString)
    let archive = own.appending(path: "\(Self.fileName(of: row.environment)).environment")
    return try await perform { container in
      try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
      do {
        try container.export(id: id, to: archive)
      } catch {
        tolerating { try FileManager.default.removeItem(at: own) }
        throw error
      }
      return archive
    }
  }

  /// Returns the name of an environment, which may be any text, as far as it can name a file.
  private static func fileName(of environment: AppContainer.Environment) -> String {
    let scalars = environment.name.unicodeScalars.prefix(PathComponent.maximumFileLength).map { scalar in
      "/:\\".unicodeScalars.contains(scalar) || scalar.properties.generalCategory == .control ? "-" : scalar
    }
    var name = String(String.UnicodeScalarView(scalars))
    while name.utf8.count > PathComponent.maximumFileLength { name.removeLast() }
    if name.isEmpty { return environment.id.uuidString }
    // It would be hidden.
    return name.begins(with: ".") ? "-\(name.dropFirst())" : name
  }

  /// Removes an archive that was not moved, and its folder.
  package func discard(_ archive: URL) {
    tolerating { try FileManager.default.removeItem(at: archive.deletingLastPathComponent()) }
  }

  /// Creates an environment from an archive.
  package func importEnvironment(from archive: URL) async throws {
    try await perform { container in
      #if canImport(Darwin)
        // A person has chosen the file, which may lie outside of the sandbox.
        let isAccessed = archive.startAccessingSecurityScopedResource()
        defer { if isAccessed { archive.stopAccessingSecurityScopedResource() } }
      #endif
      _ = try container.importEnvironment(from: archive)
    }
  }

  private func perform<Result: Sendable>(
    _ change: @escaping @Sendable (AppContainer) throws -> Result
  ) async throws -> Result {
    try await BlockingCalls.run(for: container.engine.layout.stateURL) { [container] in try change(container) }
  }
}

/// The name and the description that a person types on the page of an environment.
package struct EnvironmentDraft: Sendable, Hashable {
  /// The name in its field.
  package var name = ""

  /// The description in its field; empty if there is none.
  package var description = ""

  /// The name and the description that the fields had before the person changed them.
  private var shown: [String] = ["", ""]

  package init() {}

  /// A Boolean value that indicates whether the person has changed a field.
  package var isChanged: Bool { [name, description] != shown }

  /// Shows an environment, unless the person has changed a field.
  package mutating func follow(_ environment: AppContainer.Environment) {
    if !isChanged { show(environment) }
  }

  /// Shows an environment that was stored from a draft, unless the person has typed something else since.
  package mutating func show(_ environment: AppContainer.Environment, storedFrom draft: EnvironmentDraft) {
    let typed = (name, description)
    show(environment)
    if typed != (draft.name, draft.description) { (name, description) = typed }
  }

  /// Shows an environment in place of what the person has typed.
  package mutating func show(_ environment: AppContainer.Environment) {
    (name, description) = (environment.name, environment.description ?? "")
    shown = [name, description]
  }
}
