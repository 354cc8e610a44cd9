import Foundation

/// A stored key with its value and revisions.
struct EtcdEntry: Sendable, Hashable, Decodable {
  var key: Data

  /// The revision at which the key was created; 0 in the event of a deletion.
  var createRevision: Int64

  /// The revision of the last change.
  var modRevision: Int64

  var value: Data

  /// The lease that the key is bound to; 0 if there is none.
  var lease: Int64

  private enum CodingKeys: String, CodingKey {
    case key, value, lease
    case createRevision = "create_revision"
    case modRevision = "mod_revision"
  }

  init(key: Data, createRevision: Int64 = 0, modRevision: Int64, value: Data = Data(), lease: Int64 = 0) {
    self.key = key
    self.createRevision = createRevision
    self.modRevision = modRevision
    self.value = value
    self.lease = lease
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    key = try container.decodeIfPresent(Data.self, forKey: .key) ?? Data()
    createRevision = try container.integer(.createRevision)
    modRevision = try container.integer(.modRevision)
    value = try container.decodeIfPresent(Data.self, forKey: .value) ?? Data()
    lease = try container.integer(.lease)
  }
}
