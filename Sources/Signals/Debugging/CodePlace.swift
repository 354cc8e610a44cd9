/// A place in source code, stored in two words.
///
/// Every subscription carries one, so it is smaller than a `StaticString` and a line.
@usableFromInline
@frozen
struct CodePlace: @unchecked Sendable, CustomStringConvertible {
  // Sound: it points to constants of the program.

  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline let length: UInt32
  @usableFromInline let line: UInt32

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - file: The file, in the form of `#fileID`.
  ///   - line: The line.
  @inlinable @inline(__always)
  init(_ file: StaticString, _ line: UInt) {
    start = file.utf8Start
    length = UInt32(truncatingIfNeeded: file.utf8CodeUnitCount)
    self.line = UInt32(truncatingIfNeeded: line)
  }

  /// The file and the line, such as `App/Settings.swift:12`.
  @usableFromInline var description: String {
    String(decoding: UnsafeBufferPointer(start: start, count: Int(length)), as: UTF8.self) + ":\(line)"
  }
}

/// A subscriber that knows the place in the code where it was attached.
protocol PlacedStep {
  var place: CodePlace { get }
}

extension ValueSink: PlacedStep {}
extension CompletionSink: PlacedStep {}
