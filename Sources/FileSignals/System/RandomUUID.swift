package import Foundation

extension UUID {
  /// Returns a random identity from the kernel's generator.
  ///
  /// `UUID()` reads `/dev/urandom`. In a jail without that device, all its results are zero, and therefore equal.
  package static func random() -> UUID {
    var bytes = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    return withUnsafeMutableBytes(of: &bytes) { bytes in
      // Version 4, with the usual variant.
      bytes[6] = bytes[6] & 0x0F | 0x40
      bytes[8] = bytes[8] & 0x3F | 0x80
      return UUID(uuid: bytes.load(as: uuid_t.self))
    }
  }
}
