import AppGroups
package import FileSignals
package import Foundation

/// Reads the environments of a root, without completing or undoing a switch.
package struct ContainerInspection: Sendable {
  /// The number of changes to the list of environments.
  package let revision: Int

  /// The active environment.
  package let active: UUID

  /// All environments, in the order in which they were created.
  package let environments: [AppContainer.Environment]

  /// The process of the last switch or change of the list; `nil` if it is unknown.
  package let provenance: Provenance?

  /// A switch in progress.
  package struct Journal: Sendable {
    /// The revision that completes the switch.
    package let revision: Int

    /// The number of entries that leave or arrive.
    package let moves: Int
  }

  /// The switch in progress, or `nil` if no files are being moved.
  package let journal: Journal?

  /// The directories of the records, relative to a root.
  package static var recordDirectories: [String] { SwitchedRoots.recordDirectories }

  /// Reads the record of a root, or returns `nil` if there is none.
  ///
  /// - Throws: ``AppContainerError`` if it cannot be read.
  package static func read(_ root: URL, hidden: String) throws(AppContainerError) -> ContainerInspection? {
    let store = ContainerStore(layout: ContainerLayout(root: root, hidden: hidden))
    guard let state = try store.state() else { return nil }
    let journal = try store.journal().map { journal in
      Journal(revision: journal.revision, moves: journal.leaving.count + journal.arriving.count)
    }
    return ContainerInspection(
      revision: state.revision, active: state.active, environments: state.ids.map { store.environment($0, in: state) },
      // The switch may have been completed since its journal was read.
      provenance: (journal == nil ? nil : store.provenance(isSwitching: true)) ?? store.provenance(), journal: journal)
  }
}
