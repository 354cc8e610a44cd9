import Foundation

extension FileFormat where Value: Codable {
  /// JSON without white space, because no one edits a log by hand.
  static var compactJSON: FileFormat {
    // Reused, because creating them for each event would add a tenth to the time of an append.
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.outputFormatting = .withoutEscapingSlashes
    return FileFormat(
      encode: { try encoder.encode($0) },
      decode: { try decoder.decodeExplaining(Value.self, from: $0) }
    )
  }
}
