import AppGroups
import Containers
import FileSignals
import Foundation
import StrictJSON

extension InspectorChanging {
  /// Changes a shared value or a suite, through a process that has it open as a value of its type, or under its lock.
  func changeValue() throws -> InspectorOutcome {
    let resource = try resource(.file, .suite)
    let path = try required(resource.path, "path")
    if resource.status == .large {
      throw InspectorError.invalid(operation: operation, reason: "the file is too large to be read")
    }
    let seen = try required(request.version, "version")
    if resource.kind == .file, let outcome = try changeThroughProcess(resource, path, seen: seen) { return outcome }
    let file = try openFile(path)
    if isDry {
      let content = try DurableFile.read(url(path))
      return try change(content, of: resource, path, seen: seen).outcome
    }
    return try file.update { content in
      let (text, outcome) = try change(content, of: resource, path, seen: seen)
      content = text
      return outcome
    }
  }

  /// Opens the bytes of a file, in the scope of its environments if it has one.
  private func openFile(_ path: String) throws -> AppGroupsFile<Data> {
    let url = url(path)
    let bytes = FileFormat<Data>(encode: { $0 }, decode: { $0 })
    guard let switched = try SwitchedRoots.root(switching: url) else {
      return try AppGroupsFile(url: url, initialValue: Data(), format: bytes)
    }
    guard url.deletingLastPathComponent().path == switched.path + "/Files" else {
      throw InspectorError.invalid(
        operation: operation, reason: "the file belongs to an environment, and is not in its folder Files")
    }
    let scope = try AppContainer(home: switched).scope
    return try AppGroupsFile(name: url.lastPathComponent, initialValue: Data(), scope: scope, format: bytes)
  }

  private func change(
    _ content: Data, of resource: InspectedResource, _ path: String, seen: String
  ) throws -> (text: Data, outcome: InspectorOutcome) {
    let text = try newText(content, of: resource, path, seen: seen, isTyped: false)
    return (text, outcome(of: resource, path, from: content, to: text))
  }

  /// Returns the new content of a file.
  ///
  /// - Parameters:
  ///   - content: The present content.
  ///   - resource: The resource.
  ///   - path: The path of the file.
  ///   - seen: The version on which the change is based.
  ///   - isTyped: A Boolean value that indicates whether the type of the value decides what is allowed. Otherwise the
  ///     new value must have the shape of the present one.
  /// - Returns: The new content.
  /// - Throws: ``InspectorError``.
  func newText(
    _ content: Data, of resource: InspectedResource, _ path: String, seen: String, isTyped: Bool
  ) throws -> Data {
    let read = ReadFile(content: content, path: path)
    guard let old = read.value else {
      throw InspectorError.invalid(operation: operation, reason: "the file does not hold JSON")
    }
    let shown = read.shown(redaction, secrets: secrets) ?? (old, [])
    let isSuite = resource.kind == .suite
    guard read.version == seen else {
      // The request may not fit a value that it was not made for.
      let new: InspectedValue? = tolerating(try newValue(old, shown, isSuite: isSuite, isTyped: isTyped), else: nil)
      throw InspectorError.conflict(
        operation: operation, path: path, version: read.version, theirs: shown.value,
        yours: new.map { read.shown($0, redaction, secrets: secrets).value })
    }
    let new = try newValue(old, shown, isSuite: isSuite, isTyped: isTyped)
    guard old.isExact else {
      throw InspectorError.invalid(
        operation: operation, reason: "the file holds a number that would not be kept exactly")
    }
    // The text of a number is written as it is, so it must not contain anything else.
    guard new.hasNumbersOnly else {
      throw InspectorError.invalid(operation: operation, reason: "the new value is not JSON: a number is not one")
    }
    let stored: InspectedValue = read.envelope.map { ["version": .integer($0), "value": new] } ?? new
    let text = Data(stored.fileText.utf8)
    do throws(TextProblem) {
      // A program can ask for a number that JSON does not have, such as infinity.
      _ = try InspectedValue.parse(text)
    } catch {
      throw InspectorError.invalid(operation: operation, reason: "the new value is not JSON: \(error)")
    }
    return text
  }

  /// Returns the result of a change.
  func outcome(
    of resource: InspectedResource, _ path: String, from old: Data, to new: Data, by process: String = ""
  ) -> InspectorOutcome {
    let (before, after) = (ReadFile(content: old, path: path), ReadFile(content: new, path: path))
    let (shownOld, shownNew) = (before.shown(redaction, secrets: secrets), after.shown(redaction, secrets: secrets))
    let (differences, _) = InspectedDifference.of(shownOld?.value, shownNew?.value)
    let words =
      differences.isEmpty ? "the value is the same or hidden" : differences.map(\.summary).joined(separator: "; ")
    var outcome = InspectorOutcome("\(isDry ? "Would set" : "Set") \(path)\(process): \(words).", resource.id)
    (outcome.path, outcome.version, outcome.differences) = (path, after.version, differences)
    // Secrets are not sent, so a value with secrets cannot be restored as a whole.
    if shownOld?.places.isEmpty == true, !isDry, let value = before.value {
      var undo = InspectorRequest(.setValue, resource.id)
      (undo.version, undo.value) = (after.version, value)
      outcome.undo = undo
    }
    return outcome
  }

