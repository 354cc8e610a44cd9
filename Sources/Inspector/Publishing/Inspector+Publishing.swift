public import AppGroups
public import Signals

extension Inspector {
  /// Shows the registered signals of this process to inspectors of a group, and lets them edit its shared files.
  ///
  /// The signals are those of the `SourceRegistry`: their names, dependencies, subscriptions and numbers of changes. A
  /// value is shown only if it was registered with a closure that describes it. Call this in builds for development.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  /// import Inspector
  /// import Signals
  ///
  /// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let container = try AppGroupsContainer(directory: directory)
  /// let volume = MutableProperty(5).registered(as: "volume") { "\($0) of 10" }
  /// let publication = try Inspector.publish(in: container)
  /// // Inspectors of the directory see the signals now.
  /// publication.cancel()
  /// withExtendedLifetime(volume) {}
  /// try FileManager.default.removeItem(at: directory)
  /// ```
  ///
  /// - **Transport:** Unix sockets in directories that only the user may enter. Processes of other users are refused.
  /// - **Threads:** The answer is made on a queue of its own, even if all threads that tasks share are blocked.
  /// - **Cost:** None while no inspector runs. An inspector asks at most ten times a second. An inspector that does
  ///   not read is dropped, and the number of dropped answers is shown.
  ///   Emitters count their values only while an inspector asks, and for ten seconds after that. A new subscription of
  ///   a source that is not registered can appear a second later.
  /// - **Descriptions:** The closures that describe values run on that queue, whenever an inspector asks.
  /// - **Edits:** With `allowingEdits`, a change of an `AppGroupsFile` that is open here, and whose format is JSON, is
  ///   made by this process. The new content must decode as the type of the file, without a member that the type drops.
  ///   Then it is stored by `update`, so that all rules of the file apply, and subscribers receive it on a queue of the
  ///   publication. Only inspectors that were opened for changes send edits. Suites are edited in their files.
  /// - **Apple's systems:** The path of a socket has at most 103 bytes. The directories of groups on iOS, and those in
  ///   simulators, are longer, so this throws there. On Linux, the directory may have any path.
  ///
  /// - Parameters:
  ///   - container: The container of the group.
  ///   - allowingEdits: A Boolean value that indicates whether inspectors may change shared files through this process.
  /// - Returns: A token that ends the publication when it is cancelled or released.
  /// - Throws: ``InspectorError`` if a socket cannot be created.
  public static func publish(
    in container: AppGroupsContainer, allowingEdits: Bool = false
  ) throws(InspectorError) -> SignalSubscription {
    let (name, group) = (LocalListener.newName(), container.containerURL)
    let edits = try allowingEdits ? EditPublisher(name, in: group) : nil
    let graph: GraphPublisher
    do throws(InspectorError) {
      graph = try GraphPublisher(name, in: group, files: allowingEdits ? EditableFiles(in: group) : nil)
    } catch {
      edits?.end()
      throw error
    }
    return SignalSubscription {
      graph.end()
      edits?.end()
    }
  }
}
