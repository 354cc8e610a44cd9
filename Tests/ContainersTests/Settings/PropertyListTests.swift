import Foundation
import TestSupport
import Testing

@testable import Containers

@Suite("Property lists of archives")
struct PropertyListTests {
  private static var formats: [PropertyListSerialization.PropertyListFormat] { [.binary, .xml] }

  /// Lists of every shape that programs write.
  private static var ordinary: [[String: Any]] {
    var nested: Any = "inside"
    for level in 0..<120 { nested = level % 2 == 0 ? [nested] : ["key": nested] }
    return [
      [:],
      ["": "", "true": true, "false": false, "zero": 0, "least": Int.min, "most": NSNumber(value: UInt64.max)],
      ["double": 0.1, "float": Float(1.5), "infinite": Double.infinity, "tiny": Double.leastNonzeroMagnitude],
      ["past": Date.distantPast, "future": Date.distantFuture, "now": Date(timeIntervalSinceReferenceDate: 7e8)],
      ["é😀": "Ünïcode", "😀": String(repeating: "ж", count: 70_000), "ASCII": String(repeating: "a", count: 300)],
      ["nothing": Data(), "bytes": Data((0...255).map { UInt8($0) }), "list": Data("bplist00<array><dict>".utf8)],
      ["text": "<array> <!-- <dict> ]]> --> & <![CDATA[ </plist>", "controls": "a\tb\nc\"d\\e"],
      ["empty": [Any](), "dictionaries": [[String: Any](), ["a": [String: Any]()]]],
      ["numbers": Array(0..<70_000), "members": Dictionary(uniqueKeysWithValues: (0..<300).map { ("k\($0)", $0) })],
      ["shared": [[String]](repeating: [String](repeating: "the same text", count: 100), count: 100)],
      ["nested": nested],
    ]
  }

  @Test func `ordinary lists of any shape are read as Foundation reads them`() throws {
    for (number, list) in Self.ordinary.enumerated() {
      for format in Self.formats {
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        let read = try #require(try UntrustedPropertyList.dictionary(in: data), "list \(number) in \(format)")
        let expected = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        #expect(NSDictionary(dictionary: read).isEqual(to: try #require(expected)), "list \(number) in \(format)")
      }
    }
  }

  private struct Record: Codable, Equatable {
    var name: String? = "Work"
    var date = Date(timeIntervalSinceReferenceDate: 7e8)
    var numbers = [[1, 2], [], [3]]
    var more = ["a": Data([1, 2, 3])]
  }

  @Test func `ordinary lists of Codable values are decoded`() throws {
    let directory = try TemporaryDirectory()
    for format in Self.formats {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      try encoder.encode(Record()).write(to: directory.file("record.plist"))
      #expect(try UntrustedPropertyList.decode(Record.self, at: directory.file("record.plist")) == Record())
    }
  }

  @Test(arguments: ["\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<?xml version=\"1.0\" encoding=\"utf-8\"?>"])
  func `lists that other programs wrote are read`(declaration: String) throws {
    let list = "\(declaration)<plist version=\"1.0\"><dict><key>a</key><string>b</string></dict></plist>"
    #expect(try UntrustedPropertyList.dictionary(in: Data(list.utf8)) as? [String: String] == ["a": "b"])
    let array = try PropertyListSerialization.data(fromPropertyList: ["a"], format: .binary, options: 0)
    #expect(try UntrustedPropertyList.dictionary(in: array) == nil)
  }

