/// A failure that happened in the background, where no call could throw it, and what it concerns.
///
/// Examples are a file that another program damages, a log whose events cannot be decoded, and a flag with a value of
/// the wrong type. The object that finds such a failure sends it to its own `failures`. The same failure is also sent,
/// as a report, to the `failures` of each container, scope and context that contains the file, and to ``all``.
///
/// If nothing observes any of these signals, one line is written to standard error, or to the unified log on Apple's
/// systems. Observe ``all`` to handle all failures of a program, or call ``onUnobserved(_:)`` to write them elsewhere:
///
/// ```swift
/// import Signals
///
/// FailureReport.onUnobserved { report in print(report) }  // Writes the lines elsewhere.
/// let failures = FailureReport.all.sink { report in print(report.source, report.error) }  // Handles all failures.
/// failures.cancel()
/// ```
///
/// - **Thrown errors** are not reported: the caller has them already.
/// - **Once.** A line is written half a second after its failure, or at the end of the program if that comes first. The
///   same error of the same thing is not written again. At most twenty lines are written at a time, and then the number
///   of the others.
/// - **Secrets.** An error that hides a value hides it here, too.
/// - **Threads.** Subscribers are called on the thread that has found the failure, one report at a time, and with no
///   lock held. A later subscriber first receives the last few reports.
public struct FailureReport: Sendable, CustomStringConvertible {
  /// The type of the object that reports the failure, such as `AppGroupsFile`.
  public let source: String

  /// The name of what cannot be used: the path of a file or a directory, or the name of an object without one.
  public let subject: String

  /// The error, of the type that the `failures` of the object have.
  public let error: any Error

  package init(_ source: String, _ subject: String, _ error: any Error) {
    (self.source, self.subject, self.error) = (source, subject, error)
  }

  /// The source, the subject and the error, in one line.
  public var description: String {
    let text = Self.line("\(error)")
    return text.contains(subject) || source == subject
      ? "\(source): \(text)" : "\(source) \(Self.line(subject)): \(text)"
  }

  /// All failures of the program.
  public static var all: some Signal<FailureReport, Never> { FailureLog.shared.reports { _ in true } }

  /// Calls a closure with each failure that nothing observes, instead of writing a line.
  ///
  /// To write nothing at all, pass a closure that does nothing. The last call counts, for the whole program.
  ///
  /// - Parameter handler: A closure that is called on a background queue, and at the end of the program for failures
  ///   that happened shortly before.
  public static func onUnobserved(_ handler: @escaping @Sendable (FailureReport) -> Void) {
    FailureLog.shared.setHandler(handler)
  }

  /// Returns a text in one line, without characters that would control a terminal.
  static func line(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
      case .format: scalars.append("\u{FFFD}")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}
