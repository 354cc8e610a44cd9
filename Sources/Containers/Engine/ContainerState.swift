import AppGroups
import Foundation
import Signals

/// The persistent state of a root: its environments, the active one, and the excludes.
struct ContainerState: Sendable, Equatable {
  /// The number of activations of an environment, and the date of the last one.
  struct Activation: Codable, Sendable, Equatable {
    var count = 0
    var date: Date?
  }

  static let format = FileFormat<ContainerState>.record(FileVersions(ContainerState.self))

  /// The largest counter that a record may contain.
  ///
  /// Counters grow by one, so they never reach it, and adding to one below it cannot overflow.
  static let largestCounter = Int.max / 2

  /// The number of changes to the list, by which other processes notice a change.
  var revision = 0

  /// The number of times that all live files were replaced, by a switch or by emptying the active environment.
  var switches = 0

  var active = AppContainer.Environment.defaultID

  /// All environments, in the order in which they were created.
  var ids = [AppContainer.Environment.defaultID]

  /// The entries that are not switched, as paths relative to the root.
  var excludes: [String] = []

  /// The activations of each environment.
  ///
  /// They are stored here instead of in the records, so that a switch changes one file.
  var activations: [UUID: Activation] = [:]
}

extension ContainerState {
  /// Returns a Boolean value that indicates whether a record may have been replaced since an earlier state.
  ///
  /// Each change raises the revision by one, and an update of a record changes nothing else. A later change could hide
  /// it.
  func mayHaveOtherRecords(than earlier: ContainerState) -> Bool {
    guard revision != earlier.revision else { return false }
    var same = earlier
    same.revision += 1
    return revision != same.revision || self == same
  }
}

extension ContainerState: Codable {
  /// The stored form of the state, with identifiers as directory names.
  private struct Record: Codable {
    let revision: Int
    let switches: Int
    let active: String
    let uuids: [String]
    let excludes: [String]
    let activations: [String: Activation]
  }

  init(from decoder: any Decoder) throws {
    let record = try Record(from: decoder)
    func damage(_ problem: String) -> DecodingError {
      .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
    }
    func id(_ name: String) throws -> UUID {
      guard let id = ContainerLayout.id(name) else {
        throw damage("\(name.debugDescription) is not the identifier of an environment")
      }
      return id
    }
    for counter in [record.revision, record.switches] + record.activations.values.map(\.count) {
      guard counter >= 0, counter <= Self.largestCounter else { throw damage("\(counter) is not a possible count") }
    }
    (revision, switches) = (record.revision, record.switches)
    active = try id(record.active)
    ids = try record.uuids.map(id)
    excludes = try record.excludes.map { try ExcludeRules.path($0) }
    for (name, activation) in record.activations {
      if let id = ContainerLayout.id(name) { activations[id] = activation }
    }
  }

  func encode(to encoder: any Encoder) throws {
    let record = Record(
      revision: revision, switches: switches, active: ContainerLayout.name(active),
      uuids: ids.map { ContainerLayout.name($0) }, excludes: excludes,
      activations: Dictionary(uniqueKeysWithValues: activations.map { (ContainerLayout.name($0.key), $0.value) }))
    try record.encode(to: encoder)
  }
}

/// The last state that was decoded or encoded, because most reads find the same bytes again.
final class StateMemory: Sendable {
  private let last = Guarded<(state: ContainerState, data: Data)?>(nil)

  /// Returns the state that has these bytes, if it is the last one.
  func state(from data: Data) -> ContainerState? {
    guard let last = last.withLock({ $0 }), last.data == data else { return nil }
    return last.state
  }

  /// Returns the bytes of a state, if it is the last one.
  func data(of state: ContainerState) -> Data? {
    guard let last = last.withLock({ $0 }), last.state == state else { return nil }
    return last.data
  }

  func keep(_ state: ContainerState, as data: Data) {
    last.replace { exchange(&$0, with: (state, data)) }
  }
}
