import Foundation

/// What another process of this same executable does for a benchmark.
///
/// It is told through its environment, because the command line belongs to the harness, and it ends when its standard
/// input does, so none outlives the benchmark, however that ends.
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

  /// Takes in what is committed to the shared database, and answers each row with the time at which it came.
  case storeSubscriber

  static let key = "SIGNALS_BENCHMARK_ROLE"
  static let directoryKey = "SIGNALS_BENCHMARK_DIRECTORY"

  /// The role of this process, if another one gave it one.
  static var current: Role? {
    ProcessInfo.processInfo.environment[key].flatMap(Role.init)
  }

  /// Does what the role says until standard input ends, and exits.
  func play() {
    let directory = URL(filePath: ProcessInfo.processInfo.environment[Role.directoryKey] ?? "/")
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
      case .storeSubscriber: try answerCommits(in: directory)
      }
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("A process of the benchmark could not play \(self): \(error)\n".utf8))
      exit(1)
    }
  }
}

/// What is written to and read from another process.
struct Message {
  /// A value, or a number of operations.
  var number: Int

  /// The system's monotonic clock, which all processes share.
  var time = Int(DispatchTime.now().uptimeNanoseconds)
}

/// Writes a message, in one system call.
func send(_ message: Message, to descriptor: CInt) {
  var message = message
  _ = withUnsafeBytes(of: &message) { write(descriptor, $0.baseAddress, $0.count) }
}

/// Waits for a message; `nil` at the end, or if none comes for as long as a benchmark may wait.
func receive(from descriptor: CInt, timeout: Duration? = nil) -> Message? {
  var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  let milliseconds = timeout.map { CInt($0 / .milliseconds(1)) } ?? -1
  guard poll(&readiness, 1, milliseconds) == 1 else { return nil }
  var message = Message(number: 0, time: 0)
  let count = withUnsafeMutableBytes(of: &message) { read(descriptor, $0.baseAddress, $0.count) }
  return count == MemoryLayout<Message>.size ? message : nil
}

/// What went wrong with a system call.
struct SystemError: Error, CustomStringConvertible {
  let call: String
  let code = errno

  var description: String { "\(call) failed: \(String(cString: strerror(code)))" }
}
