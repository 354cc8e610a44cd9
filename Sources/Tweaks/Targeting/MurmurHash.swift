/// MurmurHash3, the variant of 32 bits for x86: the same on every platform and in every process.
enum MurmurHash {
  static func hash(_ text: String, seed: UInt32 = 0) -> UInt32 {
    let bytes = Array(text.utf8)
    var hash = seed
    var index = 0
    while index + 4 <= bytes.count {
      var word: UInt32 = 0
      for offset in 0..<4 { word |= UInt32(bytes[index + offset]) << UInt32(8 * offset) }
      hash ^= scrambled(word)
      hash = rotated(hash, by: 13) &* 5 &+ 0xE654_6B64
      index += 4
    }
    var tail: UInt32 = 0
    for offset in 0..<(bytes.count - index) { tail |= UInt32(bytes[index + offset]) << UInt32(8 * offset) }
    hash ^= scrambled(tail)
    hash ^= UInt32(bytes.count)
    hash ^= hash >> 16
    hash &*= 0x85EB_CA6B
    hash ^= hash >> 13
    hash &*= 0xC2B2_AE35
    return hash ^ hash >> 16
  }

  private static func scrambled(_ word: UInt32) -> UInt32 { rotated(word &* 0xCC9E_2D51, by: 15) &* 0x1B87_3593 }

  private static func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}
