public import Foundation

/// Something in the directory of a group: a shared value, a log, a database, and so on.
public struct InspectedResource: Sendable, Hashable, Identifiable {
  /// The kinds of resources.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
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
  public enum Status: String, Sendable, Hashable, Codable {
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
  public struct Rate: Sendable, Hashable, Codable {
    /// The changes per second in the last second.
    public var perSecond: Double
    /// The changes per second in the last minute.
    public var perSecondInMinute: Double

    private enum CodingKeys: String, CodingKey {
      case perSecond = "s1"
      case perSecondInMinute = "s60"
    }
  }

  /// The details of a resource, by its kind.
  public indirect enum Details: Sendable, Hashable {
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
    public var kind: Kind {
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

  /// The size in bytes.
  public var size: Int?

  /// The sequence of the last ``InspectorChange`` of the resource, as a decimal number.
  public var seq = "0"

  /// The rate of changes; `nil` if there was none in the last minute.
  public var rate: Rate?

  /// The value without its redacted parts; `nil` if there is none or if it is too large.
  public var value: InspectedValue?

  /// The places of the redacted parts of the value, as JSON pointers.
  public var redacted: [String]?

  /// `true` if the value is too large to be part of the snapshot; otherwise `nil`.
  public var truncated: Bool?

  /// The details.
  public var details: Details

  /// The kind.
  public var kind: Kind { details.kind }

  init(id: String, name: String, path: String? = nil, _ details: Details) {
    (self.id, self.name, self.path, self.details) = (id, name, path, details)
  }
}

extension InspectedResource {
  /// The largest size of a value in a snapshot, in bytes of JSON.
  static let valueLimit = 16 << 10

  /// Sets the value, unless it is too large.
  mutating func setValue(_ value: InspectedValue, redacted places: [String]) {
    redacted = places.isEmpty ? nil : places
    let isLarge = value.isLarger(than: Self.valueLimit)
    self.value = isLarge ? nil : value
    truncated = isLarge ? true : nil
  }
}

extension InspectedResource: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, kind, name, path, version, status, problem, at, size, seq, rate, value, redacted, truncated
    case file, suite, log, presence, database, container, session, tweak, lock, graph
  }

  /// Decodes a resource.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    id = try members.decode(String.self, forKey: .id)
    name = try members.decode(String.self, forKey: .name)
    path = try members.decodeIfPresent(String.self, forKey: .path)
    version = try members.decode(String.self, forKey: .version)
    status = try members.decode(Status.self, forKey: .status)
    problem = try members.decodeIfPresent(String.self, forKey: .problem)
    at = try members.decodeIfPresent(Date.self, forKey: .at)
    size = try members.decodeIfPresent(Int.self, forKey: .size)
    seq = try members.decode(String.self, forKey: .seq)
    rate = try members.decodeIfPresent(Rate.self, forKey: .rate)
    value = try members.decodeIfPresent(InspectedValue.self, forKey: .value)
    redacted = try members.decodeIfPresent([String].self, forKey: .redacted)
    truncated = try members.decodeIfPresent(Bool.self, forKey: .truncated)
    details =
      switch try members.decode(Kind.self, forKey: .kind) {
      case .file: .file(try members.decode(InspectedFile.self, forKey: .file))
      case .suite: .suite(try members.decode(InspectedSuite.self, forKey: .suite))
      case .log: .log(try members.decode(InspectedLog.self, forKey: .log))
      case .presence: .presence(try members.decode(InspectedPresence.self, forKey: .presence))
      case .database: .database(try members.decode(InspectedDatabase.self, forKey: .database))
      case .container: .container(try members.decode(InspectedContainer.self, forKey: .container))
      case .session: .session(try members.decode(InspectedSession.self, forKey: .session))
      case .tweak: .tweak(try members.decode(InspectedTweak.self, forKey: .tweak))
      case .lock: .lock(try members.decode(InspectedLock.self, forKey: .lock))
      case .graph: .graph(try members.decode(InspectedGraph.self, forKey: .graph))
      }
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
    try members.encodeIfPresent(size, forKey: .size)
    try members.encode(seq, forKey: .seq)
    try members.encodeIfPresent(rate, forKey: .rate)
    try members.encodeIfPresent(value, forKey: .value)
    try members.encodeIfPresent(redacted, forKey: .redacted)
    try members.encodeIfPresent(truncated, forKey: .truncated)
    switch details {
    case .file(let details): try members.encode(details, forKey: .file)
    case .suite(let details): try members.encode(details, forKey: .suite)
    case .log(let details): try members.encode(details, forKey: .log)
    case .presence(let details): try members.encode(details, forKey: .presence)
    case .database(let details): try members.encode(details, forKey: .database)
    case .container(let details): try members.encode(details, forKey: .container)
    case .session(let details): try members.encode(details, forKey: .session)
    case .tweak(let details): try members.encode(details, forKey: .tweak)
    case .lock(let details): try members.encode(details, forKey: .lock)
    case .graph(let details): try members.encode(details, forKey: .graph)
    }
  }
}
