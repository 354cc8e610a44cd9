import AppGroups
import Foundation
import Inspector
import Signals
import TestSupport

/// A temporary group directory that a test inspects.
final class InspectedDirectory: Sendable {
  let temporary: TemporaryDirectory
  let container: AppGroupsContainer

  init() throws {
    temporary = try TemporaryDirectory()
    container = try AppGroupsContainer(directory: temporary.url)
  }

  var url: URL { temporary.url }

  func file(_ path: String) -> URL { url.appending(path: path) }

  /// Everything that `find` shows of each file and directory: path, kind, size, permissions, times and content.
  ///
  /// The index of a database's log is left out, because readers write marks into it.
  func listing() throws -> [String] {
    let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    return try paths.sorted().filter { !$0.hasSuffix("-shm") }.map { path in
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path + "/" + path)
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      let content = isFile ? try Data(contentsOf: file(path)).hashValue : 0
      let date = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
      return "\(path) \(attributes[.type] ?? "") \(attributes[.size] ?? "") \(attributes[.posixPermissions] ?? "") "
        + "\(attributes[.systemFileNumber] ?? "") \(date) \(content)"
    }
  }
}

extension Inspector {
  /// Waits until a snapshot satisfies a condition.
  func wait(until condition: @escaping @Sendable (InspectorSnapshot) -> Bool) async throws -> InspectorSnapshot {
    do {
      return try await firstValue("a snapshot", where: condition)
    } catch is RecorderTimeout {
      throw Overdue(snapshot: value)
    }
  }
}

extension Inspector {
  /// Returns a request to change a place of a value, based on the version in the snapshot.
  func request(
    _ id: String, _ path: String?, _ value: InspectedValue?, action: InspectorRequest.Action = .editValue
  ) -> InspectorRequest {
    var request = InspectorRequest(action, id)
    (request.version, request.path, request.value) = (self.value[id]?.version, path, value)
    return request
  }

  /// Returns the error of a change, which must not be made.
  func refusal(of request: InspectorRequest, dryRun: Bool = false) async throws -> InspectorError {
    let outcome: InspectorOutcome
    do {
      outcome = try await perform(request, dryRun: dryRun)
    } catch {
      return error
    }
    throw Unwanted(outcome: outcome)
  }
}

/// A change that should have been refused.
struct Unwanted: Error {
  let outcome: InspectorOutcome
}

/// The failure of a wait, with the last snapshot.
struct Overdue: Error, CustomStringConvertible {
  let snapshot: InspectorSnapshot

  var description: String {
    let resources = snapshot.resources.map { "\($0.id) \($0.status) \($0.value.map { "\($0)" } ?? "") \($0.details)" }
    return "the snapshot did not become as expected:\n" + resources.joined(separator: "\n")
      + snapshot.problems.map(\.message).joined(separator: "\n")
  }
}
