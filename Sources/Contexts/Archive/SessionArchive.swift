import AppGroups
import FileSignals
import Foundation

/// The storage that records which user is logged in.
///
/// Callers hold the lock that excludes other processes.
protocol SessionArchive: Sendable {
  /// The place of the archive, for error messages.
  var path: String { get }

  /// Returns the archived content, which is empty before the first write.
  func read() throws -> ArchiveContents

  /// Replaces the archived content as a whole and durably.
  ///
  /// An existing archive that cannot be read is put aside.
  func write(_ contents: ArchiveContents) throws

  /// Returns whether an error of ``read()`` is permanent, because of the archive's content.
  func isLasting(_ error: any Error) -> Bool

  /// Closes open files.
  func close()
}

extension SessionArchive {
  func close() {}
}

/// An archive in one JSON file.
struct FileArchive: SessionArchive {
  static let format = FileFormat<ArchiveContents>.versioned(FileVersions(ArchiveContents.self))

  let url: URL

  var path: String { url.path }

  func read() throws -> ArchiveContents {
    guard let data = try content() else { return ArchiveContents() }
    return try Self.decode(data)
  }

  private static func decode(_ data: Data) throws -> ArchiveContents { try format.decode(data).checked() }

  func write(_ contents: ArchiveContents) throws {
    if let data = try content(), !isReadable(data) {
      // Keep a copy: a newer version of the app may be able to read it.
      try DurableFile.write(data, to: try PutAside.place(for: url), mode: 0o600)
    }
    let data = try Self.format.encode(contents)
    do {
      try DurableFile.write(data, to: url, mode: 0o600)
    } catch {
      // If only the directory could not be synchronized, the new session is in place, and all processes read it.
      guard isInPlace(data) else { throw error }
    }
  }

  private func isInPlace(_ data: Data) -> Bool {
    tolerating(try content() == data, else: false)
  }

  func isLasting(_ error: any Error) -> Bool { !(error is DurableFileError) }

  private func content() throws -> Data? { try DurableFile.readIfPresent(url) }

  private func isReadable(_ data: Data) -> Bool {
    tolerating(else: false) {
      _ = try Self.decode(data)
      return true
    }
  }
}

/// A source of names for files that are put aside.
enum PutAside {
  /// Returns a free place beside a file.
  static func place(for url: URL) throws(DurableFileError) -> URL {
    let folder = url.deletingLastPathComponent()
    var number = 1
    while true {
      let place = folder.appending(path: "\(url.lastPathComponent).kept-\(number)", directoryHint: .notDirectory)
      if try FileStatus(path: place.path, followsLinks: false) == nil { return place }
      number += 1
    }
  }
}

/// The content of an archive: the current user and all earlier users.
struct ArchiveContents: Codable, Hashable, Sendable {
  /// The number of writes of the archive.
  var revision = 0
  /// The number of the session.
  ///
  /// Each login and each logout raises it.
  ///
  /// It also rises above every number that a process may remember from an archive that was lost.
  var session = 0
  /// The number that rises whenever a session begins or is renewed.
  var generation = 0
  /// The identity of the current user.
  var currentID: String?
  /// All users, in the order in which they first logged in.
  var users: [ArchivedRecord] = []
  /// The records that could not be decoded when their user logged in again.
  var kept: [ArchivedRecord] = []

  subscript(id: String) -> ArchivedRecord? {
    users.first { $0.id == id }
  }

  /// Replaces the user with the same identity, or appends a new one.
  mutating func put(_ record: ArchivedRecord) {
    if let index = users.firstIndex(where: { $0.id == record.id }) {
      users[index] = record
    } else {
      users.append(record)
    }
  }

  /// Counts a login or a logout.
  ///
  /// The revision must already have been raised.
  mutating func beginSession() { session = max(session + 1, revision) }

  /// The numbers that an archive can have reached, each of which can be raised.
  private static let numbers = 0...Int.max / 2

  /// Returns the contents as read, if they are not damaged.
  ///
  /// - Returns: The contents.
  /// - Throws: ``ArchiveNumberError`` for a number that no archive has reached. To raise it could overflow.
  func checked() throws(ArchiveNumberError) -> ArchiveContents {
    let found = [("revision", revision), ("session", session), ("generation", generation)]
    for (name, number) in found where !Self.numbers.contains(number) {
      throw ArchiveNumberError(name: name, number: number)
    }
    return self
  }

  /// The names of the secrets that the archive refers to.
  var secretKeys: Set<String> {
    Set((users + kept).compactMap(\.secretKey)).subtracting([""])
  }
}

/// An archive has a number that no archive can have reached, so it is damaged.
struct ArchiveNumberError: Error, CustomStringConvertible {
  let name: String
  let number: Int

  var description: String { "the \(name) is \(number), which is out of range" }
}

/// An archived user.
struct ArchivedRecord: Codable, Hashable, Sendable {
  var id: String
  /// The version of the model.
  var version: Int
  /// The user as JSON, or an empty string if only the identity is kept.
  var payload: String
  /// The name of the user's secret, if there is one.
  ///
  /// A user who is not the current one has a name only if the session is kept. It is empty if the session has no
  /// secret.
  var secretKey: String?
}
