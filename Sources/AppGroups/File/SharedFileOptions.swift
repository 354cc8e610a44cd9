public import FileSignals

/// Choices for a shared file or suite that most apps leave as they are.
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let container = try AppGroupsContainer(directory: directory)
/// let drafts = try AppGroupsFile(
///   name: "drafts.json", initialValue: [String](), container: container, options: .init(durability: .storage))
/// try drafts.update { $0.append("Dear Ada") }  // It survives a power failure from here on.
/// try FileManager.default.removeItem(at: directory)
/// ```
public struct SharedFileOptions: Sendable, Hashable {
  /// The failures that a written value survives; `nil` for the usual ones.
  ///
  /// Usually an ``AppGroupsFile`` survives the crash of any process, but not a power failure, and an
  /// ``AppGroupsSuite`` survives both.
  public var durability: Durability?

  /// The largest size of the file in bytes.
  ///
  /// A larger file is not read, and a value that would need more is not written.
  public var maximumSize: Int

  /// The rule for polling where the system reports no changes, as on a network file system.
  ///
  /// A poll reads the content and compares it byte by byte.
  public var polling: WatchPolling

  /// Creates options.
  ///
  /// - Parameters:
  ///   - durability: The failures that a written value survives, or `nil` for the usual ones.
  ///   - maximumSize: The largest size of the file in bytes; by default 64 MiB.
  ///   - polling: The rule for polling where the system reports no changes.
  public init(durability: Durability? = nil, maximumSize: Int = 64 << 20, polling: WatchPolling = .automatic) {
    self.durability = durability
    self.maximumSize = maximumSize
    self.polling = polling
  }
}
