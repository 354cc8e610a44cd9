/// The CRC-32 of zlib and Ethernet, computed eight bytes at a time, with tables instead of special instructions.
package enum Checksum {
  /// Eight tables of 256 entries, one after another.
  ///
  /// Sound: the tables never change after they are built, and are never freed.
  nonisolated(unsafe) private static let tables: UnsafePointer<UInt32> = {
    let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
      tables[byte] = value
    }
    for byte in 0..<256 {
      for table in 1..<8 {
        let previous = tables[(table - 1) * 256 + byte]
        tables[table * 256 + byte] = (previous >> 8) ^ tables[Int(previous & 0xFF)]
      }
    }
    return UnsafePointer(tables)
  }()

  /// Returns the checksum of some bytes, or of earlier bytes and these if it continues from the earlier checksum.
  package static func of(_ bytes: UnsafeRawBufferPointer, goingOnFrom earlier: UInt32 = 0) -> UInt32 {
    let tables = tables
    var value = ~earlier
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(value)
      // Sound: each index is less than 256, so it lies within its table.
      value =
        tables[7 * 256 + Int(word & 0xFF)] ^ tables[6 * 256 + Int((word >> 8) & 0xFF)]
        ^ tables[5 * 256 + Int((word >> 16) & 0xFF)] ^ tables[4 * 256 + Int((word >> 24) & 0xFF)]
        ^ tables[3 * 256 + Int((word >> 32) & 0xFF)] ^ tables[2 * 256 + Int((word >> 40) & 0xFF)]
        ^ tables[256 + Int((word >> 48) & 0xFF)] ^ tables[Int(word >> 56)]
      offset += 8
    }
    while offset < bytes.count {
      value = (value >> 8) ^ tables[Int((value ^ UInt32(bytes[offset])) & 0xFF)]
      offset += 1
    }
    return ~value
  }
}
