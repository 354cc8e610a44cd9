import TestSupport
import Testing

@testable import Stores

/// A member that keeps its coders, as a type that decodes its content lazily may.
private struct Clinging: Codable, Equatable, Sendable {
  // Sound: the tests are serialized.
  nonisolated(unsafe) static var decoder: (any Decoder)?
  nonisolated(unsafe) static var encoder: (any Encoder)?
  nonisolated(unsafe) static weak var decodedRow: RowDecoder?
  nonisolated(unsafe) static weak var encodedRow: RowEncoder?

  var text: String

  init(text: String) {
    self.text = text
  }

  init(from decoder: any Decoder) throws {
    Self.decoder = decoder
    Self.decodedRow = (decoder as? MemberDecoder)?.row
    text = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    Self.encoder = encoder
    Self.encodedRow = (encoder as? MemberEncoder)?.row
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

private struct Clung: StoreModel, Equatable {
  static let table = TableSpec("clung")
  var id: Int64
  var member: Clinging
}

@Suite("Coders that a member keeps", .serialized, .patient)
struct KeptCoderTests {
  private func store() throws {
    let database = try Database(.memory, schema: Schema(version: 1, models: [Clung.self]))
    let row = Clung(id: 1, member: Clinging(text: "a"))
    try database.write { transaction throws in
      try transaction.put(row)
      #expect(try transaction.find(Clung.self, id: 1) == row)
    }
    try database.close()
  }

  @Test func `a kept decoder keeps the decoder of the row, and reads nothing`() throws {
    try store()
    #expect(Clinging.decoder is MemberDecoder)
    try #require(Clinging.decodedRow != nil)
    let container = try Clinging.decoder?.singleValueContainer()
    #expect(throws: ModelError.self) { try container?.decode(String.self) }
  }

  @Test func `a kept encoder keeps the encoder of the row, and writes nothing`() throws {
    try store()
    #expect(Clinging.encoder is MemberEncoder)
    try #require(Clinging.encodedRow != nil)
    var container = Clinging.encoder?.singleValueContainer()
    try container?.encode("b")
  }

  @Test func `coders that no member keeps are released`() throws {
    try store()
    Clinging.decoder = nil
    Clinging.encoder = nil
    #expect(Clinging.decodedRow == nil)
    #expect(Clinging.encodedRow == nil)
  }
}
