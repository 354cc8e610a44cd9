package import Foundation

extension UUID {
  /// A random identity, from the kernel.
  ///
  /// `UUID()` asks `/dev/urandom`; in a jail where there is none, all that it makes are zeros, and equal.
  package static func random() -> UUID {
    var bytes = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    return withUnsafeMutableBytes(of: &bytes) { bytes in
      // Version 4, of the usual variant.
      bytes[6] = bytes[6] & 0x0F | 0x40
      bytes[8] = bytes[8] & 0x3F | 0x80
      return UUID(uuid: bytes.load(as: uuid_t.self))
    }
  }
}
