public import Foundation

/// Something that happened to a file or a directory.
///
/// An event says "look", not "this is the content": events that come in one burst are joined, and by the time you look
/// there may be something newer. What is certain is that an event follows the last change: also one that undoes
/// another, so something may be told to be gone of which you never heard that it came.
public struct FileEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// There was nothing, and now there is.
    case created

    /// Something wrote into the file; it is still the same file.
    case modified

    /// Another file has taken its place, as happens when it is saved safely.
    case replaced

    /// It is gone.
    case deleted

    /// It is gone from here, and lives on under another name.
    case moved

    /// Its owner, mode or times changed, or something else about it that is not the content.
    case attributes

    /// Something may have happened that could not be seen: look at everything.
    case rescan
  }

  /// What happened.
  public var kind: Kind

  /// To what.
  public var url: URL

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - kind: What happened.
  ///   - url: To what.
  public init(kind: Kind, url: URL) {
    self.kind = kind
    self.url = url
  }
}

extension FileEvent: CustomStringConvertible {
  /// The kind and the path.
  public var description: String { "\(kind) \(url.path)" }
}
