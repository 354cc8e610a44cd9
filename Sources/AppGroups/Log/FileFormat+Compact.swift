import Foundation

extension FileFormat where Value: Codable {
  /// JSON without a blank, since nobody edits a log by hand.
  static var compactJSON: FileFormat {
    FileFormat(
      encode: { value in
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(value)
      },
      decode: { try JSONDecoder().decode(Value.self, from: $0) }
    )
  }
}
