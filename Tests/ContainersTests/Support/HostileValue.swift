import Foundation

/// A value in a property list that no program writes, and an archive may contain.
enum HostileValue: Sendable, CaseIterable {
  /// 50 arrays, each of which contains the next one twice, so that there are 2⁵⁰ values.
  case doubled
  /// A hundred references to one text of 1 MiB.
  case repeatedText
  /// 300 arrays inside one another, which Foundation reads.
  case deep
  /// 100,000 arrays inside one another.
  case veryDeep
  /// 100 arrays inside one another, and 100 others with the first ones inside them.
  case deepBySharing
  /// An array that contains itself.
  case cyclic
  /// A date that is not a number.
  case impossibleDate
  /// A date that is infinitely far away.
  case infiniteDate

  /// Returns a binary list with this value at a path, and numbers and texts beside the first dictionary's member.
  func list(at path: [String], beside members: KeyValuePairs<String, any Sendable> = [:]) -> Data {
    var objects: [[UInt8]] = []
    for (level, name) in path.enumerated() {
      // A dictionary is followed by its names and its plain members, and those by the next dictionary or the value.
      let others = level == 0 ? Array(members) : []
      let (first, count) = (objects.count + 1, others.count + 1)
      objects.append([0xD0 | UInt8(count)] + Self.references(first..<(first + 2 * count)))
      for other in others { objects.append(Self.text(other.key)) }
      objects.append(Self.text(name))
      for other in others {
        let number = other.value as? Int
        objects.append(number.map { [0x13] + Self.number($0, 8) } ?? Self.text("\(other.value)"))
      }
    }
    objects += self.objects(from: objects.count)
    return Self.list(objects)
  }

  /// Returns the value's objects, of which the first one has a position in the list.
  private func objects(from start: Int) -> [[UInt8]] {
    switch self {
    case .doubled: (1...50).map { [0xA2] + Self.references([start + $0, start + $0]) } + [Self.empty]
    case .repeatedText:
      [
        [0xAF, 0x10, 100] + Self.references([Int](repeating: start + 1, count: 100)),
        Self.text(String(repeating: "x", count: 1 << 20)),
      ]
    case .deep: Self.chain(300, from: start) + [Self.empty]
    case .veryDeep: Self.chain(100_000, from: start) + [Self.empty]
    case .deepBySharing:
      [[0xA2] + Self.references([start + 1, start + 102])] + Self.chain(100, from: start + 1) + [Self.empty]
        + Self.chain(99, from: start + 102) + [[0xA1] + Self.references([start + 1])]
    case .cyclic: [[0xA1] + Self.references([start])]
    case .impossibleDate: [[0x33] + Self.number(Int(bitPattern: UInt(Double.nan.bitPattern)), 8)]
    case .infiniteDate: [[0x33] + Self.number(Int(bitPattern: UInt(Double.infinity.bitPattern)), 8)]
    }
  }

  private static let empty: [UInt8] = [0xA0]

  /// Returns arrays, each of which contains the object after it.
  private static func chain(_ count: Int, from start: Int) -> [[UInt8]] {
    (1...count).map { [0xA1] + references([start + $0]) }
  }

  // MARK: The format

  /// Returns the list of objects, of which the first one contains the others.
  private static func list(_ objects: [[UInt8]]) -> Data {
    var (bytes, offsets) = (Array("bplist00".utf8), [UInt8]())
    for object in objects {
      offsets += number(bytes.count, 4)
      bytes += object
    }
    let sizes: [UInt8] = [0, 0, 0, 0, 0, 0, 4, 4]
    let trailer = sizes + number(objects.count, 8) + number(0, 8) + number(bytes.count, 8)
    return Data(bytes + offsets + trailer)
  }

  private static func references(_ positions: some Sequence<Int>) -> [UInt8] { positions.flatMap { number($0, 4) } }

  private static func text(_ text: String) -> [UInt8] { [0x5F, 0x12] + number(text.utf8.count, 4) + text.utf8 }

  private static func number(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
