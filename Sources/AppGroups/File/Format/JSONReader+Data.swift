import Foundation
import StrictJSON

extension JSONReader {
  /// Reads a text.
  ///
  /// - Parameters:
  ///   - data: The text.
  ///   - depth: The number of arrays and objects in which the value will be nested.
  ///   - body: Reads the value, which must be the entire text.
  /// - Returns: The result of `body`.
  /// - Throws: ``TextProblem``.
  static func read<Result>(
    _ data: Data, depth: Int = 0, _ body: (inout JSONReader) throws(TextProblem) -> Result
  ) throws(TextProblem) -> Result {
    try data.withUnsafeBytes { bytes in
      Swift.Result { () throws(TextProblem) in try read(bytes.bindMemory(to: UInt8.self), depth: depth, body) }
    }.get()
  }

  /// Returns the text of a value in the layout of a suite's member.
  ///
  /// - Throws: ``TextProblem``.
  static func memberText(of value: Data) throws(TextProblem) -> Data {
    var text: [UInt8] = []
    try read(value, depth: 1) { reader throws(TextProblem) in try reader.layOut(into: &text) }
    return Data(text)
  }
}
