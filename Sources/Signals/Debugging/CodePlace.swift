/// A place in source code, stored in one word.
///
/// The closure of each subscription contains one. Each delivery loads it with the other captures, and a second word
/// would no longer fit into the registers.
@usableFromInline
struct CodePlace: Sendable, CustomStringConvertible {
  /// The address of the file's name in the lower 48 bits, and the line above it.
  ///
  /// It is 0 if the address has more bits, as with a tool that tags addresses.
  @usableFromInline let word: UInt64

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - file: The file, in the form of `#fileID`.
  ///   - line: The line. A line beyond 65,535 is stored as 65,535.
  @inlinable @inline(__always)
  init(_ file: StaticString, _ line: UInt) {
    let address = UInt64(UInt(bitPattern: file.utf8Start))
    word = address >> 48 == 0 ? address | UInt64(min(line, 0xFFFF)) << 48 : 0
  }

  /// The file and the line, such as `App/Settings.swift:12`.
  @usableFromInline var description: String {
    guard let start = UnsafePointer<UInt8>(bitPattern: UInt(word & 0xFFFF_FFFF_FFFF)) else { return "unknown place" }
    // Sound: it is the text of a static string, which ends with a zero byte.
    return String(decodingCString: start, as: UTF8.self) + ":\(word >> 48)"
  }
}

/// A subscriber that knows the place in the code where it was attached.
protocol PlacedStep {
  var place: CodePlace { get }
}

extension ValueSink: PlacedStep {}
extension CompletionSink: PlacedStep {}
