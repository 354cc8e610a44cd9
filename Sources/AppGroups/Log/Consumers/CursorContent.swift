import FileSignals
import Foundation

/// A cursor as it is stored on disk: JSON with a checksum of its positions.
struct CursorContent: Codable {
  private let positions: [String: LogPosition]
  /// The checksum of the positions, or `nil` in a cursor of the first version.
  private let checksum: UInt32?
  /// The moment at which it was saved, as ``UptimeMoment/text``; `nil` in a cursor of an earlier version.
  private let moment: String?

  init(_ positions: [UUID: LogPosition]) {
    self.positions = Dictionary(uniqueKeysWithValues: positions.map { ($0.key.uuidString, $0.value) })
    checksum = Self.checksum(of: self.positions)
    moment = UptimeMoment.now?.text
  }

  /// Returns the moment at which a cursor was saved, or `nil` if it is unknown.
  static func moment(in data: Data) -> UptimeMoment? {
    tolerating(
      try JSONDecoder().decode(CursorContent.self, from: data).moment.flatMap { UptimeMoment(text: $0) }, else: nil)
  }

  /// Returns the positions if they are valid.
  func validated() throws -> [UUID: LogPosition] {
    guard checksum == nil || checksum == Self.checksum(of: positions) else {
      throw Self.error("the checksum is wrong")
    }
    var validated: [UUID: LogPosition] = [:]
    for (key, position) in positions {
      guard position.isPossible else { throw Self.error("a position is out of range") }
      if let producer = UUID(uuidString: key) { validated[producer] = position }
    }
    return validated
  }

  /// Returns the CRC-32 of one line for each producer, in the order of their names.
  private static func checksum(of positions: [String: LogPosition]) -> UInt32 {
    var text = ""
    for (producer, position) in positions.sorted(by: { $0.key < $1.key }) {
      text += "\(producer) \(position.segment) \(position.offset) \(position.sequence) \(position.isBroken)\n"
    }
    return Array(text.utf8).withUnsafeBytes { Checksum.of($0) }
  }

  private static func error(_ words: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: words))
  }
}
