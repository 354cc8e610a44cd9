import FileSignals
package import Foundation
import StrictJSON

extension SuiteText {
  /// Reads the content of a file.
  ///
  /// Members that the last text has, too, are recognized by their bytes, and not read. If a name occurs twice, the last
  /// value counts, as it does for most programs.
  ///
  /// - Parameters:
  ///   - data: The content.
  ///   - last: The text that was read before.
  /// - Returns: The text in the layout of a suite.
  /// - Throws: ``TextProblem``.
  static func read(_ data: Data, after last: SuiteText) throws(TextProblem) -> SuiteText {
    // Offsets count from the beginning of the bytes.
    let data = data.startIndex == 0 ? data : Data(data)
    if let starts = try starts(in: data, after: last) { return SuiteText(data, starts, last.entries) }
    var members: [ExactString: SuiteEntry?] = [:]
    for (name, text) in try JSONMembers.read(data) {
      let name = ExactString(name)
      members[name] = SuiteEntry(name, text: text)
    }
    return SuiteText(entries: last.entries).changing(members)
  }

  /// Returns the offsets of the members, or `nil` if the content has another layout than a suite's.
  private static func starts(in data: Data, after last: SuiteText) throws(TextProblem) -> [Int]? {
    try JSONReader.read(data) { reader throws(TextProblem) in
      guard reader.peek == JSONByte.openingBrace else { throw reader.problem("expected an object") }
      var starts: [Int]? = []
      var lines = Lines(reader.bytes, last)
      var hasMore = try reader.enter(JSONByte.closingBrace)
      while hasMore, let start = try lines.next(&reader) {
        starts?.append(start)
        hasMore = try reader.goOn(to: JSONByte.closingBrace)
      }
      if hasMore || !lines.areComplete { starts = nil }
      reader.skip(to: reader.bytes.count)
      return starts
    }
  }

  /// Reads the members of a text, as long as they have the layout of a suite.
  private struct Lines: ~Copyable {
    // Sound: it lives only while the text is read.
    private let bytes: UnsafeRawBufferPointer
    private let known: SuiteText
    /// The index of the known member that is likely to come next.
    private var index = 0
    /// The last member, and whether it is a known one.
    private var last: (range: Range<Int>, isKnown: Bool)?
    /// The text that a member has in the layout of a suite.
    private var line: [UInt8] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ known: SuiteText) {
      self.bytes = UnsafeRawBufferPointer(bytes)
      self.known = known
    }

    /// Reads a member.
    ///
    /// - Returns: Its offset, or `nil` if its layout or its place differs from a suite's.
    mutating func next(_ reader: inout JSONReader) throws(TextProblem) -> Int? {
      let start = reader.index
      let isFirst = last == nil
      guard isBytes(isFirst ? SuiteText.start : SuiteText.separator, in: (last?.range.upperBound ?? 0)..<start) else {
        return nil
      }
      let isKnown = skip(&reader)
      if isKnown {
        // Known members are in order among themselves.
        if last?.isKnown == false, !isInOrder(SuiteText.name(at: start, in: bytes).text) { return nil }
      } else {
        let name = try reader.name()
        guard isInOrder(name) else { return nil }
        line.removeAll(keepingCapacity: true)
        JSONText.append(quoted: name, to: &line)
        line += SuiteEntry.colon
        try reader.layOut(into: &line)
        guard isBytes(line, in: start..<reader.index) else { return nil }
      }
      last = (start..<reader.index, isKnown)
      return start
    }

    /// Returns whether a name comes after that of the last member.
    private func isInOrder(_ name: String) -> Bool {
      last.map { SuiteText.isName(name, afterNameAt: $0.range.lowerBound, in: bytes) } ?? true
    }

    /// A Boolean value that indicates whether the text ends after the last member as a suite does.
    var areComplete: Bool {
      guard let last else { return bytes.elementsEqual(SuiteText.empty) }
      return isBytes(SuiteText.end, in: last.range.upperBound..<bytes.count)
    }

    private func isBytes(_ expected: some ContiguousBytes, in range: Range<Int>) -> Bool {
      expected.withUnsafeBytes { expected in
        guard expected.count == range.count, let start = expected.baseAddress, let other = bytes.baseAddress else {
          return false
        }
        return memcmp(start, other + range.lowerBound, range.count) == 0
      }
    }

    /// Skips the next known member, or the one after it if the next one was changed or removed.
    private mutating func skip(_ reader: inout JSONReader) -> Bool {
      for candidate in index..<min(index + 2, known.count) {
        let line = known.range(at: candidate)
        let end = reader.index + line.count
        // A number might continue after these bytes.
        guard end < bytes.count, bytes[end] == JSONByte.comma || bytes[end] == JSONByte.lineFeed,
          known.data.withUnsafeBytes({ isBytes(UnsafeRawBufferPointer(rebasing: $0[line]), in: reader.index..<end) })
        else { continue }
        index = candidate + 1
        reader.skip(to: end)
        return true
      }
      return false
    }
  }
}

/// Splits a JSON object into its members without decoding their values, and joins members to an object.
package enum JSONMembers {
  /// Reads the members of a JSON object in order, with the text of each value.
  ///
  /// - Throws: ``TextProblem``.
  static func read(_ text: Data) throws(TextProblem) -> [(name: String, text: Data)] {
    try JSONReader.read(text) { reader throws(TextProblem) in
      guard reader.peek == JSONByte.openingBrace else { throw reader.problem("expected an object") }
      var members: [(name: String, text: Data)] = []
      var value: [UInt8] = []
      var hasMore = try reader.enter(JSONByte.closingBrace)
      while hasMore {
        let name = try reader.name()
        value.removeAll(keepingCapacity: true)
        try reader.layOut(into: &value)
        members.append((name, Data(value)))
        hasMore = try reader.goOn(to: JSONByte.closingBrace)
      }
      return members
    }
  }

  /// Returns the texts of an object's values by name.
  ///
  /// If a name occurs twice, the last value counts.
  ///
  /// - Throws: An error with a description if the text is not an object.
  package static func split(_ text: Data) throws -> [String: Data] {
    var members: [String: Data] = [:]
    for (name, text) in try read(text) { members[name] = text }
    return members
  }

  /// Returns the text of an object.
  package static func join(_ members: [String: Data]) -> Data {
    let lines = members.sorted { $0.key < $1.key }.map { JSONText.quoted($0.key) + Data(":".utf8) + $0.value }
    return Data("{".utf8) + lines.joined(separator: Data(",".utf8)) + Data("}".utf8)
  }
}
