public import Foundation

/// A change of a file or directory.
///
/// An event asks you to read the file; it does not contain the content. The events of one burst are combined, and the
/// file may have changed again when you read it. The last change is always followed by an event, even if it undoes
/// an earlier one. You may therefore receive the deletion of a file whose creation was never reported.
public struct FileEvent: Sendable, Hashable {
  /// The kinds of changes.
  @nonexhaustive
  public enum Kind: Sendable, Hashable {
    /// The file or directory did not exist before.
    case created

    /// The content of the file was changed in place.
    case modified

    /// Another file has replaced it, as in a safe save.
    case replaced

    /// The file or directory was deleted.
    case deleted

    /// The file or directory was moved and exists under another name.
    case moved

    /// The owner, mode, times or other attributes changed, but not the content.
    case attributes

    /// Events were lost, so read everything again.
    case rescan
  }

  /// The kind of the change.
  public var kind: Kind

  /// The file or directory that changed.
  public var url: URL

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - kind: The kind of the change.
  ///   - url: The file or directory that changed.
  public init(kind: Kind, url: URL) {
    self.kind = kind
    self.url = url
  }
}

extension FileEvent: CustomStringConvertible {
  /// The kind and the path.
  public var description: String { "\(kind) \(url.path)" }
}