  private func newValue(
    _ old: InspectedValue, _ shown: (value: InspectedValue, places: [String]), isSuite: Bool, isTyped: Bool
  ) throws(InspectorError) -> InspectedValue {
    switch request.action {
    case .setValue:
      let value = try restored(try required(request.value, "value"), at: [], of: old, shown)
      if !isTyped { try checkShape(value, old, "", mayAddMembers: isSuite) }
      return value
    case .editValue:
      let place = JSONPointer.parts(try required(request.path, "path"))
      let value = try restored(try required(request.value, "value"), at: place, of: old, shown)
      guard let present = old.value(at: place) else {
        guard isTyped || isSuite && place.count == 1, let added = old.replacing(place, with: value) else {
          throw .shape(operation: operation, path: request.path ?? "", reason: "there is no such place")
        }
        return added
      }
      if !isTyped { try checkShape(value, present, request.path ?? "", mayAddMembers: false) }
      return old.replacing(place, with: value) ?? old
    default:
      let place = JSONPointer.parts(try required(request.path, "path"))
      guard isTyped || isSuite && place.count == 1, old.value(at: place) != nil,
        let rest = old.replacing(place, with: nil)
      else {
        throw .invalid(operation: operation, reason: "only an existing key of a suite can be removed")
      }
      return rest
    }
  }

  /// Returns a value of a request with the hidden parts of the present value in place of their placeholders.
  ///
  /// The elements of an array have no names, so another one may be at a position now. The parts in an array are
  /// therefore restored only if it is as it was shown.
  ///
  /// - Parameters:
  ///   - requested: The value of the request.
  ///   - place: The place at which it is to be stored.
  ///   - old: The present value of the file.
  ///   - shown: The same value without its hidden parts, and their places.
  /// - Returns: The value to store.
  /// - Throws: ``InspectorError`` if a placeholder stands where nothing is hidden, because it would be stored as a
  ///   value, or in an array that is not as it was shown.
  private func restored(
    _ requested: InspectedValue, at place: [String], of old: InspectedValue,
    _ shown: (value: InspectedValue, places: [String])
  ) throws(InspectorError) -> InspectedValue {
    var (value, rest) = (requested, requested)
    var unchanged: Set<[String]> = []
    for part in shown.places.map(JSONPointer.parts) where part.starts(with: place) || place.starts(with: part) {
      let inner = Array(part.dropFirst(place.count))
      guard rest.value(at: inner) == .redacted, let present = old.value(at: place + inner) else { continue }
      let parents = inner.indices.lazy.map { Array(inner.prefix($0)) }
      let array = parents.first { old.value(at: place + $0)?.array != nil || requested.value(at: $0)?.array != nil }
      if let array, !unchanged.contains(array) {
        guard requested.value(at: array) == shown.value.value(at: place + array) else {
          throw .invalid(
            operation: operation,
            reason: "\(Self.name(of: place + inner)) is the placeholder of a hidden value in an array that has "
              + "changed, so it may be another element's; change each element at its own path, or give the new value "
              + "of each hidden part")
        }
        unchanged.insert(array)
      }
      value = value.replacing(inner, with: present) ?? value
      rest = rest.replacing(inner, with: .null) ?? rest
    }
    if let wrong = rest.placeholder, old.value(at: place + wrong) != .redacted {
      throw .invalid(
        operation: operation, reason: "\(Self.name(of: place + wrong)) is the placeholder of a hidden value")
    }
    return value
  }

  private static func name(of place: [String]) -> String {
    place.isEmpty ? "the value" : place.map { "/" + JSONPointer.escaped($0) }.joined()
  }

  /// Throws an error if a value has another shape than the one that it replaces.
  private func checkShape(
    _ new: InspectedValue, _ old: InspectedValue, _ path: String, mayAddMembers: Bool
  ) throws(InspectorError) {
    func refuse(_ reason: String) -> InspectorError { .shape(operation: operation, path: path, reason: reason) }
    guard new.typeName == old.typeName else {
      let place = path.isEmpty ? "the value" : path
      throw refuse("\(place) is of the type \(old.typeName), and the new value is of the type \(new.typeName)")
    }
    switch (new, old) {
    case (.object(let new), .object(let old)):
      for (name, value) in old {
        guard let replacement = new[name] else {
          if mayAddMembers { continue }
          throw refuse("the new value has no member \(name.debugDescription)")
        }
        try checkShape(replacement, value, path + "/" + JSONPointer.escaped(name), mayAddMembers: false)
      }
      if !mayAddMembers, let added = new.keys.filter({ old[$0] == nil }).min() {
        throw refuse("the value has no member \(added.debugDescription)")
      }
    case (.array(let new), .array(let old)):
      for (index, value) in new.enumerated() {
        guard let model = index < old.count ? old[index] : old.first else { return }
        try checkShape(value, model, "\(path)/\(index)", mayAddMembers: false)
      }
    default: return
    }
  }
}

extension InspectedValue {
  /// The place of the first placeholder of a hidden value; `nil` if there is none.
  fileprivate var placeholder: [String]? {
    switch self {
    case .redacted: []
    case .array(let elements):
      elements.enumerated().lazy.compactMap { index, element in element.placeholder.map { ["\(index)"] + $0 } }.first
    case .object(let members):
      members.lazy.compactMap { name, value in value.placeholder.map { [name] + $0 } }.first
    default: nil
    }
  }

  /// A Boolean value that indicates whether the text of each long number is a number.
  fileprivate var hasNumbersOnly: Bool {
    switch self {
    case .longNumber(let text): InspectedValue.number(text) != nil
    case .array(let elements): elements.allSatisfy(\.hasNumbersOnly)
    case .object(let members): members.values.allSatisfy(\.hasNumbersOnly)
    default: true
    }
  }

  /// A Boolean value that indicates whether writing the value keeps all its numbers.
  fileprivate var isExact: Bool {
    switch self {
    case .number(let number): abs(number) < 9_007_199_254_740_992
    case .array(let elements): elements.allSatisfy(\.isExact)
    case .object(let members): members.values.allSatisfy(\.isExact)
    default: true
    }
  }
}
