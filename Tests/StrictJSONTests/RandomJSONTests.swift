import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite("Random JSON")
struct RandomJSONTests {
  /// A value, its text in a random layout, and its text without white space.
  private struct Sample {
    var chance: Chance
    var text = ""

    /// The value as the reader is expected to print it.
    var value = ""

    mutating func space() {
      for _ in 0..<(chance.once(in: 3) ? chance.number(below: 3) : 0) {
        text += [" ", "\n", "\t", "\r"][chance.number(below: 4)]
      }
    }

    mutating func string() {
      let scalars: [Unicode.Scalar] = ["a", "b", "\"", "\\", "/", "\n", "\u{1}", "é", "🧵", "\u{301}", "\u{7F}"]
      let picked = (0..<chance.number(below: 12)).map { _ in scalars[chance.number(below: scalars.count)] }
      text += "\""
      for scalar in picked {
        if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || chance.once(in: 4) {
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16, uppercase: chance.once(in: 2))
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
      text += "\""
      value += String(decoding: JSONText.quoted(String(String.UnicodeScalarView(picked))), as: UTF8.self)
    }

    mutating func element(depth: Int) {
      space()
      switch chance.number(below: depth > 0 ? 8 : 6) {
      case 0: write(["null", "true", "false"][chance.number(below: 3)])
      case 1: write("\(Int(truncatingIfNeeded: chance.next()))")
      case 2: write("\(chance.number(below: 10))")
      case 3: write("\(Double(chance.number(below: 1_000_000)) / 64)")
      case 4, 5: string()
      default: container(depth: depth)
      }
      space()
    }

    private mutating func write(_ word: String) {
      text += word
      value += word
    }

    private mutating func container(depth: Int) {
      let isObject = chance.once(in: 2)
      write(isObject ? "{" : "[")
      space()
      for number in 0..<chance.number(below: 14) {
        if number > 0 { write(",") }
        if isObject {
          space()
          write("\"\(number)\"")
          space()
          write(":")
        }
        element(depth: depth - 1)
      }
      write(isObject ? "}" : "]")
    }
  }

  @Test(.patient)
  func `every written value is read back unchanged`() async throws {
    try await runRandomPrograms(seconds: 0.5, repetitions: 1) { seed in
      var sample = Sample(chance: Chance(seed: seed))
      sample.element(depth: 4)
      let isRight = try JSONReader.read(Array(sample.text.utf8)).description == sample.value
      #expect(isRight, "SIGNALS_SEED=\(seed): \(sample.text)")
      return isRight
    }
  }

  @Test(.patient)
  func `damaged texts are rejected with a position inside them, or read as Foundation reads them`() async {
    await runRandomPrograms(seconds: 0.5, repetitions: 1) { seed in
      var sample = Sample(chance: Chance(seed: seed))
      sample.element(depth: 3)
      var bytes = Array(sample.text.utf8)
      for _ in 0...sample.chance.number(below: 3) where !bytes.isEmpty {
        let index = sample.chance.number(below: bytes.count)
        switch sample.chance.number(below: 4) {
        case 0: bytes.remove(at: index)
        case 1: bytes[index] = UInt8(sample.chance.number(below: 256))
        case 2: bytes.insert(bytes[sample.chance.number(below: bytes.count)], at: index)
        default: bytes.removeSubrange(index...)
        }
      }
      var isRight = true
      do throws(TextProblem) {
        isRight = try isRead(JSONReader.read(bytes), byFoundationFrom: bytes)
      } catch {
        isRight = isInside(error, bytes)
      }
      #expect(isRight, "SIGNALS_SEED=\(seed): \(bytes)")
      return isRight
    }
  }

  private func isRead(_ value: JSONNode, byFoundationFrom bytes: [UInt8]) -> Bool {
    do {
      // Wrapped in an array, because some versions of Foundation reject a top-level scalar.
      let text = Data([UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")])
      guard let array = try JSONSerialization.jsonObject(with: text) as? [Any], array.count == 1 else { return false }
      return isSame(value, array[0])
    } catch {
      return false
    }
  }

  private func isSame(_ value: JSONNode, _ object: Any) -> Bool {
    switch (value.content, object) {
    case (.null, is NSNull): true
    case (.bool(let value), let number as NSNumber): number.boolValue == value
    case (.int(let value), let number as NSNumber): number.intValue == value
    // Foundation rounds the last digit of long numbers differently.
    case (.double(let value), let number as NSNumber): abs(number.doubleValue - value) <= abs(value) * 1e-15
    case (.string(let value), let string as String): string == value
    case (.array(let elements), let array as [Any]):
      elements.count == array.count && zip(elements, array).allSatisfy { isSame($0, $1) }
    case (.object(let members), let object as [String: Any]):
      members.count == object.count
        && members.allSatisfy { member in object[member.name].map { isSame(member.value, $0) } ?? false }
    default: false
    }
  }

  private func isInside(_ problem: TextProblem, _ bytes: [UInt8]) -> Bool {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let position = problem.position
    guard position.line >= 1, position.column >= 1, position.line <= lines.count else { return false }
    return position.column <= lines[position.line - 1].count + 1
  }
}
