import Foundation

/// A cursor over bytes that MMKV may have written, in the encoding of Protocol Buffers.
///
/// Each method returns `nil` if the bytes are not what it reads.
struct MMKVReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Reads some bytes.
  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Reads a number of a fixed size.
  mutating func number(of size: Int) -> UInt64? {
    bytes(size)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a number of seven bits in each byte, the lowest first.
  mutating func integer() -> UInt64? {
    var result: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
    }
    return nil
  }

  /// Reads bytes behind their number.
  mutating func bytes() -> ArraySlice<UInt8>? {
    guard let count = integer(), count <= rest.count else { return nil }
    return bytes(Int(count))
  }

  // MARK: Values

  /// The reason why a value cannot be adopted.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns a stored value as a type, if it takes all of its bytes.
  static func value(
    _ bytes: ArraySlice<UInt8>, as type: any (Codable & Sendable).Type
  ) throws(Refusal) -> any Encodable {
    var reader = MMKVReader(bytes)
    guard let value = try reader.value(as: type), reader.isAtEnd else {
      throw Refusal(description: "MMKV stored it in \(bytes.count) bytes, which are not a value of type \(type)")
    }
    return value
  }

  private mutating func value(as type: any (Codable & Sendable).Type) throws(Refusal) -> (any Encodable)? {
    switch type {
    case is Bool.Type: return integer().flatMap { $0 < 2 ? $0 == 1 : nil }
    case is String.Type: return string()
    case is Data.Type: return bytes().map { Data($0) }
    case is Float.Type: return number(of: 4).map { Float(bitPattern: UInt32($0)) }
    case is Double.Type: return double()
    case is Date.Type: return double().map { Date(timeIntervalSince1970: $0) }
    case is [String].Type: return strings()
    case let type as any (FixedWidthInteger & Encodable).Type: return integer(as: type)
    default:
      throw Refusal(
        description: "MMKV stores no values of type \(type); name the type that was passed to set, or read it with MMKV"
      )
    }
  }

  private mutating func integer<Value: FixedWidthInteger>(as type: Value.Type) -> Value? {
    // MMKV extends negative numbers of any size to 64 bits.
    integer().flatMap { Value.isSigned ? Value(exactly: Int64(bitPattern: $0)) : Value(exactly: $0) }
  }

  private mutating func double() -> Double? {
    number(of: 8).map { Double(bitPattern: $0) }
  }

  private mutating func string() -> String? {
    bytes().flatMap { String(validating: $0, as: UTF8.self) }
  }

  private mutating func strings() -> [String]? {
    guard let list = bytes() else { return nil }
    var reader = MMKVReader(list)
    var strings: [String] = []
    while !reader.isAtEnd {
      guard let string = reader.string() else { return nil }
      strings.append(string)
    }
    return strings
  }
}
