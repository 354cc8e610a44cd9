import AppGroups
import Foundation
import Signals
import StrictJSON
import TweakFormat

/// The decoded content of a file of tweaks.
struct TweakFile: Sendable, Equatable {
  var tweaks = OrderedTweaks()

  /// The features in the file, including those without a variable.
  var features: Set<String> = []

  /// Returns the names of the tweaks that differ between two files.
  func difference(from old: TweakFile) -> Set<TweakID> {
    var changed = tweaks.difference(from: old.tweaks)
    if features == old.features { return changed }
    for feature in features.symmetricDifference(old.features) {
      changed.insert(TweakID(feature: feature, variable: Tweak.enabledVariable))
    }
    return changed
  }
}

/// Shared files require codable values.
///
/// The file has a format of its own, and is never written.
extension TweakFile: Codable {
  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: Self.reason)
    )
  }

  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: Self.reason)
    )
  }

  private static let reason = "a tweak file has its own format, which does not use Codable"
}

extension TweakValue {
  init(_ value: TweakDocument.Value) {
    self =
      switch value {
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .string(let value): .string(value)
      }
  }
}

/// A reader that reads a file of tweaks repeatedly.
///
/// It does not parse tweaks again whose bytes are unchanged, so a small change of a large file takes little time.
final class TweakFileReader: Sendable {
  private struct Read: Sendable {
    var text = Data()
    var file = TweakFile()

    /// The place of each tweak in the text, or an empty range if there was a problem.
    var places: [Range<Int>] = []
  }

  private let source: String
  private let last = Guarded(Read())

  init(source: String) {
    self.source = source
  }

  /// Reads JustTweak's JSON.
  ///
  /// - Throws: The first ``TextProblem``. The next read is then compared with the last good text.
  func read(_ text: Data) throws(TextProblem) -> TweakFile {
    let old = last.withLock { $0 }
    var problems: [TextProblem] = []
    var new = Read(text: text)
    text.withUnsafeBytes { bytes in
      old.text.withUnsafeBytes { oldBytes in
        var builder = Builder(source: source, text: bytes, old: old, oldText: oldBytes)
        // Sound: data are bytes.
        let names = TweakDocument.read(
          bytes.assumingMemoryBound(to: UInt8.self), into: &builder, problems: &problems
        )
        new.file = TweakFile(tweaks: builder.tweaks, features: Set(names ?? []))
        new.places = builder.places
      }
    }
    if let problem = problems.first(where: { !$0.isWarning }) { throw problem }
    let read = new
    last.withLock { $0 = read }
    return read.file
  }

  private struct Builder: TweakDocumentBuilder {
    let source: String
    let text: UnsafeRawBufferPointer
    let old: Read
    let oldText: UnsafeRawBufferPointer
    var tweaks = OrderedTweaks()
    var places: [Range<Int>] = []

    /// The lines of the text, which are found when the first object or list needs its position.
    private lazy var lines = TextLines(text)

    /// The index of the old tweak to compare with the next one.
    private var next = 0

    init(source: String, text: UnsafeRawBufferPointer, old: Read, oldText: UnsafeRawBufferPointer) {
      self.source = source
      self.text = text
      self.old = old
      self.oldText = oldText
    }

    mutating func take(_ variable: TweakDocument.Variable, to end: Int, isSound: Bool) {
      let structure = variable.structure.map { source(of: $0) }
      tweaks.append(
        Tweak(
          TweakContents(
            feature: variable.feature, variable: variable.name, value: TweakValue(variable.value),
            title: variable.title, details: variable.details, group: variable.group, source: source,
            isEncrypted: variable.isEncrypted, structure: structure)))
      // The position of an object or a list must be that of the new text.
      places.append(isSound && variable.structure == nil ? variable.offset..<end : 0..<0)
      // This skips tweaks that were added or removed in between.
      if let place = old.file.tweaks.place(of: variable.feature, variable.name) { next = place + 1 }
    }

    private mutating func source(of structure: Range<Int>) -> StructureSource {
      let position = lines.position(of: structure.lowerBound)
      return StructureSource(text: Array(text[structure]), line: position.line, column: position.column)
    }

    mutating func takeKnown(at offset: Int, in feature: String) -> (name: String, end: Int)? {
      guard next < old.places.count else { return nil }
      let place = old.places[next]
      let tweak = old.file.tweaks.tweaks[next]
      guard !place.isEmpty, place.count <= text.count - offset, tweak.feature == feature else { return nil }
      guard let base = text.baseAddress, let oldBase = oldText.baseAddress else { return nil }
      // Sound: both lie in their texts.
      guard memcmp(base + offset, oldBase + place.lowerBound, place.count) == 0 else { return nil }
      tweaks.append(tweak)
      places.append(offset..<offset + place.count)
      next += 1
      return (tweak.variable, offset + place.count)
    }
  }
}

/// The place of an object or a list in a file, for errors.
struct StructureSource: Sendable, Hashable {
  /// The value as it is written in the file.
  let text: [UInt8]
  let line: Int
  let column: Int

  /// Returns the reason why a value cannot be decoded, with the member and its position in the file.
  func problem(decoding type: (some Decodable).Type) -> String? {
    do {
      _ = try JSONDecoder().decodeExplaining(type, from: Data(text))
      return nil
    } catch let error as DecodingError {
      return problem(error)
    } catch {
      return "\(error)"
    }
  }

  private func problem(_ error: DecodingError) -> String {
    let (path, reason): ([any CodingKey], String) =
      switch error {
      case .typeMismatch(let type, let context): (context.codingPath, "it is not of type \(type)")
      case .valueNotFound(let type, let context): (context.codingPath, "there is no \(type)")
      case .keyNotFound(let key, let context):
        (context.codingPath, "the member \(key.stringValue.debugDescription) is missing")
      case .dataCorrupted(let context): (context.codingPath, context.debugDescription)
      @unknown default: ([], "\(error)")
      }
    let name = path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    let (line, column) = position(of: path)
    return "the value\(name.isEmpty ? "" : " of \(name)") on line \(line), column \(column): \(reason)"
  }

  /// Returns the line and column of a member in the file.
  private func position(of path: [any CodingKey]) -> (Int, Int) {
    var offset = 0
    do throws(TextProblem) {
      var node = try JSONReader.read(text)
      for key in path {
        switch node.content {
        case .array(let elements):
          guard let index = key.intValue, elements.indices.contains(index) else { break }
          node = elements[index]
        case .object(let members):
          guard let member = members.first(where: { $0.name == key.stringValue }) else { break }
          node = member.value
        default: break
        }
      }
      offset = node.offset
    } catch {
      // The text has been read before, so this does not happen.
    }
    let position = TextPosition(of: offset, in: text)
    return (line + position.line - 1, position.line == 1 ? column + position.column - 1 : position.column)
  }
}
