public import Foundation

/// Something in the directory of a group: a shared value, a log, a database, and so on.
public struct InspectedResource: Sendable, Hashable, Identifiable {
  /// The kinds of resources.
  @nonexhaustive
  public enum Kind: String, Sendable, Hashable, Encodable, CaseIterable {
    /// A shared value.
    case file
    /// An object of independent members.
    case suite
    /// A log of events.
    case log
    /// A presence.
    case presence
    /// A database.
    case database
    /// A root with environments.
    case container
    /// The archive of a session.
    case session
    /// A feature flag or setting.
    case tweak
    /// A lock that a process holds.
    case lock
    /// The signals that a process publishes.
    case graph
  }

  /// The relations of a resource to its content.
  @nonexhaustive
  public enum Status: String, Sendable, Hashable, Encodable {
    /// The content is known.
    case ok
    /// The file is missing.
    case missing
    /// The file cannot be read.
    case unreadable
    /// The content is damaged.
    case damaged
    /// A newer version of the package wrote it.
    case newer
    /// The content is not JSON, so it has no value to show.
    case binary
    /// The content is too large to be read, so it has no value to show.
    case large
  }

  /// The numbers of changes per second.
  package struct Rate: Sendable, Hashable, Codable {
    /// The changes per second in the last second.
    package var perSecond: Double
    /// The changes per second in the last minute.
    package var perSecondInMinute: Double

    private enum CodingKeys: String, CodingKey {
      case perSecond = "s1"
      case perSecondInMinute = "s60"
    }
  }

  /// The details of a resource, by its kind.
  package indirect enum Details: Sendable, Hashable {
    /// The details of a shared value.
    case file(InspectedFile)
    /// The details of a suite.
    case suite(InspectedSuite)
    /// The details of a log.
    case log(InspectedLog)
    /// The details of a presence.
    case presence(InspectedPresence)
    /// The details of a database.
    case database(InspectedDatabase)
    /// The details of a root with environments.
    case container(InspectedContainer)
    /// The details of a session.
    case session(InspectedSession)
    /// The details of a tweak.
    case tweak(InspectedTweak)
    /// The details of a lock.
    case lock(InspectedLock)
    /// The details of published signals.
    case graph(InspectedGraph)

    /// The kind.
    package var kind: Kind {
      switch self {
      case .file: .file
      case .suite: .suite
      case .log: .log
      case .presence: .presence
      case .database: .database
      case .container: .container
      case .session: .session
      case .tweak: .tweak
      case .lock: .lock
      case .graph: .graph
      }
    }

    fileprivate var members: any Encodable {
      switch self {
      case .file(let details): details
      case .suite(let details): details
      case .log(let details): details
      case .presence(let details): details
      case .database(let details): details
      case .container(let details): details
      case .session(let details): details
      case .tweak(let details): details
      case .lock(let details): details
      case .graph(let details): details
      }
    }

    fileprivate var value: InspectedValue {
      do {
        return try InspectorJSON.decode(InspectedValue.self, from: InspectorJSON.encode(members))
      } catch {
        // JSON can represent all details, because their numbers are finite.
        return .null
      }
    }
  }

  /// The identifier, which begins with the kind, such as `file/settings.json`.
  public var id: String

  /// The name.
  public var name: String

  /// The path, relative to the inspected directory; `nil` if the resource is not a file or directory.
  public var path: String?

  /// A text that is different for different contents; compare it only for equality.
  public var version = ""

  /// The relation to the content.
  public var status = Status.ok

  /// The reason for a status other than ``Status/ok``.
  public var problem: String?

  /// The time of the last change.
  public var at: Date?

  /// The identifier of the process that made the last change; `nil` if it is unknown.
  public var process: String?

  /// The reason that the process gave for the last change; see `Cause`.
  public var cause: String?

  /// The size in bytes.
  public var size: Int?

  /// The sequence of the last ``InspectorChange`` of the resource, as a decimal number.
  package var seq = "0"

  /// The rate of changes; `nil` if there was none in the last minute.
  package var rate: Rate?

  /// The value without its redacted parts; `nil` if there is none, or if it has more than 16 KiB of JSON.
  ///
  /// ``Inspector/resource(_:)`` returns a resource with a value of any size.
  public var value: InspectedValue?

  /// The places of the redacted parts of the value, as JSON pointers.
  public var redacted: [String]?

  /// `true` if the value is too large to be part of the snapshot; otherwise `nil`.
  package var truncated: Bool?

  /// The details as the inspector computes them.
  package var typedDetails: Details

  /// The kind.
  public var kind: Kind { typedDetails.kind }

  /// The details of the kind, such as the consumers of a log, as an object; times are seconds since 1970.
  ///
  /// <doc:/Docs/InspectorGuide> shows how to read them.
  ///
  /// - Complexity: O(*n*) in the size of the details, for each access.
  public var details: InspectedValue { typedDetails.value }

  init(id: String, name: String, path: String? = nil, _ details: Details) {
    (self.id, self.name, self.path, typedDetails) = (id, name, path, details)
  }
}

extension InspectedResource {
  /// The largest size of a value in a snapshot, in bytes of JSON.
  static let valueLimit = 16 << 10

  /// Sets the value, unless it is too large for a snapshot.
  mutating func setValue(_ value: InspectedValue, redacted places: [String]) {
    redacted = places.isEmpty ? nil : places
    let isLarge = value.isLarger(than: Self.valueLimit)
    self.value = isLarge ? nil : value
    truncated = isLarge ? true : nil
  }
}

extension InspectedResource: Encodable {
  private enum CodingKeys: String, CodingKey {
    case id, kind, name, path, version, status, problem, at, cause, size, seq, rate, value, redacted, truncated
    case process = "proc"
  }

  /// Encodes the resource, with its details as the member that has the name of the kind.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(id, forKey: .id)
    try members.encode(kind, forKey: .kind)
    try members.encode(name, forKey: .name)
    try members.encodeIfPresent(path, forKey: .path)
    try members.encode(version, forKey: .version)
    try members.encode(status, forKey: .status)
    try members.encodeIfPresent(problem, forKey: .problem)
    try members.encodeIfPresent(at, forKey: .at)
    try members.encodeIfPresent(process, forKey: .process)
    try members.encodeIfPresent(cause, forKey: .cause)
    try members.encodeIfPresent(size, forKey: .size)
    try members.encode(seq, forKey: .seq)
    try members.encodeIfPresent(rate, forKey: .rate)
    try members.encodeIfPresent(value, forKey: .value)
    try members.encodeIfPresent(redacted, forKey: .redacted)
    try members.encodeIfPresent(truncated, forKey: .truncated)
    var details = encoder.container(keyedBy: InspectedValue.Name.self)
    try details.encode(typedDetails.members, forKey: InspectedValue.Name(kind.rawValue))
  }
}
