import FileSignals
import Foundation

/// The content of an announcement's file.
struct PresenceRecord<Value: Codable & Sendable>: Codable, Sendable {
  let process: Int32
  let name: String

  /// The identity of the process, which is unique even though process identifiers are reused.
  let instance: UUID

  /// The start of the presence in seconds since 1970, which people and other programs can read.
  let since: Double

  var value: Value

  /// The marks of the process while it is suspended; `nil` otherwise.
  var suspension: ProcessInstance?

  init(_ value: Value) {
    let current = ProcessInfo.processInfo
    process = current.processIdentifier
    name = current.processName
    instance = thisProcess
    since = Date().timeIntervalSince1970
    self.value = value
  }
}

/// The part of a record that shows whether its process is suspended, which is read without the value.
struct PresenceSuspension: Decodable {
  let process: Int32
  let suspension: ProcessInstance?

  /// A Boolean value that indicates whether the process is suspended, and still exists.
  var isPresent: Bool { suspension?.isRunning(as: process) ?? false }
}

extension PresentProcess where Value: Codable {
  init(_ record: PresenceRecord<Value>, id: UUID) {
    self.init(
      id: id,
      processIdentifier: record.process,
      processName: record.name,
      since: Date(timeIntervalSince1970: record.since),
      value: record.value,
      isSuspended: record.suspension != nil,
      isThisProcess: record.instance == thisProcess && record.process == ProcessInfo.processInfo.processIdentifier
    )
  }
}

/// The identity of this process.
private let thisProcess = UUID.random()
