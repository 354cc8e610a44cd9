import AppGroups
import FileSignals
import Foundation

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
