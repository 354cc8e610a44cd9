import Tweaks

/// A shared file without its redacted parts, as a resource shows it; it is compared with what was shown before.
struct ShownFile {
  private let file: ReadFile
  /// The value that is shown, and the places of what is not.
  let shown: (value: InspectedValue, places: [String])?

  init(_ file: ReadFile, _ redaction: InspectorRedaction, secrets: Set<TweakID>) {
    self.file = file
    shown = file.shown(redaction, secrets: secrets)
  }

  /// A Boolean value that indicates whether the file is shown as a suite, whose tweaks have resources of their own.
  var isSuite: Bool { file.tweaks != nil && file.isSuite }

  /// Fills a resource in.
  func describe(_ resource: inout InspectedResource) {
    (resource.version, resource.status, resource.problem) = (file.version, file.status, file.problem)
    if let shown { resource.setValue(shown.value, redacted: shown.places) }
  }

  /// Returns the details of a resource.
  ///
  /// - Parameters:
  ///   - isWritable: A Boolean value that indicates whether files may be changed.
  ///   - editor: The process through which the file is changed.
  ///   - holder: The process that is writing the file.
  /// - Returns: The details.
  func details(
    isWritable: Bool, editor: InspectedFile.Editor?, holder: InspectedHolder?
  ) -> InspectedResource.Details {
    let isEditable = isWritable && file.format == .json && file.status == .ok
    let members: [String: InspectedValue]? = if case .object(let members)? = shown?.value { members } else { nil }
    let keys = members?.keys.sorted()
    if isSuite {
      return .suite(
        InspectedSuite(
          keys: keys ?? [], types: members?.mapValues(\.typeName) ?? [:], tweaks: true, editable: isEditable,
          holder: holder))
    }
    return .file(
      InspectedFile(
        format: file.format, envelope: file.envelope.map { "\($0)" }, keys: keys, editable: isEditable, editor: editor,
        holder: holder))
  }

  /// The difference from what was shown before.
  struct Change {
    let operation: InspectorChange.Operation
    let summary: String
    var differences: [InspectedDifference] = []
    /// The number of differences that are not in the list.
    var more = 0
  }

  /// Returns the difference from what was shown before, or `nil` if there is none to report.
  ///
  /// - Parameters:
  ///   - known: The resource, or `nil` if the file is new.
  ///   - value: The value.
  /// - Returns: The difference.
  func change(from known: InspectedResource?, _ value: InspectedValue?) -> Change? {
    guard let known else { return Change(operation: .insert, summary: "created") }
    let isSameStatus = known.status == file.status
    if isSameStatus, isSuite || known.version == file.version { return nil }
    let (differences, more) = InspectedDifference.of(value, shown?.value)
    let summary =
      !isSameStatus
      ? file.status == .ok ? "readable again" : "\(file.status.rawValue): \(file.problem ?? "")"
      : differences.isEmpty ? "rewritten, or a redacted part changed" : InspectorPass.summary(differences)
    return Change(operation: .update, summary: summary, differences: differences, more: more)
  }
}
