/// The bytes that have a meaning in JSON.
///
/// Compare them with `==`, not in a `switch`, which calls a function for each case in code that is not optimised.
package enum JSONByte {
  package static let tab: UInt8 = 0x09
  package static let lineFeed: UInt8 = 0x0A
  package static let carriageReturn: UInt8 = 0x0D
  package static let space: UInt8 = 0x20
  package static let quote: UInt8 = 0x22
  package static let comma: UInt8 = 0x2C
  package static let minus: UInt8 = 0x2D
  package static let plus: UInt8 = 0x2B
  package static let dot: UInt8 = 0x2E
  package static let zero: UInt8 = 0x30
  package static let nine: UInt8 = 0x39
  package static let colon: UInt8 = 0x3A
  package static let openingBracket: UInt8 = 0x5B
  package static let backslash: UInt8 = 0x5C
  package static let closingBracket: UInt8 = 0x5D
  package static let letterE: UInt8 = 0x65
  package static let letterU: UInt8 = 0x75
  package static let openingBrace: UInt8 = 0x7B
  package static let closingBrace: UInt8 = 0x7D
}
