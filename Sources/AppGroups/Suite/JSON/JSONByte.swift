/// The bytes that JSON gives a meaning.
///
/// Compared with `==` and not in a `switch`, which without optimisation calls a function for each case.
enum JSONByte {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quote: UInt8 = 0x22
  static let comma: UInt8 = 0x2C
  static let minus: UInt8 = 0x2D
  static let plus: UInt8 = 0x2B
  static let dot: UInt8 = 0x2E
  static let zero: UInt8 = 0x30
  static let nine: UInt8 = 0x39
  static let colon: UInt8 = 0x3A
  static let backslash: UInt8 = 0x5C
  static let openingBracket: UInt8 = 0x5B
  static let closingBracket: UInt8 = 0x5D
  static let letterE: UInt8 = 0x65
  static let letterU: UInt8 = 0x75
  static let openingBrace: UInt8 = 0x7B
  static let closingBrace: UInt8 = 0x7D
}
