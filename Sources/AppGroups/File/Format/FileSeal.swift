import FileSignals
public import Foundation
import Signals

/// A rule for sealing bytes before they are written, and for opening them after they were read.
///
/// You provide the cipher and the keys, and this package takes care of the files. So you can use CryptoKit,
/// swift-crypto, or a key that never leaves its chip. <doc:/Docs/EncryptedValues> has a complete example.
///
/// <!-- not compiled -->
/// ```swift
/// import AppGroups
/// import CryptoKit
///
/// let seal = FileSeal("2026", key: newKey, older: ["2025": oldKey]) { plain, header, key in
///   try ChaChaPoly.seal(plain, using: key, authenticating: header).combined
/// } open: { sealed, header, key in
///   try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: sealed), using: key, authenticating: header)
/// }
/// let token = try AppGroupsFile(
///   name: "token", initialValue: "", container: container, format: .json.sealed(by: seal))
/// ```
///
/// - **Keys.** Each key has a name, which the file contains in the clear. The newest key seals, and the older ones only
///   open. A file of an older key is sealed with the newest one by the next write, even if that changes no value.
/// - **Wrong keys.** If the program does not have the key, or the key does not open the bytes, then reads and writes
///   throw ``AppGroupsFileError/unknownKey(_:key:)`` or ``AppGroupsFileError/unopenable(_:key:reason:)``. No write
///   replaces such a file.
/// - **Plain files.** Content that is not sealed is damaged, unless `adoptsPlain` is `true`.
/// - **Threads.** The closures may be called from any thread, several at a time, and while the file is locked. Keep
///   them short: they must not wait for a person, nor write the same file.
public struct FileSeal: Sendable {
  /// The name of the newest key, with which all writes are sealed.
  public let key: String

  /// A Boolean value that indicates whether content that is not sealed is read, and sealed by the next write.
  public let adoptsPlain: Bool

  private typealias Operation = @Sendable (_ bytes: Data, _ header: Data) throws -> Data

  private let sealing: Operation
  /// The operations that open, by the name of the key.
  private let opening: [String: Operation]

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - name: The name of the newest key, of at most 255 bytes. Everyone who can read a file can read this name. Give
  ///     each key another name, such as its year or a number.
  ///   - key: The newest key, or anything from which the closures get it.
  ///   - older: The keys that only open, by name.
  ///   - adoptsPlain: Pass `true` while there may be files from before you added the seal. Otherwise everyone who can
  ///     write the file can replace it by one that is not sealed.
  ///   - seal: Seals bytes with a key, and returns all that `open` needs. Use a cipher that authenticates, such as
  ///     ChaCha20-Poly1305 or AES-GCM, with a new nonce for each call. Authenticate the header, too, which states the
  ///     name of the key and the use of the bytes; it is stored outside of the result.
  ///   - open: Opens bytes with a key. It throws an error if the bytes or the header are not authentic.
  public init<Key: Sendable>(
    _ name: String, key: Key, older: [String: Key] = [:], adoptsPlain: Bool = false,
    seal: @escaping @Sendable (_ plain: Data, _ header: Data, _ key: Key) throws -> Data,
    open: @escaping @Sendable (_ sealed: Data, _ header: Data, _ key: Key) throws -> Data
  ) {
    self.key = name
    self.adoptsPlain = adoptsPlain
    sealing = { try seal($0, $1, key) }
    opening = older.merging([name: key]) { $1 }.mapValues { key in { try open($0, $1, key) } }
  }

  /// The use of sealed bytes, which is authenticated, so that a secret is not accepted as a file.
  package enum Use: UInt8 {
    case file = 0
    case record = 1
    case secret = 2
  }

  /// Opened bytes.
  package struct Opened {
    package let plain: Data
    /// A Boolean value that indicates whether the next write would seal them with the same key.
    let isNewest: Bool
  }

  /// Seals bytes.
  ///
  /// - Parameters:
  ///   - plain: The bytes.
  ///   - use: Their use.
  ///   - name: A name that is authenticated but not stored.
  /// - Returns: The header and the sealed bytes.
  /// - Throws: The error of the closure, or ``FileSealError``.
  package func seal(_ plain: Data, for use: Use, named name: String = "") throws -> Data {
    guard let header = SealHeader(use: use, key: key) else { throw FileSealError.longName(key) }
    return try header.bytes + sealing(plain, header.bytes + Data(name.utf8))
  }

