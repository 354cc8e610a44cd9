import Dispatch
import Foundation
import Machine

/// Several processes in one role.
final class Crowd {
  private let directory: TemporaryDirectory
  private let members: [OtherProcess]

  init(_ size: Int, _ role: Role, in directory: TemporaryDirectory) throws {
    self.directory = directory
    members = try (0..<size).map { _ in try OtherProcess(role, in: directory.url) }
  }

  /// Lets every process do some operations at the same time, and returns the nanoseconds until all have finished.
  func work(_ operations: Int) throws -> Int {
    try nanoseconds {
      for member in members { member.send(Message(number: operations)) }
      for member in members where member.answer() == nil { throw NothingArrived(expected: operations) }
    }
  }

  /// Makes a change, and returns the nanoseconds until the last process has noticed it.
  func notice(_ number: Int, _ change: () throws -> Void) throws -> Int {
    let start = Int(DispatchTime.now().uptimeNanoseconds)
    try change()
    var last = start
    for member in members {
      var answer = member.answer()
      // A reader that is late reads a newer value for an older notification, and then the same once more.
      while let early = answer, early.number < number { answer = member.answer() }
      guard let answer else { throw NothingArrived(expected: number) }
      last = max(last, answer.time)
    }
    return last - start
  }
}
