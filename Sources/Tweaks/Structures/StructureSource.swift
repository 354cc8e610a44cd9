import AppGroups
import Foundation
import StrictJSON

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
