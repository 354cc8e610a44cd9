/// The digest of FIPS 180-4, which Foundation does not provide on all platforms.
package enum SHA256 {
  /// The first 32 bits of the fractional parts of the square roots of the first eight primes.
  private static let start: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = primes(64).map { prime in
    // The low bits of the integer cube root of prime · 2^96 are the required ones.
    var root: UInt64 = 0
    for bit in (0..<36).reversed() {
      let next = root | (1 << UInt64(bit))
      if isCubeAtMost(next, prime) { root = next }
    }
    return UInt32(truncatingIfNeeded: root)
  }

  /// Returns the digest of a message, which has 32 bytes.
  package static func digest(_ message: [UInt8]) -> [UInt8] {
    var hash = start
    let padding = (119 - message.count % 64) % 64
    let bits = UInt64(message.count) * 8
    let padded =
      message + [0x80] + Array(repeating: 0, count: padding)
      + (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    var words = [UInt32](repeating: 0, count: 64)
    let constants = constants
    for block in stride(from: 0, to: padded.count, by: 64) {
      schedule(padded, at: block, into: &words)
      compress(words, constants, into: &hash)
    }
    return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
  }

  /// Expands a block of 64 bytes into 64 words, without an allocation.
  private static func schedule(_ bytes: [UInt8], at block: Int, into words: inout [UInt32]) {
    var index = 0
    while index < 16 {
      let byte = block &+ index &* 4
      let upper = UInt32(bytes[byte]) << 24 | UInt32(bytes[byte &+ 1]) << 16
      words[index] = upper | UInt32(bytes[byte &+ 2]) << 8 | UInt32(bytes[byte &+ 3])
      index &+= 1
    }
    while index < 64 {
      let early = words[index &- 15], late = words[index &- 2]
      let first = rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)
      let second = rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10)
      words[index] = words[index &- 16] &+ first &+ words[index &- 7] &+ second
      index &+= 1
    }
  }

  private static func compress(_ words: [UInt32], _ constants: [UInt32], into hash: inout [UInt32]) {
    var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
    var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
    var index = 0
    while index < 64 {
      let choice = (e & f) ^ (~e & g)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let first = h &+ mixed &+ choice &+ constants[index] &+ words[index]
      let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
      index &+= 1
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { hash[index] &+= word }
  }

  /// Returns the authentication code of a message, HMAC-SHA-256 of RFC 2104.
  ///
  /// Without the key, the message cannot be found by trying likely ones.
  package static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? digest(key) : key
    let padded = short + Array(repeating: 0, count: 64 - short.count)
    return digest(padded.map { $0 ^ 0x5C } + digest(padded.map { $0 ^ 0x36 } + message))
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// Returns a Boolean value that indicates whether the cube of a number below 2^36 is at most prime · 2^96.
  private static func isCubeAtMost(_ number: UInt64, _ prime: UInt64) -> Bool {
    let square = number.multipliedFullWidth(by: number)
    // The square has fewer than 73 bits, so the product of its upper half and the number fits.
    let low = square.low.multipliedFullWidth(by: number)
    let high = square.high * number + low.high
    let limit = prime << 32
    return high < limit || (high == limit && low.low == 0)
  }

  private static func primes(_ count: Int) -> [UInt64] {
    var found: [UInt64] = []
    var candidate: UInt64 = 2
    while found.count < count {
      if !found.contains(where: { candidate % $0 == 0 }) { found.append(candidate) }
      candidate += 1
    }
    return found
  }
}

extension Sequence<UInt8> {
  /// The bytes as lowercase hexadecimal digits, two for each byte.
  package var hexadecimal: String {
    lazy.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
