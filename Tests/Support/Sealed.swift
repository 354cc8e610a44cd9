/// A value that shows by itself whether it is whole, and who added how much to it.
///
/// Its text has any size, and follows from the rest, as does its checksum; half a value, or two in one, cannot pass.
public struct Sealed: Codable, Hashable, Sendable {
  /// Goes up each time that foreign hands may have destroyed what was there.
  public private(set) var epoch: Int

  /// How much each author has added in this epoch.
  public private(set) var tally: [String: Int]

  private var size: Int
  private var checksum: Int
  private var text: String

  /// Makes a value.
  public init(epoch: Int = 0, tally: [String: Int] = [:], size: Int = 0) {
    self.epoch = epoch
    self.tally = tally
    self.size = size
    checksum = 0
    text = ""
    seal()
  }

  /// All that was added in this epoch.
  public var count: Int { tally.values.reduce(0, +) }

  /// Whether nothing of it is missing, and nothing of another value is in it.
  public var isWhole: Bool { checksum == expectedChecksum && text == expectedText }

  /// Adds one.
  public mutating func increment(by author: String, size: Int = 0) {
    tally[author, default: 0] += 1
    self.size = size
    seal()
  }

  /// Whether this one can come after another: nobody's part is smaller.
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
  /// Everything but the text.
  public var description: String { "epoch \(epoch) \(tally.sorted { $0.key < $1.key }) size \(size)" }
}
