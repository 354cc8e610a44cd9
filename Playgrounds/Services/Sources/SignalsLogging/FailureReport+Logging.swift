public import Logging
public import Signals

extension FailureReport {
  /// Writes the failure to a logger, in one line.
  ///
  /// The metadata has the `source`, which is the type of the object, the `subject`, which is the path or the name of
  /// what cannot be used, and the `error.type`. Neither it nor the message has a line break, so no content of a file
  /// can forge a line of the log.
  ///
  /// - Parameters:
  ///   - logger: The logger.
  ///   - level: The level of the line.
  public func log(to logger: Logger, level: Logger.Level = .error) {
    logger.log(
      level: level, "\(description)",
      metadata: [
        "source": "\(source)", "subject": "\(Self.line(subject))",
        "error.type": "\(String(reflecting: type(of: error)))",
      ])
  }

  private static func line(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
