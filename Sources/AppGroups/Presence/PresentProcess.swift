import FileSignals
public import Foundation

/// A process that is present, and what it says.
public struct PresentProcess<Value: Sendable>: Sendable, Identifiable {
  /// What tells this announcement from all others, ever.
  public let id: UUID

  /// The number of the process, for people and logs; by the time it is read it may belong to another process.
  public let processIdentifier: Int32

  /// What the process is called.
  public let processName: String

  /// When the process became present, by its own clock.
  public let since: Date

  /// What the process says.
  public let value: Value

  /// Whether it is the process that asks.
  public let isThisProcess: Bool
}

extension PresentProcess: Equatable where Value: Equatable {}

extension PresentProcess: Hashable where Value: Hashable {}

/// What is in the file of an announcement.
struct PresenceRecord<Value: Codable & Sendable>: Codable, Sendable {
  let process: Int32
  let name: String

  /// What tells the process from all others, while numbers are used again.
  let instance: UUID

  /// In seconds since 1970, which people and other programs can read.
  let since: Double

  var value: Value

  init(_ value: Value) {
    let current = ProcessInfo.processInfo
    process = current.processIdentifier
    name = current.processName
    instance = thisProcess
    since = Date().timeIntervalSince1970
    self.value = value
  }
}

extension PresentProcess where Value: Codable {
  init(_ record: PresenceRecord<Value>, id: UUID) {
    self.init(
      id: id,
      processIdentifier: record.process,
      processName: record.name,
      since: Date(timeIntervalSince1970: record.since),
      value: record.value,
      isThisProcess: record.instance == thisProcess && record.process == ProcessInfo.processInfo.processIdentifier
    )
  }
}

/// What tells this process from all others.
private let thisProcess = UUID.random()
