import Foundation
public import Signals

/// The processes of all machines that are present, each with a value that it announces.
///
/// An announcement is bound to the session of its process. It disappears when it is withdrawn, and
/// ``ClusterOptions/sessionTime`` after the process has ended, was suspended, or lost the cluster. A process that
/// returns announces itself again.
public final class ClusterPresence<Value: Codable & Sendable>: Signal, PropertyConvertible {
  /// All present processes, in the order of their announcements.
  public typealias Element = [ClusterMember<Value>]

  /// A presence never fails; ``status`` reports errors.
  public typealias Failure = Never

  /// The present processes as an observable property.
  public let property: Property<[ClusterMember<Value>]>

  /// The relation of ``value`` to the cluster.
  public let status: Property<SharedValueStatus<ClusterError>>

  private let core: RangeCore

  /// Follows a presence, without waiting for the cluster.
  ///
  /// - Parameters:
  ///   - name: The name of the presence; any string is allowed.
  ///   - cluster: The namespace.
  public init(name: String, cluster: EtcdCluster) {
    let prefix = cluster.watch.namespace.members(of: "presence", name)
    let core = RangeCore(prefix: prefix, name: name, cluster: cluster)
    self.core = core
    property = .derived(Property(core.entries, keeping: core)) { [place = core.place] in
      MemberList.members(in: $0, as: Value.self, place: place)
    }
    status = core.status
  }

  /// All present processes that this process knows of.
  public var value: [ClusterMember<Value>] { property.value }

  /// Makes this process present, until the token is withdrawn or released, or the process ends.
  ///
  /// - Parameter value: The value to announce.
  /// - Returns: The token. Keep it.
  /// - Throws: ``ClusterError`` if the value cannot be encoded or stored.
  public func announce(_ value: Value) async throws -> ClusterPresenceToken<Value> {
    let limit = core.cluster.connection.options.maximumValueSize
    let data = try ValueCoding.encode(value, key: core.place, limit: limit)
    let membership = Membership(in: core, value: data)
    try await membership.announce()
    return ClusterPresenceToken(membership, place: core.place, limit: limit)
  }
}

/// Keeps this process present, until it is withdrawn or released.
public final class ClusterPresenceToken<Value: Codable & Sendable>: Sendable {
  private let membership: Membership
  private let place: String
  private let limit: Int

  init(_ membership: Membership, place: String, limit: Int) {
    (self.membership, self.place, self.limit) = (membership, place, limit)
  }

  /// Replaces the announced value.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``ClusterError`` if the value cannot be encoded or stored.
  public func write(_ value: Value) async throws {
    try await membership.write(try ValueCoding.encode(value, key: place, limit: limit))
  }

  /// Ends the announcement, as releasing the token does later.
  ///
  /// If the task is cancelled, or if the cluster does not answer, the removal continues in the background until it has
  /// succeeded or the session is over.
  public func withdraw() async {
    await membership.withdraw()
  }
}

/// A process that is present in a cluster, or takes part in an election, with the value that it announces.
public struct ClusterMember<Value: Sendable>: Sendable, Identifiable {
  /// The unique identifier of the announcement.
  public let id: String

  /// The announced value.
  public let value: Value

  /// The revision at which the process announced itself.
  ///
  /// In an election it is the fencing token: each leader has a larger one than the leaders before.
  public let revision: Int64
}

extension ClusterMember: Equatable where Value: Equatable {}

extension ClusterMember: Hashable where Value: Hashable {}

/// Decodes the members in a range, in the order in which they came.
enum MemberList {
  static func members<Value: Codable & Sendable>(
    in entries: RangeEntries, as type: Value.Type, place: String
  ) -> [ClusterMember<Value>] {
    entries.entries.sorted { $0.value.createRevision < $1.value.createRevision }
      // Without the members that run another version of the program.
      .compactMap { member($0, $1, as: type, place: place) }
  }

  /// Returns the member that came first; `nil` if it cannot be decoded, because no other one takes its place.
  static func first<Value: Codable & Sendable>(
    in entries: RangeEntries, as type: Value.Type, place: String
  ) -> ClusterMember<Value>? {
    first(in: entries).flatMap { member($0.key, $0.value, as: type, place: place) }
  }

  /// Returns the entry that came first.
  static func first(in entries: RangeEntries) -> (key: Data, value: EtcdEntry)? {
    entries.entries.min { $0.value.createRevision < $1.value.createRevision }
  }

  private static func member<Value: Codable & Sendable>(
    _ name: Data, _ entry: EtcdEntry, as type: Value.Type, place: String
  ) -> ClusterMember<Value>? {
    do throws(ClusterError) {
      let value = try ValueCoding.decode(type, from: entry.value, key: place)
      return ClusterMember(id: String(decoding: name, as: UTF8.self), value: value, revision: entry.createRevision)
    } catch {
      return nil
    }
  }
}
