import Foundation
import Signals

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
