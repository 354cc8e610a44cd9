import Logging
import Signals

/// A handler of log events that keeps them, and can be observed.
struct RecordingLogHandler: LogHandler {
  struct Entry: Sendable {
    let level: Logger.Level
    let message: String
    let metadata: Logger.Metadata
  }

  let recorded = MutableProperty<[Entry]>([])
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel = Logger.Level.info

  var entries: [Entry] { recorded.value }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
    recorded.modify { $0.append(Entry(level: event.level, message: "\(event.message)", metadata: metadata)) }
  }
}