  @Test func `tags in comments and texts of XML are no values`() throws {
    let tags = String(repeating: "<array>", count: 1_000)
    let list = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <!-- \(tags) --><!--> \(tags) -->
      <plist version="1.0"><dict>
      <key>text</key><string><![CDATA[\(tags)]]></string><key>none</key><array/></dict></plist>
      """
    let read = try #require(try UntrustedPropertyList.dictionary(in: Data(list.utf8)))
    #expect(read["text"] as? String == tags)
    #expect((read["none"] as? [Any])?.isEmpty == true)
  }

  // MARK: Refused lists

  private func refusal(_ list: Data) -> String? {
    let error = #expect(throws: UntrustedPropertyList.Refusal.self) { try UntrustedPropertyList.check(list) }
    return error.map { "\($0)" }
  }

  @Test(arguments: [
    (HostileValue.doubled, "has more than"), (.repeatedText, "has more than"), (.deep, "nested"), (.veryDeep, "nested"),
    (.deepBySharing, "nested"), (.cyclic, "nested"),
  ])
  func `a list that would take Foundation too much time or stack is refused`(value: HostileValue, reason: String) {
    #expect(refusal(value.list(at: ["value"]))?.contains(reason) == true)
  }

  @Test func `a nested list is refused beyond the limit and not before it`() throws {
    func list(_ depth: Int) -> [String: Any] {
      (2..<depth).reduce(["last": 1] as [String: Any]) { list, _ in ["next": list] }
    }
    for format in Self.formats {
      let limit = UntrustedPropertyList.deepest
      let last = try PropertyListSerialization.data(fromPropertyList: list(limit), format: format, options: 0)
      try UntrustedPropertyList.check(last)
      let next = try PropertyListSerialization.data(fromPropertyList: list(limit + 1), format: format, options: 0)
      #expect(refusal(next)?.contains("nested") == true)
    }
  }

  @Test(arguments: [
    "", "{ a = (1, 2); }", "(((((((((((", "<plist version=\"1.0\"><dict/></plist>",
    "<?xml version=\"1.0\" encoding=\"UTF-7\"?><plist version=\"1.0\">+ADw-array+AD4-</plist>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!DOCTYPE plist [ <!ENTITY a \"<array>\"> ]><plist><dict/></plist>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><?note ?><dict/></plist>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><?><dict><?x?></dict></plist>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict><key/><true/></dict></plist>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!----><![CDATA[--><plist version=\"1.0\"><dict/></plist>]]>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?></plist><plist version=\"1.0\"><dict/></plist>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict", "bplist00", "bplist00 = ((((((((((((",
  ])
  func `a list in a form that no program writes is refused`(text: String) {
    #expect(refusal(Data(text.utf8)) != nil)
    let utf16 = Data(text.utf8.flatMap { [$0, 0] })
    #expect(refusal(utf16) != nil)
  }

  /// Returns a list in XML, with given parts around a value in its dictionary.
  private static func xml(
    start: String = "", before: String, value: String, after: String = "", end: String = ""
  ) -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      \(start)<plist version="1.0">\(before)<key>a</key>\(value)\(after)</plist>\(end)
      """.utf8)
  }

  /// Returns arrays inside one another.
  private static func arrays(_ count: Int) -> String {
    String(repeating: "<array>", count: count) + String(repeating: "</array>", count: count)
  }

  @Test(arguments: [
    ("<?><dict>", "</dict><?x?>"), ("<dict>" + String(repeating: "<key/></key><true/>", count: 200_000), "</dict>"),
    ("<dict>", "</dict>"), ("<!--><dict>--><dict>", "</dict>"),
  ])
  func `nested values that tags hide from the count are refused before Foundation reads them`(
    before: String, after: String
  ) throws {
    let directory = try TemporaryDirectory()
    let list = Self.xml(before: before, value: Self.arrays(200_000), after: after)
    #expect(throws: UntrustedPropertyList.Refusal.self) { try UntrustedPropertyList.dictionary(in: list) }
    try list.write(to: directory.file("record.plist"))
    #expect(throws: UntrustedPropertyList.Refusal.self) {
      try UntrustedPropertyList.decode(Nested.self, at: directory.file("record.plist"))
    }
  }

  @Test func `a dictionary is refused beyond the limit of its members and not before it`() throws {
    for format in Self.formats {
      let limit = UntrustedPropertyList.mostMembers
      var list = Dictionary(uniqueKeysWithValues: (0..<limit).map { ("\($0)", true) })
      try UntrustedPropertyList.check(
        PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
      list["another"] = true
      let more = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
      #expect(refusal(more)?.contains("members") == true)
    }
  }

  @Test func `a list is refused beyond the limit of its values`() throws {
    let values = [Bool](repeating: true, count: UntrustedPropertyList.mostObjects)
    for format in Self.formats {
      let list = try PropertyListSerialization.data(fromPropertyList: ["a": values], format: format, options: 0)
      #expect(refusal(list)?.contains("has more than") == true)
    }
  }

  // MARK: Random lists

  /// The depth of a value, which a decoder finds.
  private struct Nested: Decodable {
    let depth: Int

    private struct Name: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      var depths: [Int] = []
      do {
        let members = try decoder.container(keyedBy: Name.self)
        depths = try members.allKeys.map { try members.decode(Nested.self, forKey: $0).depth }
      } catch is DecodingError {
        do {
          var elements = try decoder.unkeyedContainer()
          while !elements.isAtEnd { depths.append(try elements.decode(Nested.self).depth) }
        } catch is DecodingError {
          // A value without others in it.
        }
      }
      depth = 1 + (depths.max() ?? 0)
    }
  }

  private static func depth(of value: Any) -> Int {
    switch value {
    case let values as [Any]: 1 + (values.map(depth).max() ?? 0)
    case let values as [String: Any]: 1 + (values.values.map(depth).max() ?? 0)
    default: 1
    }
  }

  @Test(.seeded) func `no tags in XML hide a deep value from the count`() throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("record.plist")
    let tags = [
      "<?", "?>", "<?>", "<?x?>", "<!--", "-->", "<!---->", "<!--->", "<!---", "<!-->", "<!-- -->",
      "<![CDATA[", "]]>", "<key/>", "</key>",
      "<key>k</key>",
      "<true/>", "<string/>", "<string>", "</string>", "<data>", "</data>", "</array>", "<array/>", "</dict>", "<", ">",
      String(repeating: "<key/></key><true/>", count: 150), String(repeating: "</array>", count: 150),
    ]
    var chance = Chance()
    func some() -> String {
      (0..<chance.number(below: 4)).map { _ in tags[chance.number(below: tags.count)] }.joined()
    }
    for _ in 0..<Scale.count(400, torture: 1_000_000) {
      let value = Self.arrays(chance.once(in: 2) ? 150 : 100)
      let (before, after) =
        chance.once(in: 2) ? (some() + "<dict>", "</dict>" + some()) : ("<dict>" + some(), some() + "</dict>")
      let list = Self.xml(start: some(), before: before, value: value, after: after, end: some())
      do {
        if let read = try UntrustedPropertyList.dictionary(in: list) {
          #expect(Self.depth(of: read) <= UntrustedPropertyList.deepest, "\(before) \(after)")
        }
      } catch {
        // Most of the lists are refused.
      }
      try list.write(to: url)
      do {
        let depth = try UntrustedPropertyList.decode(Nested.self, at: url).depth
        #expect(depth <= UntrustedPropertyList.deepest, "\(before) \(after)")
      } catch {
        // Most of the lists are refused.
      }
    }
  }

  /// A binary list with numbers, texts, a date, data, and one text that is shared by 20 elements.
  ///
  /// Its bytes are fixed, so that a seed repeats the same damage.
  private static let fixed = """
    YnBsaXN0MDDUAQIDBAUKDxBRYVFiUWVWc2hhcmVkowYHCBABUXihCQnSCwwNDlFjUWQzQcTck4AAAABDAQIDYQDprxAUERERERERERERERERERERERERE\
    RFddGhlIHNhbWUgdGV4dAgRExUXHiIkJigpLjAyOz9CWQAAAAAAAAEBAAAAAAAAABIAAAAAAAAAAAAAAAAAAABn
    """

  @Test(.seeded) func `no damage to a list ends the process`() throws {
    let original = [UInt8](try #require(Data(base64Encoded: Self.fixed)))
    #expect(try UntrustedPropertyList.dictionary(in: Data(original))?.count == 4)
    var chance = Chance()
    for _ in 0..<Scale.count(5_000, torture: 1_000_000) {
      var bytes = original
      for _ in 0...chance.number(below: 4) {
        bytes[chance.number(below: bytes.count)] = UInt8.random(in: 0...255, using: &chance)
      }
      if chance.once(in: 8) { bytes.removeLast(chance.number(below: bytes.count)) }
      do {
        _ = try UntrustedPropertyList.dictionary(in: Data(bytes))
      } catch {
        // Most of the lists are refused.
      }
    }
  }

  @Test(arguments: [UInt64.max, UInt64.max / 2, 1 << 32, 0])
  func `a number in the trailer that no list has is refused`(number: UInt64) throws {
    let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
    let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    // The number of objects, the first object, the offset of the table, and the sizes of offsets and references.
    for place in [24, 16, 8, 26] where number > 0 || place != 16 {
      var damaged = list
      let start = damaged.endIndex - place
      damaged.replaceSubrange(start..<(start + 8), with: bytes)
      #expect(refusal(damaged) != nil, "\(place)")
    }
  }

  @Test(arguments: [0, 7, 8])
  func `a table that begins before the first object is refused`(table: UInt8) {
    let sizes: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1]
    let numbers: [UInt8] = [16 - table, 0, table].flatMap { [UInt8](repeating: 0, count: 7) + [$0] }
    let list = Array("bplist00".utf8) + [0xD0, 0, 0, 0, 0, 0, 0, 0] + sizes + numbers
    #expect(refusal(Data(list)) != nil)
  }

  // MARK: Writing

  @Test func `values that could not be read again are not written, and the file keeps its values`() throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("user-defaults.plist")
    try DefaultsSettings.write(["suite a": ["color": "red"]], into: directory.url)
    let before = try Data(contentsOf: url)
    let nested = (0..<300).reduce([Any]()) { list, _ in [list] }
    for value in [nested, Date(timeIntervalSinceReferenceDate: .infinity)] as [Any] {
      let error = #expect(throws: AppContainerError.self) {
        try DefaultsSettings.write(["suite a": ["value": value]], into: directory.url)
      }
      guard case .settingsFailed(let name, let reason) = error else { return unexpected(error) }
      #expect(name.contains("suite a") && reason.contains(value is Date ? "the value of \"value\"" : "128 levels"))
      #expect(try Data(contentsOf: url) == before)
    }
  }

  @Test func `settings that are too large to be read again are not written, and the file keeps its content`() throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("cookies-shared.json")
    try SettingsDirectory.write(Data("before".utf8), to: url, of: "The cookies")
    let error = #expect(throws: AppContainerError.self) {
      try SettingsDirectory.write(Data(count: (64 << 20) + 1), to: url, of: "The cookies")
    }
    guard case .settingsFailed("The cookies", _) = error else { return unexpected(error) }
    #expect(try SettingsDirectory.contents(of: url) == Data("before".utf8))
  }
}
