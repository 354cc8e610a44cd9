import Foundation
import Machine

/// What another process of this same executable does for a benchmark.
enum Role: String {
  /// Subscribes to the shared file, and answers each value with the time at which it came.
  case subscriber

  /// The same for a value that is not coded as JSON.
  case plainSubscriber

  /// The same with a provider of swift-configuration.
  case configuration

  /// The same with nothing but system calls.
  case rawReader

  /// The same with system calls and a decoder.
  case decoder

  /// Observes the file, and reads it with system calls.
  case observer

  /// Answers each message on its standard input with the time at which it came.
  case pipeReader

  /// Updates the shared file as often as each message says.
  case updater

  /// The same with nothing but system calls.
  case rawUpdater

  /// Subscribes to the log, and answers each event with the time at which it came.
  case logSubscriber

  /// The same with nothing but system calls.
  case rawLogReader

  /// Subscribes to one key of the suite, and answers each value with the time at which it came.
  case suiteSubscriber

  /// Subscribes to one key of the suite, and answers nothing.
  case suiteObserver

  /// Changes one key of the suite as often as each message says.
  case suiteUpdater

  /// The same with nothing but system calls.
  case rawAppender

  /// Waits for what others append with nothing but system calls.
  case rawObserver

  /// Takes in what is committed to the shared database, and answers each row with the time at which it came.
  case storeSubscriber

  /// The role of this process, if another one gave it one.
  static var current: Role? {
    OtherProcess.role.flatMap(Role.init)
  }

  /// Does what the role says until standard input ends, and exits.
  func play() {
    let directory = OtherProcess.directory
    do {
      switch self {
      case .subscriber: try answerSharedValues(in: directory)
      case .plainSubscriber: try answerPlainValues(in: directory)
      case .configuration: answerConfiguration(in: directory)
      case .rawReader:
        var content = [UInt8](repeating: 0, count: 4_096)
        try answerRenames(in: directory) { url in
          let count = try Bare.read(url.path, into: &content)
          return Payload.count(in: content[..<count])
        }
      case .decoder:
        let decoder = JSONDecoder()
        try answerRenames(in: directory) { try decoder.decode(Payload.self, from: Data(contentsOf: $0)).count }
      case .observer: try answerObservedRenames(in: directory)
      case .pipeReader: answerMessages()
      case .updater: try updateSharedFile(in: directory)
      case .rawUpdater: try updateRawFile(in: directory)
      case .logSubscriber: try answerEvents(in: directory)
      case .rawLogReader: try answerAppends(in: directory)
      case .suiteSubscriber: try answerSuiteValues(in: directory)
      case .suiteObserver: try observeSuite(in: directory)
      case .suiteUpdater: try updateSuite(in: directory)
      case .rawAppender: try appendToRawJournal(in: directory)
      case .rawObserver: try watchRawJournal(in: directory)
      case .storeSubscriber: try answerCommits(in: directory)
      }
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("A process of the benchmark could not play \(self): \(error)\n".utf8))
      exit(1)
    }
  }
}
