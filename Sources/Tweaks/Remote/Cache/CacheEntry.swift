import FileSignals
import Foundation

/// The format of a file with the values of one user.
///
/// ```
/// signals-tweaks 1 <length of the rest> <SHA-256 of the rest>
/// {"fetched": …, "fingerprint": …, "etag": …, "version": …, "tweaks": …}
/// <the answer of the server, unless the tweaks are in the line above>
/// ```
enum CacheEntry {
  /// The reason why a file is not an entry.
  enum Problem: Error, Hashable {
    /// A newer version wrote it.
    case newer(Int)
    case damaged(String)
  }

  static let version = 1

  /// The space for everything except the values themselves.
  static let overhead = 1 << 16

  private static let mark = "signals-tweaks"

  private struct Record: Codable {
    var fetched: Double
    var fingerprint: String
    var etag: String?
    var version: Int?
    var tweaks: [TweakContents]?
  }

  static func encode(_ content: RemoteContent) throws -> Data {
    let record = Record(
      fetched: content.fetched.timeIntervalSinceReferenceDate, fingerprint: content.fingerprint, etag: content.etag,
      version: content.version, tweaks: content.body == nil ? content.tweaks.map(\.contents) : nil
    )
    var rest = try JSONEncoder().encode(record)
    rest.append(UInt8(ascii: "\n"))
    if let body = content.body { rest.append(body) }
    return Data("\(mark) \(version) \(rest.count) \(digest(of: rest))\n".utf8) + rest
  }

  /// Decodes an entry.
  ///
  /// - Parameters:
  ///   - data: The content of the file.
  ///   - decode: A closure that decodes an answer of the server.
  /// - Returns: The content.
  /// - Throws: ``Problem``, or the error of `decode`.
  static func decode(_ data: Data, _ decode: (Data) throws -> [Tweak]) throws -> RemoteContent {
    guard let end = data.prefix(200).firstIndex(of: UInt8(ascii: "\n")) else {
      throw Problem.damaged("it has no header")
    }
    let fields = String(decoding: data[..<end], as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count >= 2, fields[0] == mark, let version = Int(fields[1]) else {
      throw Problem.damaged("it has another header")
    }
    if version > Self.version { throw Problem.newer(version) }
    let rest = Data(data[(end + 1)...])
    guard fields.count == 4, Int(fields[2]) == rest.count else { throw Problem.damaged("its length is wrong") }
    guard fields[3] == digest(of: rest) else { throw Problem.damaged("its digest is wrong") }
    guard let line = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw Problem.damaged("it has no record") }
    let record: Record
    do {
      record = try JSONDecoder().decode(Record.self, from: rest[..<line])
    } catch {
      throw Problem.damaged("its record cannot be decoded: \(error)")
    }
    var content = RemoteContent(tweaks: [], etag: record.etag, version: record.version)
    content.fetched = Date(timeIntervalSinceReferenceDate: record.fetched)
    content.fingerprint = record.fingerprint
    if let tweaks = record.tweaks {
      content.tweaks = tweaks.map { Tweak($0) }
    } else {
      let body = Data(rest[(line + 1)...])
      content.tweaks = try decode(body)
      content.body = body
    }
    return content
  }

  static func digest(of data: Data) -> String { SHA256.digest(Array(data)).hexadecimal }
}
