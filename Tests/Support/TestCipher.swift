public import Foundation

/// A cipher with the properties that a seal needs, but without any security: it is for tests alone.
public enum TestCipher {
  /// The error for bytes that are not authentic.
  public struct Forged: Error {}

  /// Returns a nonce, a tag, and the bytes with a stream over them.
  public static func seal(_ plain: Data, _ header: Data, _ key: String) -> Data {
    let nonce = bytes(of: .random(in: .min ... .max))
    let hidden = streamed(plain, nonce, key)
    return nonce + tag(hidden, header, nonce, key) + hidden
  }

  /// Returns the plain bytes, or throws ``Forged``.
  public static func open(_ sealed: Data, _ header: Data, _ key: String) throws -> Data {
    guard sealed.count >= 16 else { throw Forged() }
    let (nonce, hidden) = (sealed[..<8], sealed[16...])
    guard sealed[8..<16] == tag(hidden, header, nonce, key) else { throw Forged() }
    return streamed(hidden, nonce, key)
  }

  private static func tag(_ hidden: Data, _ header: Data, _ nonce: Data, _ key: String) -> Data {
    bytes(of: hash([Data(key.utf8), header, nonce, hidden, Data(key.utf8)]))
  }

  private static func streamed(_ data: Data, _ nonce: Data, _ key: String) -> Data {
    var state = hash([nonce, Data(key.utf8)])
    return Data(
      data.map { byte in
        state &+= 0x9E37_79B9_7F4A_7C15
        let mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return byte ^ UInt8(truncatingIfNeeded: mixed >> 56)
      })
  }

  private static func hash(_ parts: [Data]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for part in parts {
      for byte in bytes(of: UInt64(part.count)) + part { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return hash ^ (hash >> 32)
  }

  private static func bytes(of number: UInt64) -> Data { withUnsafeBytes(of: number.littleEndian) { Data($0) } }
}
