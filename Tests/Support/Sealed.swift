/// A value that proves its own integrity, with the amount that each author has added.
///
/// Its text has any size and, like its checksum, follows from the other fields, so that half a value or a mix of two is
/// detected.
public struct Sealed: Codable, Hashable, Sendable {
  /// The number of times that other programs may have destroyed the stored value.
  public private(set) var epoch: Int

  /// The amount that each author has added in this epoch.
  public private(set) var tally: [String: Int]

  private var size: Int
  private var checksum: Int
  private var text: String

  /// Creates a value.
  public init(epoch: Int = 0, tally: [String: Int] = [:], size: Int = 0) {
    self.epoch = epoch
    self.tally = tally
    self.size = size
    checksum = 0
    text = ""
    seal()
  }

  /// The total amount added in this epoch.
  public var count: Int { tally.values.reduce(0, +) }

  /// A Boolean value that indicates whether the value is complete and has no part of another value.
  public var isWhole: Bool { checksum == expectedChecksum && text == expectedText }

  /// Adds one.
  public mutating func increment(by author: String, size: Int = 0) {
    tally[author, default: 0] += 1
    self.size = size
    seal()
  }

  /// Returns `true` if this value can follow another: no author's amount is smaller.
  public func follows(_ other: Sealed) -> Bool {
    if epoch != other.epoch { return epoch > other.epoch }
    return other.tally.allSatisfy { author, count in tally[author, default: 0] >= count }
  }

  private mutating func seal() {
    checksum = expectedChecksum
    text = expectedText
  }

  private var expectedChecksum: Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    let words = tally.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    for byte in "\(epoch) \(size) \(words)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(hash >> 12)
  }

  private var expectedText: String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return String(repeating: letters[expectedChecksum % letters.count], count: size)
  }
}

extension Sealed: CustomStringConvertible {
  /// A description of all fields except the text.
  public var description: String { "epoch \(epoch) \(tally.sorted { $0.key < $1.key }) size \(size)" }
}
