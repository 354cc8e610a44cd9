import Inspector
import SignalsKit

/// Follows all changes in the workplace as a tool does, and looks for those whose process is unknown.
final class ChangeWitness: Sendable {
  /// The kinds of resources whose changes name the process that made them.
  private static let kinds: Set<InspectedResource.Kind> = [.file, .suite, .tweak, .database, .container, .session]

  private struct Sights: Sendable {
    var count = 0
    var unknown: [String] = []
  }

  private let inspector: Inspector
  private let sights = MutableProperty(Sights())
  private let following: SignalSubscription

  /// Begins to follow the changes.
  ///
  /// - Parameters:
  ///   - workplace: The place whose changes are followed.
  ///   - foreign: The resources that programs without this package change, too.
  /// - Throws: The reason why the workplace cannot be inspected.
  init(_ workplace: Workplace, besides foreign: Set<String> = []) throws {
    inspector = try Inspector(directory: workplace.directory)
    following = inspector.changes.sink { [sights] change in
      guard Self.kinds.contains(change.kind), change.operation != .delete, !foreign.contains(change.resource) else {
        return
      }
      sights.modify { sights in
        sights.count += 1
        if change.process == nil, change.author == nil {
          sights.unknown.append("\(change.resource): \(change.summary)")
        }
      }
    }
  }

  /// Ends following, and judges what was seen.
  func judge() async -> Promise {
    await inspector.refresh()
    following.cancel()
    let sights = sights.value
    // A process that is killed in the middle of a change may leave one without a name.
    let kills = ChildProcess.killedCount.value
    return Promise(
      "Each change names the process that made it", isKept: sights.count > 0 && sights.unknown.count * 10 <= kills,
      seen: "\(sights.count) changes, \(sights.unknown.count) without a name, after \(kills) kills"
        + sights.unknown.prefix(5).map { "\n          \($0)" }.joined())
  }
}
