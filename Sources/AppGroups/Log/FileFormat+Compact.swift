import Foundation

extension FileFormat where Value: Codable {
  /// JSON without a blank, since nobody edits a log by hand.
  static var compactJSON: FileFormat {
    // Kept, because to make them for each event would add a tenth.
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.outputFormatting = .withoutEscapingSlashes
    return FileFormat(
      encode: { try encoder.encode($0) },
      decode: { try decoder.decode(Value.self, from: $0) }
    )
  }
}
