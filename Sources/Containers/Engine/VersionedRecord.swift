import Foundation

/// What is written down in a file of its own, as JSON that says of which version it is.
protocol VersionedRecord: Codable {
  /// The newest version that is read, and the one that is written.
  static var version: Int { get }
}

extension VersionedRecord {
  /// Reads a record, of this version or an older one.
  ///
  /// - Parameters:
  ///   - data: The content of a file.
  ///   - url: The file.
  /// - Returns: The record.
  /// - Throws: ``AppContainerError/newerState(_:found:supported:)`` or
  ///   ``AppContainerError/unreadableState(_:reason:)``.
  static func decode(_ data: Data, from url: URL) throws(AppContainerError) -> Self {
    let decoder = JSONDecoder()
    do {
      let found = try decoder.decode(VersionMark.self, from: data).version
      guard found <= version else { throw AppContainerError.newerState(url, found: found, supported: version) }
      return try decoder.decode(Self.self, from: data)
    } catch let error as AppContainerError {
      throw error
    } catch {
      throw .unreadableState(url, reason: "it is damaged")
    }
  }
}

/// What every version of a file says of itself, however it says the rest: to be read first, and only that.
private struct VersionMark: Decodable {
  let version: Int
}
