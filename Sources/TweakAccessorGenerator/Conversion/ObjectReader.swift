import StrictJSON

/// A reader of the members of objects, which reports problems.
struct ObjectReader {
  let file: InputFile
  let members: [JSONMember]

  /// The name of the object in messages.
  let name: String

  subscript(name: String) -> JSONNode? { members.first { $0.name == name }?.value }

  func string(_ name: String, _ diagnostics: inout Diagnostics) -> String? {
    guard let node = self[name] else { return nil }
    if case .string(let text) = node.content { return text }
    complain("String", name, node, &diagnostics)
    return nil
  }

  func flag(_ name: String, _ diagnostics: inout Diagnostics) -> Bool {
    guard let node = self[name] else { return false }
    if case .bool(let flag) = node.content { return flag }
    complain("Bool", name, node, &diagnostics)
    return false
  }

  /// Warns about members that are not converted.
  func drop(unless known: Set<String>, _ diagnostics: inout Diagnostics) {
    for member in members where !known.contains(member.name) {
      diagnostics.add(
        "unknown property \(member.name.debugDescription) of \(name) is not converted", in: file, at: member.offset,
        isWarning: true
      )
    }
  }

  private func complain(_ type: String, _ name: String, _ node: JSONNode, _ diagnostics: inout Diagnostics) {
    diagnostics.add(
      "expected a \(type) for \(name.debugDescription) of \(self.name), found \(node.kind)", in: file, at: node.offset
    )
  }
}

@available(*, unavailable)
extension ObjectReader: Sendable {}

extension InputFile {
  /// Returns the value that is the content of the file.
  func json(trailingCommas: JSONReader.TrailingCommas = .refused, _ diagnostics: inout Diagnostics) -> JSONNode? {
    do throws(TextProblem) {
      return try JSONReader.read(bytes, trailingCommas: trailingCommas)
    } catch {
      diagnostics.add(error, in: self)
      return nil
    }
  }

  /// Returns the members of a value that must be an object.
  func object(_ node: JSONNode, _ name: String, _ diagnostics: inout Diagnostics) -> ObjectReader? {
    if case .object(let members) = node.content { return ObjectReader(file: self, members: members, name: name) }
    diagnostics.add("expected an object for \(name), found \(node.kind)", in: self, at: node.offset)
    return nil
  }
}
