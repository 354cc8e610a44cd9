import AppGroups
import Containers
import Foundation
import Signals
import Stores
import Tweaks

extension InspectorChanging {
  // MARK: Tweaks

  /// Changes the overrides in the first suite of tweaks.
  func changeTweak() throws -> InspectorOutcome {
    guard let source = sources.first(where: \.isSuite) else {
      throw InspectorError.invalid(operation: operation, reason: "no suite holds overrides of tweaks")
    }
    let suite = try openSuite(source.path)
    let others = (sources.filter(\.isSuite).dropFirst() + sources.filter { !$0.isSuite }).map { source in
      ReadTweakProvider(source.tweaks, name: source.path)
    }
    let provider = SuiteTweakProvider(suite: suite, name: source.path)
    let manager = TweakManager(providers: [provider] + others)
    let panel = TweakPanel(manager: manager)
    if request.action == .resetAllTweaks {
      let count = provider.table.value.ids.count
      if !isDry { try panel.resetAll() }
      return outcome("\(isDry ? "Would remove" : "Removed") \(count) overrides from \(source.path).", nil, source.path)
    }
    let resource = try resource(.tweak)
    guard case .tweak(let details) = resource.typedDetails else {
      throw InspectorError.invalid(operation: operation, reason: "it is not a tweak")
    }
    let id = TweakID(feature: details.feature, variable: details.variable)
    if details.secret, let text = request.text, [Tweak.redacted, InspectedValue.redacted.string].contains(text) {
      throw InspectorError.invalid(operation: operation, reason: "it is the placeholder of a hidden value")
    }
    let old = resource.value
    var differences: [InspectedDifference] = []
    do throws(TweakError) {
      if request.action == .resetTweak {
        if !isDry { try panel.reset(id) }
      } else {
        guard let text = request.text else { throw .notFound(id) }
        let kind = TweakKind(details.type)
        guard let value = kind.value(of: text) else {
          throw .invalidText(details.secret ? Tweak.redacted : text, kind: kind)
        }
        if !details.secret { differences = InspectedDifference.of(old, InspectedValue(value)).differences }
        if !isDry { try panel.edit(id, text: text) }
      }
    } catch {
      throw InspectorError.invalid(operation: operation, reason: error.description)
    }
    let name = "\(details.feature)/\(details.variable)"
    var result: InspectorOutcome
    if request.action == .resetTweak {
      result = outcome("\(isDry ? "Would reset" : "Reset") \(name) in \(source.path).", resource.id, source.path)
    } else {
      let shown = details.secret ? Tweak.redacted : request.text ?? ""
      let was = details.secret ? "" : old.map { "; it was \($0)" } ?? ""
      result = outcome(
        "\(isDry ? "Would set" : "Set") \(name) to \(shown) in \(source.path)\(was).", resource.id, source.path)
      result.differences = differences
    }
    if !isDry, !details.secret { result.undo = undo(details, old, resource.id) }
    return result
  }

  private func undo(_ details: InspectedTweak, _ old: InspectedValue?, _ id: String) -> InspectorRequest {
    guard details.overridden, let old else { return InspectorRequest(.resetTweak, id) }
    var undo = InspectorRequest(.setTweak, id)
    undo.text = old.string ?? old.text
    return undo
  }

  private func openSuite(_ path: String) throws -> AppGroupsSuite {
    let url = url(path)
    guard let scope = try scope(of: url) else { return try AppGroupsSuite(url: url) }
    return try AppGroupsSuite(name: url.lastPathComponent, scope: scope)
  }

  /// Returns the scope of a file in a root whose contents are switched, or `nil` for any other file.
  private func scope(of url: URL) throws -> Scope? {
    try SwitchedRoots.root(switching: url).map { try AppContainer(home: $0).scope }
  }

  private func outcome(_ message: String, _ resource: String?, _ path: String?) -> InspectorOutcome {
    var outcome = InspectorOutcome(message, resource)
    outcome.path = path
    return outcome
  }

  // MARK: Logs

  /// Removes a consumer of a log, or events that are no longer needed.
  func changeLog() throws -> InspectorOutcome {
    let resource = try resource(.log)
    let path = try required(resource.path, "path")
    let url = url(path)
    let directory = url.deletingLastPathComponent().deletingLastPathComponent()
    let name = url.lastPathComponent
    guard case .log(let details) = resource.typedDetails else {
      throw InspectorError.invalid(operation: operation, reason: "it is not a log")
    }
    let log: AppGroupsLog<Data>
    if let scope = try scope(of: url) {
      log = try AppGroupsLog(name: name, scope: scope)
    } else {
      log = try AppGroupsLog(name: name, container: AppGroupsContainer(directory: directory))
    }
    if request.action == .trimLog {
      if !isDry { try log.trim() }
      return outcome("\(isDry ? "Would trim" : "Trimmed") the log \(name).", resource.id, path)
    }
    let consumer = try required(request.consumer, "consumer")
    guard let found = details.consumers.first(where: { $0.name == consumer }) else {
      throw InspectorError.notFound("the consumer \(consumer) of \(resource.id)")
    }
    if found.running {
      throw InspectorError.invalid(operation: operation, reason: "a process runs as this consumer")
    }
    if !isDry { try log.removeConsumer(consumer) }
    return outcome(
      "\(isDry ? "Would remove" : "Removed") the consumer \(consumer) of the log \(name).", resource.id, path)
  }

  // MARK: Work queues