  /// Opens bytes.
  ///
  /// - Parameters:
  ///   - data: The header and the sealed bytes.
  ///   - use: Their use.
  ///   - name: The name with which they were sealed.
  /// - Returns: The bytes.
  /// - Throws: ``FileSealError``.
  package func open(_ data: Data, for use: Use, named name: String = "") throws(FileSealError) -> Opened {
    guard let header = SealHeader(data) else {
      guard !SealHeader.begins(data) else { throw .damaged("its header is incomplete") }
      guard adoptsPlain else {
        throw .damaged("it is not sealed, and the seal does not adopt plain content (adoptsPlain)")
      }
      return Opened(plain: data, isNewest: false)
    }
    guard let open = opening[header.key] else { throw .unknownKey(header.key) }
    guard header.use == use.rawValue else {
      throw .unopenable(key: header.key, reason: "it was sealed for another use")
    }
    do {
      // Many ciphers expect that the first index is zero.
      let plain = try open(Data(data.dropFirst(header.bytes.count)), header.bytes + Data(name.utf8))
      return Opened(plain: plain, isNewest: header.key == key)
    } catch {
      throw .unopenable(key: header.key, reason: CodingReason.words(for: error))
    }
  }

  /// Returns the name of the key with which bytes are sealed, or `nil` if they are not sealed.
  package static func key(of data: Data) -> String? { SealHeader(data)?.key }
}

/// The first bytes of sealed content, which anyone can read.
private struct SealHeader {
  let bytes: Data
  let use: UInt8
  let key: String

  /// The identifier of the format and its version.
  ///
  /// As the size of a name, its beginning exceeds every record of a journal.
  private static let magic: UInt64 = 0x31_30_41_45_53_47_49_53  // "SIGSEA01"
  private static var magicBytes: Data { withUnsafeBytes(of: magic.littleEndian) { Data($0) } }
  private static let fixedSize = 10

  init?(use: FileSeal.Use, key: String) {
    guard let size = UInt8(exactly: key.utf8.count) else { return nil }
    bytes = Self.magicBytes + [use.rawValue, size] + key.utf8
    (self.use, self.key) = (use.rawValue, key)
  }

  init?(_ data: Data) {
    guard Self.begins(data) else { return nil }
    let start = [UInt8](data.prefix(Self.fixedSize + Int(UInt8.max)))
    guard start.count >= Self.fixedSize, start.count >= Self.fixedSize + Int(start[9]),
      let key = String(validating: start[Self.fixedSize..<Self.fixedSize + Int(start[9])], as: UTF8.self)
    else { return nil }
    bytes = Data(start.prefix(Self.fixedSize + Int(start[9])))
    (use, self.key) = (start[8], key)
  }

  /// Returns whether bytes begin as a header, which is asked for each record of a journal.
  static func begins(_ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      bytes.count >= MemoryLayout<UInt64>.size && UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) == magic
    }
  }
}

/// An error in sealing or opening bytes.
package enum FileSealError: Error, Hashable, Sendable {
  /// The bytes are sealed with a key that the seal does not have.
  case unknownKey(String)
  /// The key does not open the bytes: it is another key of the same name, or the bytes have been changed.
  case unopenable(key: String, reason: String)
  /// The bytes have no header.
  case damaged(String)
  /// The name of the key is too long for a header.
  case longName(String)
}

extension FileSealError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownKey(let key): "it is sealed with the key \(key.debugDescription), which this program does not have"
    case .unopenable(let key, let reason): "the key \(key.debugDescription) does not open it: \(reason)"
    case .damaged(let reason): reason
    case .longName(let key): "the name of the key \(key.debugDescription) has more than 255 bytes"
    }
  }
}

extension AppGroupsFileError {
  init(_ error: FileSealError, _ url: URL) {
    self =
      switch error {
      case .unknownKey(let key): .unknownKey(url, key: key)
      case .unopenable(let key, let reason): .unopenable(url, key: key, reason: reason)
      case .damaged, .longName: .undecodable(url, reason: error.description)
      }
  }
}

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
