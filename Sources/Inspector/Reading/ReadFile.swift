import AppGroups
import FileSignals
import Foundation
import StrictJSON
import Tweaks

/// The content of a shared file, parsed once for each change.
struct ReadFile {
  /// The largest file that is read, in bytes, so that one file never delays the others for long.
  static let limit = 1 << 20

  /// The most reads of a file that other processes keep replacing.
  private static let attempts = 4

  var format = InspectedFile.Format.json
  var status = InspectedResource.Status.ok
  var problem: String?
  var version = ""
  var size = 0
  var envelope: Int?

  /// The value, before anything is redacted; it never leaves this type's users in this folder.
  var value: InspectedValue?

  /// The tweaks in the file, also overrides that have ended; `nil` if it holds none.
  var tweaks: [Tweak]?

  /// A Boolean value that indicates whether the tweaks are members of a suite, which can be changed.
  var isSuite = false

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - path: Its path, relative to the inspected directory.
  ///   - provenance: Receives who made the content.
  init(_ url: URL, path: String, _ provenance: inout Provenance?) {
    var content = Data()
    do throws(DurableFileError) {
      // Other writers may replace the content, and its record, between the two reads.
      for attempt in 1... {
        let stamp = FileStamp.ifReadable(path: url.path)
        content = try DurableFile.read(url, limit: Self.limit)
        provenance = ProvenanceRecord.find(VersionMark(content: content), ofFileAt: url.path)
        if provenance != nil || attempt == Self.attempts || FileStamp.ifReadable(path: url.path) == stamp { break }
      }
    } catch {
      if case .exceedsLimit(_, let size, let limit) = error {
        self.init(
          problem: "The file has \(size) bytes, and values of more than \(limit) bytes are not read.", .large)
        version = FileStamp.ifReadable(path: url.path).map { Self.version(of: Data("\($0)".utf8)) } ?? ""
        self.size = size
      } else {
        self.init(problem: error.description, error.isMissing ? .missing : .unreadable)
      }
      return
    }
    self.init(content: content, path: path)
  }

  private init(problem: String, _ status: InspectedResource.Status) {
    (self.problem, self.status) = (problem, status)
  }

  /// Parses the content of a file.
  init(content: Data, path: String) {
    size = content.count
    version = Self.version(of: content)
    parse(content, path)
  }

  /// Returns a text that is different for different contents.
  static func version(of content: Data) -> String {
    SHA256.digest([UInt8](content)).prefix(8).hexadecimal
  }

  /// Returns the value in a content, and the version of the envelope around it, if there is one.
  static func parts(of content: Data) throws(TextProblem) -> (value: InspectedValue, envelope: Int?) {
    let parsed = try InspectedValue.parse(content)
    guard case .object(let members) = parsed, members.count == 2, let version = members["version"]?.int,
      let inner = members["value"]
    else { return (parsed, nil) }
    return (inner, version)
  }

  private mutating func parse(_ content: Data, _ path: String) {
    do {
      let parts = try Self.parts(of: content)
      (value, envelope) = (parts.value, parts.envelope)
      readTweaks(content, path)
    } catch {
      value = nil
      guard !content.isEmpty else {
        (format, status, problem) = (.empty, .damaged, "The file is empty.")
        return
      }
      guard let text = String(validating: content, as: UTF8.self) else {
        (format, status) = (.binary, .binary)
        problem = FileSeal.key(of: content).map { "It is sealed with the key \($0.debugDescription)." }
        return
      }
      let first = text.first { !$0.isWhitespace }
      let isJSON = first == "{" || first == "["
      (format, status) = (.text, isJSON ? .damaged : .binary)
      problem = isJSON ? "It is not valid JSON: \(error)." : nil
    }
  }

  private mutating func readTweaks(_ content: Data, _ path: String) {
    guard envelope == nil, case .object(let members) = value, !members.isEmpty else { return }
    // One override is enough, because other values may be in the same suite.
    let found = members.compactMap { name, value in Self.tweak(name, value, source: path) }
    if !found.isEmpty || members[TweakInspection.clockKey] != nil {
      (tweaks, isSuite) = (found.sorted { $0.id < $1.id }, true)
    } else if members.values.allSatisfy(Self.isFeature) {
      tweaks = TweakInspection.tweaks(inFile: content, source: path)
    }
  }

  /// The tweaks that count now: all but the overrides that have ended, by this clock or by the mark in the suite.
  func currentTweaks(at date: Date) -> [Tweak]? {
    let now = max(date, value?[TweakInspection.clockKey].flatMap(Self.date) ?? date)
    return tweaks?.filter { tweak in tweak.expiration.map { $0 > now } ?? true }
  }

  /// Returns a Boolean value that indicates whether a value looks like a feature in JustTweak's format.
  private static func isFeature(_ value: InspectedValue) -> Bool {
    guard case .object(let variables) = value, !variables.isEmpty else { return false }
    return variables.values.allSatisfy { $0["Value"] != nil }
  }

  private static func tweak(_ name: String, _ value: InspectedValue, source: String) -> Tweak? {
    guard let id = TweakInspection.id(ofKey: name), case .object(var members) = value else { return nil }
    let end = members.removeValue(forKey: TweakInspection.endKey)
    guard members.count == 1, let (kind, stored) = members.first, end.map({ date($0) != nil }) ?? true else {
      return nil
    }
    let value: TweakValue? =
      switch (kind, stored) {
      case ("bool", .bool(let value)): .bool(value)
      case ("int", .integer(let value)): .int(value)
      case ("double", .number(let value)): .double(value)
      case ("double", .integer(let value)): .double(Double(value))
      case ("string", .string(let value)): .string(value)
      default: nil
      }
    guard let value else { return nil }
    var tweak = Tweak(feature: id.feature, variable: id.variable, value: value, source: source)
    tweak.expiration = end.flatMap(date)
    return tweak
  }

  /// Returns the date in a value, which counts seconds since 2001.
  private static func date(_ value: InspectedValue) -> Date? {
    switch value {
    case .number(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .integer(let seconds): Date(timeIntervalSinceReferenceDate: Double(seconds))
    default: nil
    }
  }

  /// Returns the value without its redacted parts, and their places.
  ///
  /// - Parameters:
  ///   - redaction: The rule.
  ///   - secrets: The tweaks whose values must not be shown.
  /// - Returns: The value and the places as JSON pointers, or `nil` if there is no value.
  func shown(_ redaction: InspectorRedaction, secrets: Set<TweakID>) -> (value: InspectedValue, places: [String])? {
    value.map { shown($0, redaction, secrets: secrets) }
  }

  /// Returns a value without its redacted parts, and their places.
  ///
  /// Secret tweaks are hidden wherever their names stand, whatever the file seems to hold.
  func shown(
    _ value: InspectedValue, _ redaction: InspectorRedaction, secrets: Set<TweakID>
  ) -> (value: InspectedValue, places: [String]) {
    var (value, places) = (value, [String]())
    for id in secrets {
      for path in [[TweakInspection.key(of: id)], [id.feature, id.variable, "Value"]] {
        guard value.value(at: path) != nil, let hidden = value.replacing(path, with: .redacted) else { continue }
        value = hidden
        places.append(path.map { "/" + JSONPointer.escaped($0) }.joined())
      }
    }
    let (shown, more) = redaction.apply(to: value)
    return (shown, Set(places + more).sorted())
  }
}

extension DurableFileError {
  fileprivate var isMissing: Bool { if case .notFound = self { true } else { false } }
}
