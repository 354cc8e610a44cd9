public import Logging
public import Signals

/// A handler of log events whose level follows a shared setting.
///
/// The level may be a part of a shared file, a value of a suite, a flag, or any other property. When one process
/// changes it, the loggers of all processes that follow it have the new level.
///
/// - **Cost.** A line that is not written costs one read of the property, which takes nanoseconds and no lock of
///   another process.
/// - **A level of its own.** A logger whose `logLevel` is set keeps that level, and others still follow the setting.
/// - **Wrong levels.** If the setting cannot be decoded, the last level stays, and the setting reports a failure.
/// - **The wrapped handler** gets the level `trace`, so that it filters nothing.
public struct SharedLevelLogHandler: LogHandler {
  private var base: any LogHandler
  private let level: Property<Logger.Level>
  private var ownLevel: Logger.Level?

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - base: The handler that writes the events.
  ///   - level: The level. It is followed as long as the handler lives.
  public init(_ base: any LogHandler, level: some PropertyConvertible<Logger.Level>) {
    self.base = base
    self.level = level.property
    self.base.logLevel = .trace
  }

  /// The level of the setting, or the one that was set for this logger.
  public var logLevel: Logger.Level {
    get { ownLevel ?? level.value }
    set { ownLevel = newValue }
  }

  /// The metadata of the wrapped handler.
  public var metadata: Logger.Metadata {
    get { base.metadata }
    set { base.metadata = newValue }
  }

  /// The metadata provider of the wrapped handler.
  public var metadataProvider: Logger.MetadataProvider? {
    get { base.metadataProvider }
    set { base.metadataProvider = newValue }
  }

  /// A value of the wrapped handler's metadata.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { base[metadataKey: key] }
    set { base[metadataKey: key] = newValue }
  }

  /// Passes an event to the wrapped handler.
  ///
  /// - Parameter event: The event.
  public func log(event: LogEvent) { base.log(event: event) }
}
