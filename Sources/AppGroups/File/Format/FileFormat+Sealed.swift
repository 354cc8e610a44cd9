import FileSignals
import Foundation
import Signals

extension FileFormat {
  /// Returns the same format, whose content is sealed before it is written, and opened after it was read.
  ///
  /// See ``FileSeal`` for what that means for files, and <doc:/Docs/EncryptedValues> for an example.
  ///
  /// - **Equal bytes.** ``encode`` gives other bytes each time. A shared file remembers its content, opened and sealed,
  ///   so writing the same value again is no change.
  /// - **Versions.** The content of ``versioned(_:coding:)`` is sealed together with its version.
  /// - **Errors.** A reason never quotes opened content.
  ///
  /// - Parameter seal: The keys and the cipher, which all processes need.
  /// - Returns: The sealed format.
  public func sealed(by seal: FileSeal) -> FileFormat { sealed(by: seal, noting: { _ in }) }

  /// Returns the sealed format.
  ///
  /// - Parameters:
  ///   - seal: The keys and the cipher.
  ///   - remembers: A Boolean value that indicates whether the format is for one file, and encodes the value that it has
  ///     last encoded or decoded as the same bytes again.
  ///   - note: Called when content is opened or sealed, with a Boolean value that indicates whether that was with the
  ///     newest key.
  /// - Returns: The sealed format.
  func sealed(
    by seal: FileSeal, remembering remembers: Bool = false, noting note: @escaping @Sendable (_ isNewest: Bool) -> Void
  ) -> FileFormat {
    let latest = Guarded<SealedContent?>(nil)
    return FileFormat(
      isJSON: false,
      forOneFile: { sealed(by: seal, remembering: true, noting: note) },
      encode: { value in
        let plain = try encode(value)
        if let known = latest.withLock({ $0 }), known.plain == plain { return known.sealed }
        let content = SealedContent(plain: plain, sealed: try seal.seal(plain, for: .file))
        if remembers { latest.replace { exchange(&$0, with: content) } }
        note(true)
        return content.sealed
      },
      decode: { data in
        let opened = try seal.open(data, for: .file)
        let value: Value
        do {
          value = try decode(opened.plain)
        } catch let error as FileVersionError {
          throw error
        } catch {
          throw UndecodableOpenedContent(key: FileSeal.key(of: data), type: "\(Value.self)")
        }
        // The next write has to use the newest key.
        let content = opened.isNewest && remembers ? SealedContent(plain: opened.plain, sealed: data) : nil
        latest.replace { exchange(&$0, with: content) }
        note(opened.isNewest)
        return value
      })
  }
}

/// The content that was last opened or sealed with the newest key.
private struct SealedContent: Sendable {
  let plain: Data
  let sealed: Data
}

/// The error of opened content that is not a value.
///
/// It has no cause, because the errors of decoders quote the content, and failures get into logs.
private struct UndecodableOpenedContent: Error, CustomStringConvertible {
  let key: String?
  let type: String

  var description: String {
    let state = key.map { "the key \($0.debugDescription) opened it" } ?? "it is not sealed"
    return "\(state), and the content is not of type \(type)"
  }
}
