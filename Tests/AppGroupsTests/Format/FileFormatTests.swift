import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@Suite("The format of a file", .seeded)
struct FileFormatTests {
  @Test
  func `JSON is equal for equal values, sorted and readable`() throws {
    let format = FileFormat<[String: [String]]>.json
    let value = Dictionary(uniqueKeysWithValues: (0..<100).map { ("key\($0)", ["a/b"]) })
    let data = try format.encode(value)
    var chance = Chance()
    for _ in 0..<10 {
      var copy: [String: [String]] = [:]
      for key in value.keys.shuffled(using: &chance) { copy[key] = value[key] }
      #expect(try format.encode(copy) == data)
    }
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains("a/b"))
    #expect(text.hasSuffix("}\n"))
    #expect(try format.decode(data) == value)
  }

  @Test
  func `a custom format determines the stored bytes`() throws {
    let fixture = try Fixture()
    let format = FileFormat<String>(
      encode: { Data($0.utf8) }, decode: { String(decoding: $0, as: UTF8.self) })
    let file = try AppGroupsFile(name: "text", initialValue: "", container: fixture.container, format: format)
    #expect(file.status.value == .current, "a format may read the empty content")
    try file.write("hello")
    #expect(try Data(contentsOf: file.url) == Data("hello".utf8))
  }

  @Test
  func `a value that cannot be encoded throws and changes nothing`() throws {
    let fixture = try Fixture()
    let file = try AppGroupsFile(name: "number", initialValue: 1.5, container: fixture.container)
    let before = try Data(contentsOf: file.url)
    let error = #expect(throws: AppGroupsFileError.self) { try file.write(.infinity) }
    guard case .unencodable(file.url, _) = error else {
      Issue.record("The error is \(String(describing: error))")
      return
    }
    #expect(throws: AppGroupsFileError.self) { try file.update { $0 = .infinity } }
    #expect(try Data(contentsOf: file.url) == before)
    #expect(file.value == 1.5)
  }
}
