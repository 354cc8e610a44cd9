/// The digest of FIPS 180-4, used for names, since Foundation does not provide it on all platforms.
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

  package static func digest(_ message: [UInt8]) -> [UInt8] {
    var hash = start
    let padding = (119 - message.count % 64) % 64
    let bits = UInt64(message.count) * 8
    let padded =
      message + [0x80] + Array(repeating: 0, count: padding)
      + (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    for block in stride(from: 0, to: padded.count, by: 64) { add(padded[block..<(block + 64)], to: &hash) }
    return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
  }

  private static func add(_ block: ArraySlice<UInt8>, to hash: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
      (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[index + $1]) }
    }
    for index in 16..<64 {
      let early = words[index - 15], late = words[index - 2]
      let first = rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)
      let second = rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10)
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var state = hash
    for index in 0..<64 {
      let (a, e) = (state[0], state[4])
      let choice = (e & state[5]) ^ (~e & state[6])
      let majority = (a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2])
      let mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let first = state[7] &+ mixed &+ choice &+ constants[index] &+ words[index]
      let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
      state = [first &+ second] + state[0..<3] + [state[3] &+ first] + state[4..<7]
    }
    for index in 0..<8 { hash[index] &+= state[index] }
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
