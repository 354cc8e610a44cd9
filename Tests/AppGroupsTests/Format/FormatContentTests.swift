import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

/// Values that are easily lost on the way to a file and back.
private struct Sample: Codable, Sendable {
  var numbers: [Double] = [-0.0, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1 / 3]
  var integers: [Int64] = [.max, .min, 1 << 53 + 1, -1, 0]
  var naturals: [UInt64] = [.max, 1 << 63]
  var dates = [Date(timeIntervalSinceReferenceDate: 0.123_456_789), .distantPast, .distantFuture]
  var data = Data([0, 255, 10])
  var text = "e\u{301} é \u{0} \" \\ / 😀 \u{2028}"
  var none: Int?
  var table = ["b": [1, 2], "a": []]

  func differences(from other: Sample) -> [String] {
    var differences: [String] = []
    if numbers.map(\.bitPattern) != other.numbers.map(\.bitPattern) { differences.append("numbers") }
    if integers != other.integers || naturals != other.naturals { differences.append("integers") }
    if dates != other.dates { differences.append("dates") }
    if data != other.data || none != other.none || table != other.table { differences.append("others") }
    if Array(text.unicodeScalars) != Array(other.text.unicodeScalars) { differences.append("text") }
    return differences
  }
}

@Suite("Fidelity of formats", .seeded)
struct FormatContentTests {
  @Test
  func `JSON and binary property lists preserve numbers, dates, data and text exactly`() throws {
    for format in [FileFormat<Sample>.json, FileFormat(.binaryPropertyList), .versioned(FileVersions(Sample.self))] {
      let sample = try format.decode(format.encode(Sample()))
      #expect(sample.differences(from: Sample()).isEmpty)
    }
  }

  @Test
  func `an XML property list truncates dates to seconds and preserves the rest`() throws {
    let format = FileFormat<Sample>(.propertyList)
    var sample = Sample()
    // XML allows no control characters.
    sample.text = "e\u{301} é \" < & 😀"
    let back = try format.decode(format.encode(sample))
    #expect(back.differences(from: sample) == ["dates"])
    let text = String(decoding: try format.encode(sample), as: UTF8.self)
    #expect(text.hasPrefix("<?xml"))
  }

  @Test
  func `equal values have equal bytes, whatever the order of insertion`() throws {
    typealias Table = [String: [Int: String]]
    let formats: [FileFormat<Table>] = [
      .json, FileFormat(.propertyList), FileFormat(.binaryPropertyList), .versioned(FileVersions(Table.self)),
      .versioned(FileVersions(Table.self), coding: .binaryPropertyList),
      .json(encoder: { $0.outputFormatting = .prettyPrinted }),
    ]
    var chance = Chance()
    for format in formats {
      let contents = try (0..<20).map { _ in
        var table: Table = [:]
        for key in (0..<40).shuffled(using: &chance) { table["key \(key)", default: [:]][key] = "x" }
        return try format.encode(table)
      }
      #expect(Set(contents).count == 1)
    }
  }