  /// Retries or removes a job.
  func changeQueue() throws -> InspectorOutcome {
    let resource = try resource(.database)
    let (path, name) = (try required(resource.path, "path"), try required(request.name, "name"))
    let id = Int64(try required(request.id, "id"))
    guard case .database(let details) = resource.typedDetails, let id,
      details.queues?.contains(where: { $0.name == name }) == true
    else { throw InspectorError.notFound("the job \(request.id ?? "") of the queue \(name) in \(resource.id)") }
    let isRetry = request.action == .retryJob
    if isDry {
      return outcome("Would \(isRetry ? "retry" : "cancel") the job \(id) of the queue \(name).", resource.id, path)
    }
    let url = url(path)
    // Jobs are not decoded here.
    let queue = WorkQueue<String>(name, in: try Database(.file(url), scope: scope(of: url)))
    guard try isRetry ? queue.retry(id) : queue.cancel(id) else {
      throw InspectorError.invalid(
        operation: operation, reason: isRetry ? "the job is neither failed nor delayed" : "there is no such job")
    }
    return outcome("\(isRetry ? "Retried" : "Cancelled") the job \(id) of the queue \(name).", resource.id, path)
  }

  // MARK: Environments

  /// Changes the environments of a root.
  func changeEnvironment() throws -> InspectorOutcome {
    let resource = try resource(.container)
    guard case .container(let details) = resource.typedDetails, let path = resource.path else {
      throw InspectorError.invalid(operation: operation, reason: "it is not a root with environments")
    }
    let container = try AppContainer(home: url(InspectorState.container(path).root))
    if request.action == .importContainer { return try importEnvironment(into: container, resource.id) }
    if request.action == .resetContainers {
      let count = details.environments.count { !$0.default }
      if !isDry { try container.reset() }
      let deleted = "\(isDry ? "Would delete" : "Deleted") \(count) \(count == 1 ? "environment" : "environments")"
      return outcome("\(deleted); the default one \(isDry ? "would be" : "is") active.", resource.id, nil)
    }
    if request.action == .createContainer {
      let name = try required(request.name, "name")
      if isDry { return outcome("Would create the environment \(name).", resource.id, nil) }
      let made = try container.create(name: name, description: request.description)
      var result = outcome("Created the environment \(name) (\(made.id.uuidString)).", resource.id, nil)
      result.undo = undo(.deleteContainer, resource.id, made.id.uuidString)
      return result
    }
    let text = try required(request.id, "id")
    guard let found = details.environments.first(where: { $0.id == text.uppercased() || $0.name == text }),
      let id = UUID(uuidString: found.id)
    else { throw InspectorError.notFound("the environment \(text)") }
    if isDry { return outcome("Would \(verb.0) the environment \(found.name).", resource.id, nil) }
    var result = outcome("\(verb.1) the environment \(found.name).", resource.id, nil)
    switch request.action {
    case .switchContainer:
      try container.activate(id: id)
      result.undo = undo(.switchContainer, resource.id, details.active)
    case .cloneContainer:
      let copy = try container.clone(id: id, name: request.name, description: request.description)
      result.message = "Cloned the environment \(found.name) as \(copy.name) (\(copy.id.uuidString))."
      result.undo = undo(.deleteContainer, resource.id, copy.id.uuidString)
    case .renameContainer:
      let name = try required(request.name, "name")
      _ = try container.update(id: id, name: name, description: request.description ?? found.description)
      result.message = "Renamed the environment \(found.name) to \(name)."
      var undo = undo(.renameContainer, resource.id, found.id)
      (undo.name, undo.description) = (found.name, found.description)
      result.undo = undo
    case .cleanContainer: try container.clean(id: id)
    case .deleteContainer: try container.delete(id: id)
    default:
      let target = try absolutePath()
      _ = try container.export(id: id, to: URL(filePath: target))
      result.message = "Exported the environment \(found.name) to \(target)."
    }
    return result
  }

  private func importEnvironment(into container: AppContainer, _ id: String) throws -> InspectorOutcome {
    let source = try absolutePath()
    if isDry { return outcome("Would import an environment from \(source).", id, nil) }
    let made = try container.importEnvironment(
      from: URL(filePath: source), name: request.name, description: request.description)
    var result = outcome("Imported the environment \(made.name) (\(made.id.uuidString)) from \(source).", id, nil)
    result.undo = undo(.deleteContainer, id, made.id.uuidString)
    return result
  }

  /// Returns the path of the archive in the request.
  private func absolutePath() throws(InspectorError) -> String {
    let path = try required(request.path, "path")
    guard path.hasPrefix("/") else {
      throw InspectorError.invalid(operation: operation, reason: "the path of the archive is not absolute")
    }
    return path
  }

  /// The verb for the action, in the infinitive and in the past tense.
  private var verb: (String, String) {
    switch request.action {
    case .switchContainer: ("switch to", "Switched to")
    case .cloneContainer: ("clone", "Cloned")
    case .renameContainer: ("rename", "Renamed")
    case .cleanContainer: ("clean", "Cleaned")
    case .deleteContainer: ("delete", "Deleted")
    default: ("export", "Exported")
    }
  }

  private func undo(_ action: InspectorRequest.Action, _ resource: String, _ id: String) -> InspectorRequest {
    var undo = InspectorRequest(action, resource)
    undo.id = id
    return undo
  }
}

extension TweakKind {
  /// Creates the kind from its name in the protocol.
  fileprivate init(_ name: String) {
    self = Self.allCases.first { $0.rawValue.lowercased() == name } ?? .string
  }
}
