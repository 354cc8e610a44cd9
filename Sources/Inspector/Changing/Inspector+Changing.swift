import AppGroups
import FileSignals
import Foundation
import Tweaks

extension Inspector {
  /// Makes a change, by the same calls and with the same guarantees as an app.
  ///
  /// - **Values:** A value is changed under its lock, and only if it still has the version on which the change is based.
  ///   If a process has the file open and allows edits, it makes the change: the new value must be one of its type, and
  ///   the result names the process. Otherwise the new value has the same shape: the JSON type of each existing place,
  ///   and the same members of each object. See ``publish(in:allowingEdits:)``.
  /// - **Tweaks:** The text becomes a value of the tweak's type, which is stored in the first suite of tweaks.
  /// - **Environments and logs:** The calls are those of `AppContainer` and `AppGroupsLog`. They may wait for other
  ///   processes.
  ///
  /// - Parameters:
  ///   - request: The change.
  ///   - dryRun: A Boolean value that indicates whether to check the change without making it.
  /// - Returns: A description of the change. The snapshot contains it.
  /// - Throws: ``InspectorError``; then nothing has changed. Only a process that did not answer may have made the change.
  public func perform(_ request: InspectorRequest, dryRun: Bool = false) async throws(InspectorError)
    -> InspectorOutcome
  {
    let operation = request.operation
    guard engine.isWritable else { throw .readOnly(operation: operation) }
    let isDry = dryRun || request.dryRun == true
    do {
      let change = try await engine.withState { try InspectorChanging(request, $0, isDry: isDry) }
      var outcome = try await BlockingCalls.run(for: engine.root) { try change.perform() }
      (outcome.done, outcome.dryRun) = (!isDry, isDry)
      if outcome.maker == nil {
        let process = ProcessInfo.processInfo
        outcome.maker = InspectorOutcome.Process(pid: process.processIdentifier, name: process.processName)
      }
      _ = await refresh(isAsking: false, reading: change.resource?.path)
      return outcome
    } catch let error as InspectorError {
      throw error
    } catch {
      throw .failed(operation: operation, path: nil, reason: "\(error)")
    }
  }
}

/// A change that was checked against the state of an inspector, and can be made on a thread that may block.
struct InspectorChanging: Sendable {
  let request: InspectorRequest
  let isDry: Bool
  let root: URL
  let redaction: InspectorRedaction
  let resource: InspectedResource?
  let sources: [ReadTweaks.Source]
  let secrets: Set<TweakID>

  init(_ request: InspectorRequest, _ state: InspectorState, isDry: Bool) throws(InspectorError) {
    (self.request, self.isDry) = (request, isDry)
    (root, redaction, secrets) = (state.root, state.redaction, state.secrets)
    resource = request.resource.flatMap { state.resources[$0] }
    sources = state.files.compactMap { path, file in
      file.currentTweaks(at: Date()).map { ReadTweaks.Source(path: path, tweaks: $0, isSuite: file.isSuite) }
    }.sorted { $0.path < $1.path }
    if let id = request.resource, resource == nil { throw .notFound(id) }
  }

  var operation: String { request.operation }

  func perform() throws -> InspectorOutcome {
    switch request.action {
    case .setValue, .editValue, .removeValue: try changeValue()
    case .setTweak, .resetTweak, .resetAllTweaks: try changeTweak()
    case .removeConsumer, .trimLog: try changeLog()
    case .retryJob, .cancelJob: try changeQueue()
    default: try changeEnvironment()
    }
  }

  /// Returns the resource of the request, which must be of a kind.
  func resource(_ kinds: InspectedResource.Kind...) throws(InspectorError) -> InspectedResource {
    guard let resource else { throw .invalid(operation: operation, reason: "the request names no resource") }
    guard kinds.contains(resource.kind) else {
      throw .invalid(operation: operation, reason: "\(resource.id) is a \(resource.kind.rawValue)")
    }
    return resource
  }

  /// Returns a member of the request that the action needs.
  func required<Value>(_ value: Value?, _ name: String) throws(InspectorError) -> Value {
    guard let value else { throw .invalid(operation: operation, reason: "the request has no \(name)") }
    return value
  }

  func url(_ path: String) -> URL { path.isEmpty ? root : root.appending(path: path) }
}

extension InspectorChanging {
  /// Changes a shared value through a process that has the file open and allows edits.
  ///
  /// The process decodes the new content as its type, and stores it by its own update. At most one process receives a
  /// change that it makes: the next one is asked only if a process has ended, or does not have the file open.
  ///
  /// - Returns: The result, or `nil` if there is no such process.
  func changeThroughProcess(
    _ resource: InspectedResource, _ path: String, seen: String
  ) throws -> InspectorOutcome? {
    let processes = EditingProcess.all(in: root)
    if processes.isEmpty { return nil }
    let content = try DurableFile.read(url(path))
    let text = try newText(content, of: resource, path, seen: seen, isTyped: true)
    let edit = FileEdit(path: path, version: seen, content: String(decoding: text, as: UTF8.self), isDry: isDry)
    for process in processes {
      let answer: FileEdit.Answer?
      do {
        answer = try process.perform(edit)
      } catch let silence as EditingProcess.Silence {
        throw InspectorError.unanswered(
          operation: operation, path: path, process: process.process.id,
          reason: "\(process.process.words) \(silence.reason)")
      }
      guard let answer, answer.result != .unknown else { continue }
      return try outcome(of: answer, from: process.process, resource, path, content, seen: seen)
    }
    return nil
  }

  /// Returns the result of a change that a process has answered.
  private func outcome(
    of answer: FileEdit.Answer, from process: InspectorOutcome.Process, _ resource: InspectedResource, _ path: String,
    _ old: Data, seen: String
  ) throws -> InspectorOutcome {
    if answer.result == .changed {
      // Reading again usually finds the other version, which the error contains.
      _ = try newText(DurableFile.read(url(path)), of: resource, path, seen: seen, isTyped: true)
    }
    guard answer.result == .done, let stored = answer.content else {
      let reason = answer.reason ?? "the file changed while the process had it locked"
      throw InspectorError.refused(
        operation: operation, path: path, process: process.id,
        reason: "\(process.words) refused it: \(hidingSecrets(of: old, path, in: reason))")
    }
    var outcome = outcome(
      of: resource, path, from: old, to: Data(stored.utf8), by: " through \(process.words)")
    outcome.maker = process
    return outcome
  }

  /// Replaces the hidden parts of a value in the words of a decoder, which may quote them.
  private func hidingSecrets(of content: Data, _ path: String, in text: String) -> String {
    let read = ReadFile(content: content, path: path)
    guard let value = read.value, let shown = read.shown(redaction, secrets: secrets) else { return text }
    return shown.places.compactMap { value.value(at: JSONPointer.parts($0)) }.reduce(text) { text, secret in
      let words = secret.string ?? secret.text
      return words.isEmpty ? text : text.replacing(words, with: InspectedValue.redacted.string ?? "")
    }
  }
}