  @Test
  func `infinity and NaN are rejected by JSON unless configured, and kept by property lists`() throws {
    let values = [Double.infinity, -.infinity, .nan]
    for value in values {
      #expect(throws: EncodingError.self) { try FileFormat<[Double]>.json.encode([value]) }
      #expect(throws: EncodingError.self) {
        try FileFormat<[Double]>.versioned(FileVersions([Double].self)).encode([value])
      }
    }
    let told = FileFormat<[Double]>.json(
      encoder: {
        $0.nonConformingFloatEncodingStrategy = .convertToString(
          positiveInfinity: "∞", negativeInfinity: "-∞", nan: "nan")
      },
      decoder: {
        $0.nonConformingFloatDecodingStrategy = .convertFromString(
          positiveInfinity: "∞", negativeInfinity: "-∞", nan: "nan")
      })
    for format in [told, FileFormat(.propertyList), FileFormat(.binaryPropertyList)] {
      let back = try format.decode(format.encode(values))
      #expect(back[0] == .infinity && back[1] == -.infinity && back[2].isNaN)
    }
  }

  @Test
  func `a property list of a single number is rejected with a reason, unless it has a version`() throws {
    let fixture = try Fixture()
    let error = #expect(throws: AppGroupsFileError.self) {
      try AppGroupsFile(name: "n", initialValue: 1, container: fixture.container, format: FileFormat(.propertyList))
    }
    guard case .unencodable(_, let reason) = error else {
      Issue.record("The error is \(String(describing: error))")
      return
    }
    #expect(reason.contains("property list"))
    let file = try AppGroupsFile(
      name: "n", initialValue: 1, container: fixture.container,
      format: .versioned(FileVersions(Int.self), coding: .propertyList))
    try file.write(2)
    #expect(try file.read() == 2)
  }

  @Test
  func `a configured encoder is used for writing, and its decoding errors are damaged content`() throws {
    struct Meeting: Codable, Sendable { var startsAt: Date }
    let fixture = try Fixture()
    let format = FileFormat<Meeting>.json(
      encoder: {
        $0.dateEncodingStrategy = .iso8601
        $0.keyEncodingStrategy = .convertToSnakeCase
        $0.outputFormatting = []
      },
      decoder: {
        $0.dateDecodingStrategy = .iso8601
        $0.keyDecodingStrategy = .convertFromSnakeCase
      })
    let file = try AppGroupsFile(
      name: "m", initialValue: Meeting(startsAt: Date(timeIntervalSince1970: 0)), container: fixture.container,
      format: format)
    #expect(try fixture.text(of: file.url) == #"{"starts_at":"1970-01-01T00:00:00Z"}"# + "\n")
    try fixture.overwrite("m", with: #"{"starts_at":0}"#)
    let error = #expect(throws: AppGroupsFileError.self) { try file.read() }
    guard case .undecodable(_, let reason) = error else {
      Issue.record("The error is \(String(describing: error))")
      return
    }
    #expect(reason.contains("startsAt") || reason.contains("starts_at"))
  }

  @Test(arguments: [
    ("{\n  \"count\": 1,\n  \"text\": oops\n}", "expected a value on line 3, column 11"),
    ("{\"count\": 1, \"text\": \"a\"", "on line 1, column 25"),
    ("{\n  \"text\": \"a\",\n  \"count\": \"one\"\n}", "at count on line 3, column 12"),
    ("{\n  \"text\": \"a\"\n}", "the key \"count\" is missing on line 1, column 1"),
    ("{\n  \"count\": null,\n  \"text\": \"a\"\n}", "at count on line 2, column 12"),
  ])
  func `errors in JSON are reported with line and column`(content: String, words: String) throws {
    let fixture = try Fixture()
    let versions = FileVersions(Note.self)
    let formats: [FileFormat<Note>] = [.json, .json(), FileFormat(.json), .versioned(versions)]
    for (index, format) in formats.enumerated() {
      let name = "\(index).json"
      let file = try AppGroupsFile(name: name, initialValue: Note(), container: fixture.container, format: format)
      try fixture.overwrite(name, with: content)
      let error = #expect(throws: AppGroupsFileError.self) { try file.read() }
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
  }

  @Test
  func `the position of a nested value in JSON is reported, even in an envelope`() throws {
    let fixture = try Fixture()
    let file = try AppGroupsFile(
      name: "notes.json", initialValue: ["a": [Note()]], container: fixture.container,
      format: .versioned(FileVersions([String: [Note]].self)))
    let content = """
      {"version": 1, "value": {"é\\u0022": [], "a": [{"count": 1, "text": ""},
        {"count": true, "text": ""}]}}
      """
    try fixture.overwrite("notes.json", with: content)
    let error = #expect(throws: AppGroupsFileError.self) { try file.read() }
    #expect(
      error?.description.contains("at value.a.[1].count on line 2, column 13") == true, "\(String(describing: error))")
  }

  @Test
  func `the errors of a custom format are the reported reasons`() throws {
    struct Oops: Error, CustomStringConvertible {
      let description = "the moon is wrong"
    }
    let fixture = try Fixture()
    let format = FileFormat<Int>(
      encode: { number in
        guard number >= 0 else { throw Oops() }
        return Data("\(number)".utf8)
      },
      decode: { data in
        guard let number = Int(String(decoding: data, as: UTF8.self)) else { throw Oops() }
        return number
      })
    let file = try AppGroupsFile(name: "moon", initialValue: 1, container: fixture.container, format: format)
    #expect(throws: AppGroupsFileError.unencodable(file.url, reason: "the moon is wrong")) { try file.write(-1) }
    try fixture.overwrite("moon", with: "x")
    #expect(throws: AppGroupsFileError.undecodable(file.url, reason: "the moon is wrong")) { try file.read() }
    try fixture.overwrite("moon", with: "")
    #expect(throws: AppGroupsFileError.empty(file.url)) { try file.read() }
  }

  @Test
  func `a custom coding that returns a value of the wrong type is reported`() throws {
    let format = FileFormat<[Int]>(FileCoding(encode: { _ in Data() }, decode: { _, _ in "text" }))
    let error = #expect(throws: (any Error).self) { try format.decode(Data()) }
    #expect(error.map { "\($0)" }?.contains("String instead of Array<Int>") == true)
  }

  @Test
  func `a nil value is written and read like any other`() throws {
    for format in [FileFormat<Int?>.json, .versioned(FileVersions(Int?.self))] {
      #expect(try format.decode(format.encode(nil)) == .some(nil))
      #expect(try format.decode(format.encode(5)) == 5)
    }
  }
}
