import FileSignals
import Foundation
import Tweaks

extension InspectorPass {
  /// Builds the tweaks, if a file that holds some has changed.
  ///
  /// - Returns: A Boolean value that indicates whether other tweaks are secret than before.
  mutating func buildTweaks(_ changed: Set<String>) -> Bool {
    let holds = changed.contains { state.files[$0]?.tweaks != nil || state.tweakPaths.contains($0) }
    guard state.isFirst || holds || state.tweakPaths.contains(where: { state.files[$0] == nil }) else {
      if isWhole { found.formUnion(state.tweakIDs) }
      return false
    }
    let sources = state.files.compactMap { path, file in
      file.currentTweaks(at: Date()).map { ReadTweaks.Source(path: path, tweaks: $0, isSuite: file.isSuite) }
    }.sorted { $0.path < $1.path }
    let before = state.secrets
    state.tweakPaths = Set(sources.map(\.path))
    state.secrets = ReadTweaks.secrets(sources, state.redaction)
    let old = state.tweakIDs
    defer {
      // A pass over some places removes nothing else.
      if !isWhole { remove(old.subtracting(found)) }
    }
    state.tweakIDs = []
    for var tweak in ReadTweaks.resources(sources, secrets: state.secrets, isWritable: state.isWritable) {
      state.tweakIDs.insert(tweak.id)
      let old = state.resources[tweak.id]
      tweak.at = old.map { $0.version == tweak.version ? $0.at : Date() } ?? Date()
      tweak.path = nil
      if let old, old.version != tweak.version || old.value != tweak.value {
        let (differences, _) = InspectedDifference.of(old.value, tweak.value)
        let isSecret = old.value == nil && tweak.value == nil
        put(
          tweak, .update, isSecret ? "a secret value changed" : Self.summary(differences), differences,
          provenance: provenance(of: tweak))
      } else {
        put(
          tweak, old == nil ? .insert : nil, tweak.value.map { "set to \($0)" } ?? "set",
          provenance: provenance(of: tweak))
      }
    }
    return state.secrets != before
  }

  mutating func buildFile(
    _ path: String, isChanged: Bool, isSecrecyChanged: Bool, _ locks: inout InspectedLocks
  ) {
    if !isChanged, !isSecrecyChanged, let id = state.fileIDs[path], let old = state.resources[id],
      old.holder == holder(of: path, old, &locks), old.editor == state.editors[path]
    {
      found.insert(id)
      return
    }
    guard let file = state.files[path].map({ ShownFile($0, state.redaction, secrets: state.secrets) }) else { return }
    let id = Self.id(file.isSuite ? .suite : .file, path, without: "Files")
    if let before = state.fileIDs[path], before != id, !isWhole { remove([before]) }
    state.fileIDs[path] = id
    let known = state.resources[id]
    var resource = resource(
      id, path,
      file.details(
        isWritable: state.isWritable, editor: state.editors[path], holder: holder(of: path, known, &locks)))
    file.describe(&resource)
    let change = file.change(from: known, state.values[id])
    state.values[id] = file.shown?.value
    let provenance = switcher(of: path) ?? state.provenances[path]
    guard let change else { return put(resource, provenance: provenance) }
    put(
      resource, change.operation, change.summary, change.differences, more: change.more,
      at: known == nil ? nil : resource.at, provenance: provenance)
  }

  /// Returns who made the file that holds a tweak.
  private func provenance(of tweak: InspectedResource) -> Provenance? {
    guard case .tweak(let details) = tweak.typedDetails else { return nil }
    return switcher(of: details.source) ?? state.provenances[details.source]
  }

  /// Returns the process that is writing a file; in a pass over some places, the one that was known before.
  private func holder(
    of path: String, _ old: InspectedResource?, _ locks: inout InspectedLocks
  ) -> InspectedHolder? {
    guard isWhole else { return old?.holder }
    if locked.isEmpty { return nil }
    let (directory, name) = Self.split(path)
    let lock = "\(directory)/.shared/\(name).lock"
    return locked.contains(lock) ? locks.holder(at: state.url(lock).path) : nil
  }

  static func summary(_ differences: [InspectedDifference]) -> String {
    guard let first = differences.first else { return "changed" }
    return first.summary + (differences.count > 1 ? ", and \(differences.count - 1) more" : "")
  }
}

extension InspectedResource {
  /// The process through which the file is changed.
  fileprivate var editor: InspectedFile.Editor? { if case .file(let file) = typedDetails { file.editor } else { nil } }

  /// The process that is writing the file.
  fileprivate var holder: InspectedHolder? {
    switch typedDetails {
    case .file(let file): file.holder
    case .suite(let suite): suite.holder
    default: nil
    }
  }
}
